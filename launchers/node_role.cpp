#include <arpa/inet.h>
#include <caf/all.hpp>
#include <filesystem>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "actors/node/blob_courier_actor.hpp"
#include "actors/node/node_worker_actor.hpp"
#include "actors/throughput/throughput_book.hpp"
#include "launchers/process.hpp"
#include "runtime/config/throughput_csv.hpp"
#include "runtime/devices/inventory.hpp"
#include "runtime/executor/process_executor.hpp"
#include "runtime/store/folder_blob_store.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;

// Freed in the reverse order: trainers end before the loop that reaps them.
struct NodeParts {
  std::shared_ptr<EventLoop> loop = std::make_shared<EventLoop>();
  std::shared_ptr<BlobStore> cache;
  std::shared_ptr<ProcessExecutor> executor;
};

// A port that was free a moment ago, on the host others reach this node by.
std::string pick_rendezvous(const std::string& host) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  if (fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0)
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  if (fd >= 0) close(fd);
  return host + ":" + std::to_string(ntohs(address.sin_port));
}

// "tcp://HOST:PORT" → HOST; this machine otherwise.
std::string host_of(const std::string& endpoint) {
  if (endpoint.rfind("tcp://", 0) != 0) return "127.0.0.1";
  const auto host = endpoint.substr(6, endpoint.rfind(':') - 6);
  return host == "*" || host == "0.0.0.0" ? "127.0.0.1" : host;
}

TrainerSetup trainer_setup(const ProcessConfig& config, bool real_gpus) {
  const auto self = fs::read_symlink("/proc/self/exe").parent_path();
  TrainerSetup setup;
  setup.trainer_binary = config.node.trainer.empty() ? self / "hadar-trainer" : config.node.trainer;
  setup.job_library = self.parent_path() / "lib" / "libhadar_job.so";
  setup.python_folder = self.parent_path() / "python";
  setup.data_folder = config.node.data;
  setup.real_gpus = real_gpus;
  return setup;
}

Result<NodeInventory> inventory_of(Process& process) {
  const auto& config = process.config();
  NodeInventory declared{config.process.name, config.node.gpus, config.node.pcie_gb_s, config.node.net_gb_s,
                         config.node.emulated};
  auto found = find_inventory(declared);
  process.log().info("gpus_found", {{"source", found.source}});
  if (found.node.gpus.empty())
    return fail(ErrorCode::kInvalidArgument,
                "node.gpus: this machine has no GPU a driver tells of and none is "
                "declared; declare gpus = [{type = \"…\", count = N}]");
  return found.node;
}

// Emulated nodes pace trainers to the declared speed; real GPUs run as fast as they can, sleep jobs always as declared.
Result<std::function<double(const JobSpec&, const GpuType&)>> pace_of(const ProcessConfig& config) {
  ThroughputTable table;
  if (config.node.emulated && !config.node.throughputs.empty()) {
    auto loaded = load_throughputs(config.node.throughputs);
    if (!loaded) return tl::unexpected<Error>(loaded.error());
    table = *std::move(loaded);
  }
  auto book = std::make_shared<const ThroughputBook>(std::move(table), config.node.time_scale);
  return [book](const JobSpec& spec, const GpuType& type) { return book->declared(spec, type); };
}

ProcessExecutorOptions executor_options(const ProcessConfig& config, bool real_gpus) {
  ProcessExecutorOptions options;
  options.work_folder = config.process.state / "work";
  options.log_folder = config.process.state / "logs";
  options.trainers = trainer_setup(config, real_gpus);
  options.logs.job_bytes = static_cast<std::uint64_t>(config.node.log_cap_mb_per_job * 1e6);
  options.logs.total_bytes = static_cast<std::uint64_t>(config.node.log_cap_mb * 1e6);
  options.stop_grace_s = config.node.stop_grace_s;
  return options;
}

NodeWorkerPeers peers_of(Process& process, const std::shared_ptr<BlobStore>& cache) {
  NodeWorkerPeers peers;
  peers.membership = process.find(&LocalActors::membership, "scheduler", ActorKey::kMembership);
  peers.lease_keeper = process.find(&LocalActors::lease_keeper, "scheduler", ActorKey::kLeaseKeeper);
  peers.ledger = process.find(&LocalActors::ledger, "job-tracker", ActorKey::kJobLedger);
  peers.fork_tracker = process.find(&LocalActors::fork_tracker, "job-tracker", ActorKey::kForkTracker);
  const auto keeper = process.find(&LocalActors::blob_keeper, "job-tracker", ActorKey::kBlobKeeper);
  peers.courier = process.local().courier =
      spawn_blob_courier(process.system(), SpawnMode::kOwnThread, {}, cache, keeper);
  return peers;
}

}  // namespace

Result<std::shared_ptr<void>> add_node_role(Process& process) {
  const auto& config = process.config();
  auto inventory = inventory_of(process);
  if (!inventory) return tl::unexpected<Error>(inventory.error());
  auto pace = pace_of(config);
  if (!pace) return tl::unexpected<Error>(pace.error());
  FolderBlobOptions limits;
  limits.cache_bytes = static_cast<std::uint64_t>(config.node.blob_cache_mb * 1e6);
  auto cache = FolderBlobStore::open(config.process.state / "cache", limits);
  if (!cache) return tl::unexpected<Error>(cache.error());
  auto parts = std::make_shared<NodeParts>();
  parts->cache = *std::move(cache);
  const bool real_gpus = !inventory->emulated && config.node.gpus.empty();
  auto executor = ProcessExecutor::create(*parts->loop, executor_options(config, real_gpus));
  if (!executor) return tl::unexpected<Error>(executor.error());
  // The node worker may be the last to let go of the executor, which ends its trainers on the loop.
  parts->executor = std::shared_ptr<ProcessExecutor>(executor->release(),
                                                     [loop = parts->loop](ProcessExecutor* last) { delete last; });

  NodeWorkerOptions options;
  options.inventory = *inventory;
  options.incarnation = process.incarnation();
  options.request_limit_s = config.scheduler.request_limit_s;
  options.stop_limit_s = config.node.stop_grace_s;
  options.step_limit_s = config.node.step_limit_s;
  options.pace = *std::move(pace);
  options.pick_rendezvous =
      [host = host_of(config.process.advertise.empty() ? config.process.listen : config.process.advertise)] {
        return pick_rendezvous(host);
      };
  auto worker =
      spawn_node_worker(process.system(), SpawnMode::kShared, options, peers_of(process, parts->cache), parts->executor,
                        [store = parts->cache](const BlobRef& blob) { return store->path_of(blob); });
  parts->executor->set_sink(
      [worker](ExecutorEvent event) { caf::anon_send(worker, ExecutorHappened{std::move(event)}); });
  process.local().node_worker = worker;
  process.bridge().serve(ActorKey::kNodeWorker, process.local().node_worker);
  return std::static_pointer_cast<void>(parts);
}

}  // namespace hadar
