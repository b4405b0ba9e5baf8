#include <caf/all.hpp>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "actors/tracker/blob_keeper_actor.hpp"
#include "actors/tracker/consolidator_actor.hpp"
#include "actors/tracker/fork_tracker_actor.hpp"
#include "actors/tracker/job_ledger_actor.hpp"
#include "actors/tracker/throughput_book_actor.hpp"
#include "launchers/process.hpp"
#include "runtime/config/throughput_csv.hpp"
#include "runtime/store/folder_blob_store.hpp"
#include "runtime/store/sqlite_event_log.hpp"
#include "runtime/weights/weighted_sum.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;

double unix_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Cluster time goes on from the log's first start; a wall clock that was set back never makes it fall.
Result<double> cluster_time(EventLog& log) {
  const auto started = log.value("started_unix_s");
  if (started) {
    double since = 0;
    const auto* end = started->data() + started->size();
    if (const auto [stop, error] = std::from_chars(started->data(), end, since); error != std::errc{} || stop != end)
      return fail(ErrorCode::kCorrupt, "event log: started_unix_s: got '" + *started + "', must be seconds since 1970");
    return std::max(0.0, unix_s() - since);
  }
  if (started.error().code != ErrorCode::kNotFound) return tl::unexpected<Error>(started.error());
  const std::pair<std::string, std::string> value{"started_unix_s", std::to_string(unix_s())};
  if (auto written = log.append({}, {&value, 1}); !written) return tl::unexpected<Error>(written.error());
  return 0.0;
}

Result<ForksMerged> merge_blobs(BlobStore& store, const fs::path& temporary, const MergeForks& order) {
  std::vector<WeightedCopy> copies;
  ForksMerged merged;
  for (const auto& input : order.inputs) {
    auto file = store.path_of(input.weights);
    if (!file) {
      merged.left_out.push_back({input.lease, file.error().message});
      continue;
    }
    copies.push_back(WeightedCopy{std::to_string(input.lease.value), *file, input.coefficient, 0});
  }
  MergeSettings settings;
  if (!order.base.weights.empty()) {
    auto base = store.path_of(order.base.weights);
    if (!base) return tl::unexpected<Error>(base.error());
    settings.base = *base;
  }
  settings.durability = Durability::kCached;  // the store syncs what it adopts
  const auto output = temporary / ("merge-" + std::to_string(order.job.value));
  auto report = merge_weights(copies, output, settings);
  if (!report) return tl::unexpected<Error>(report.error());
  for (const auto& out : report->left_out)
    merged.left_out.push_back({LeaseId{std::stoull(copies.at(out.index).key)}, out.reason});
  auto blob = store.adopt_file(output);
  if (!blob) return tl::unexpected<Error>(blob.error());
  merged.weights = *blob;
  return merged;
}

Result<ThroughputFile> declared_speeds(const ProcessConfig& config) {
  if (config.tracker.throughputs.empty()) return ThroughputFile{};
  return load_throughput_file(config.tracker.throughputs);
}

}  // namespace

Result<std::shared_ptr<void>> add_tracker_role(Process& process) {
  const auto& config = process.config();
  auto table = declared_speeds(config);
  if (!table) return tl::unexpected<Error>(table.error());
  auto log = open_event_log(config.process.state / "events.db");
  if (!log) return tl::unexpected<Error>(log.error());
  const auto now_s = cluster_time(**log);
  if (!now_s) return tl::unexpected<Error>(now_s.error());
  const LedgerOptions options{config.cluster.id, config.tracker.max_failures};
  auto ledger = restore_ledger(options, **log, *now_s);
  if (!ledger) return tl::unexpected<Error>(ledger.error());
  auto opened = FolderBlobStore::open(config.process.state / "blobs");
  if (!opened) return tl::unexpected<Error>(opened.error());
  const std::shared_ptr<BlobStore> blobs = *std::move(opened);
  const auto collected = blobs->collect((*ledger)->state().needed_blobs(), kCollectAge_s);
  process.log().info("blobs_collected", {{"count", collected}});
  const auto temporary = config.process.state / "merging";
  std::error_code error;
  fs::remove_all(temporary, error);
  if (!fs::create_directories(temporary, error))
    return fail(ErrorCode::kIo, temporary.string() + ": cannot be made: " + error.message());

  auto& system = process.system();
  auto& local = process.local();
  const auto start_s = std::max(*now_s, (*ledger)->state().last_t_s());
  local.throughput_book = spawn_throughput_book(
      system, SpawnMode::kShared, ThroughputBook(table->rows, config.tracker.time_scale, pair_table(table->shared)));
  local.blob_keeper = spawn_blob_keeper(system, SpawnMode::kOwnThread, blobs);
  local.consolidator = spawn_consolidator(system, SpawnMode::kOwnThread, [blobs, temporary](const MergeForks& order) {
    return merge_blobs(*blobs, temporary, order);
  });
  local.ledger =
      spawn_job_ledger(system, SpawnMode::kOwnThread, JobLedgerOptions{options, start_s},
                       std::shared_ptr<Ledger>(*std::move(ledger)), std::shared_ptr<EventLog>(*std::move(log)));
  const auto log_delay = [logger = process.shared_log()](JobId job, const Error& why) {
    logger->warning("merge_delayed", {{"job", job.value}, {"why", why.message}});
  };
  local.fork_tracker = spawn_fork_tracker(system, SpawnMode::kShared,
                                          ForkTrackerOptions{config.tracker.merge_grace_s, start_s, log_delay},
                                          local.ledger, local.consolidator);
  process.bridge().serve(ActorKey::kJobLedger, local.ledger);
  process.bridge().serve(ActorKey::kForkTracker, local.fork_tracker);
  process.bridge().serve(ActorKey::kBlobKeeper, local.blob_keeper);
  return std::static_pointer_cast<void>(blobs);
}

}  // namespace hadar
