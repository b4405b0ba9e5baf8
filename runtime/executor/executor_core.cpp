#include "runtime/executor/executor_core.hpp"

#include <algorithm>
#include <system_error>

#include "runtime/executor/executor_values.hpp"

namespace hadar {

using namespace executor_values;

namespace {

constexpr double kNextToNothingS = 0.001;

bool overlap(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

bool is_result(const std::filesystem::path& file) {
  return file.filename().string().starts_with("lease-");
}

}  // namespace

Result<std::unique_ptr<ExecutorCore>> ExecutorCore::create(EventLoop& loop, const ProcessExecutorOptions& options,
                                                           LogStore& logs, std::atomic<std::uint64_t>& frames_refused) {
  auto server = TrainerServer::open(options.work_folder);
  if (!server) return fail(std::move(server));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options.work_folder, error))
    if (is_result(entry.path())) std::filesystem::remove(entry.path(), error);
  if (error)
    return fail(ErrorCode::kIo,
                "cannot clear the work folder " + options.work_folder.string() + ": " + error.message());
  return std::unique_ptr<ExecutorCore>(new ExecutorCore(loop, options, logs, frames_refused, *std::move(server)));
}

ExecutorCore::ExecutorCore(EventLoop& loop, const ProcessExecutorOptions& options, LogStore& logs,
                           std::atomic<std::uint64_t>& frames_refused, std::unique_ptr<TrainerServer> server)
    : loop_(loop),
      options_(options),
      logs_(logs),
      frames_refused_(frames_refused),
      server_(std::move(server)),
      children_(loop) {
  watch_ = loop_.watch(server_->wake_fd(), [this] { pump(); });
}

ExecutorCore::~ExecutorCore() {
  *alive_ = false;
  loop_.unwatch(watch_);
}

void ExecutorCore::later(double seconds, std::function<void()> task) {
  loop_.after(seconds, [alive = alive_, task = std::move(task)] {
    if (*alive) task();
  });
}

void ExecutorCore::emit(ExecutorEvent event) {
  if (sink_) sink_(std::move(event));
}

Crew* ExecutorCore::find(CrewNumber number) {
  const auto found = std::find_if(crews_.begin(), crews_.end(), [&](const Crew& c) { return c.number == number; });
  return found == crews_.end() ? nullptr : &*found;
}

Crew* ExecutorCore::find(LeaseId lease) {
  const auto found = std::find_if(crews_.begin(), crews_.end(),
                                  [&](const Crew& c) { return c.lease && c.lease->run.lease.id == lease; });
  return found == crews_.end() ? nullptr : &*found;
}

CrewMember* ExecutorCore::member_of(Crew& crew, const std::string& token) {
  const auto found =
      std::find_if(crew.members.begin(), crew.members.end(), [&](const CrewMember& m) { return m.token == token; });
  return found == crew.members.end() ? nullptr : &*found;
}

void ExecutorCore::start(LeaseRun run) {
  if (on_empty_ || find(run.lease.id) != nullptr) return;
  if (!run.lease.spec || run.lease.gpus.empty()) {
    emit(ended_without(run.lease.id, LeaseEndReason::kFailed, "the lease names no job or no GPU"));
    return;
  }
  Crew* crew = warm_crew_for(run.lease);
  if (crew == nullptr) {
    crew = &crews_.emplace_back();
    crew->number = ++last_number_;
    crew->fork = run.lease.fork;
    crew->gpus = run.lease.gpus;
    crew->first_rank = run.lease.gang.rank;
    crew->world_size = run.lease.gang.world_size;
  }
  auto& lease = crew->lease.emplace();
  lease.result_path = std::filesystem::absolute(options_.work_folder / ("lease-" + std::to_string(run.lease.id.value) +
                                                                        "-" + std::to_string(crew->number)))
                          .string();
  lease.rendezvous = run.lease.gang.rendezvous;
  const bool all_here = run.lease.gang.world_size == run.lease.gpus.size();
  if (lease.rendezvous.empty() && run.lease.gang.world_size > 1 && all_here) lease.rendezvous = free_rendezvous();
  lease.asked_s = now_s();
  lease.warm = !crew->members.empty();
  lease.run = std::move(run);
  if (crew->members.empty()) return launch_waiting();
  if (crew->greeted()) send_lease(*crew);
}

Crew* ExecutorCore::warm_crew_for(const Lease& lease) {
  const auto found = std::find_if(crews_.begin(), crews_.end(),
                                  [&](const Crew& c) { return c.fits(lease, options_.trainers.real_gpus); });
  return found == crews_.end() ? nullptr : &*found;
}

// Emulated GPUs are shared at will; on a real one a warm trainer holds memory that the next one needs.
bool ExecutorCore::gpus_in_use(const Crew& crew) const {
  return options_.trainers.real_gpus && std::any_of(crews_.begin(), crews_.end(), [&](const Crew& other) {
           return other.number != crew.number && !other.members.empty() && overlap(other.gpus, crew.gpus);
         });
}

void ExecutorCore::launch_waiting() {
  std::vector<CrewNumber> waiting;
  for (const auto& crew : crews_)
    if (crew.members.empty() && crew.lease && !crew.lease->failure) waiting.push_back(crew.number);
  for (const auto number : waiting) {
    Crew* crew = find(number);
    if (crew == nullptr) continue;
    if (gpus_in_use(*crew)) {
      for (auto& other : crews_)
        if (!other.lease && !other.retiring && overlap(other.gpus, crew->gpus)) retire(other);
      continue;
    }
    launch(*crew);
  }
}

void ExecutorCore::launch(Crew& crew) {
  const auto count = static_cast<std::uint32_t>(crew.gpus.size());
  for (std::uint32_t i = 0; i < count; ++i)
    if (auto launched = launch_member(crew, i); !launched)
      return fail_lease(crew, {LeaseEndReason::kFailed, launched.error().message});
  crew.limit = loop_.after(options_.hello_limit_s, [this, alive = alive_, number = crew.number] {
    Crew* late = *alive ? find(number) : nullptr;
    if (late == nullptr || late->greeted()) return;
    late->retiring = true;
    if (late->lease)
      fail_lease(*late,
                 {LeaseEndReason::kFailed, "the trainer said no hello within " + seconds_text(options_.hello_limit_s) +
                                               " of its start; it must call hadar_connect"});
    else
      escalate(*late);
  });
}

Status ExecutorCore::launch_member(Crew& crew, std::uint32_t local_rank) {
  const auto& lease = crew.lease->run.lease;
  if (crew.world_size > 1 && crew.lease->rendezvous.empty())
    return fail(ErrorCode::kInvalidArgument, "a gang over several nodes needs a rendezvous");
  const auto token = new_token();
  const TrainerSeat seat{.socket = server_->endpoint(),
                         .token = token,
                         .local_rank = local_rank,
                         .rendezvous = crew.lease->rendezvous,
                         .may_crash = !crashed_.contains(lease.fork.job)};
  auto command = trainer_command(options_.trainers, lease, seat);
  if (!command) return fail(std::move(command));
  auto child =
      children_.start(*command, trainer_mark(token),
                      [this, number = crew.number, token](const ChildExit& exit) { on_exit(number, token, exit); });
  if (!child) return fail(std::move(child));
  server_->admit(token);
  tokens_[token] = crew.number;
  const auto prefix =
      crew.world_size > 1 ? "[rank " + std::to_string(crew.first_rank + local_rank) + "] " : std::string();
  crew.members.push_back({.pid = child->pid,
                          .token = token,
                          .output = std::make_unique<OutputReader>(loop_, logs_, crew.fork, prefix, child->output),
                          .words = {}});
  return {};
}

void ExecutorCore::send_lease(Crew& crew) {
  auto& lease = *crew.lease;
  const auto& granted = lease.run.lease;
  lease.sent = true;
  double train_for_s = granted.train_for_s;
  if (train_for_s > 0) train_for_s = std::max(kNextToNothingS, train_for_s - (now_s() - lease.asked_s));
  for (std::uint32_t i = 0; i < crew.members.size(); ++i) {
    const auto rank = crew.first_rank + i;
    const TrainerLeaseStart start{.lease = granted.id,
                                  .weights_path = lease.run.weights.string(),
                                  .result_path = rank == 0 ? lease.result_path : std::string(),
                                  .quota_steps = granted.quota_steps,
                                  .train_for_s = train_for_s,
                                  .pace_steps_per_s = lease.run.pace_steps_per_s,
                                  .seed = granted.spec->seed,
                                  .first_step = lease.run.first_step,
                                  .total_steps = granted.spec->total_steps,
                                  .batch_size = granted.spec->batch_size,
                                  .fork = granted.fork.fork,
                                  .rank = rank,
                                  .world_size = crew.world_size,
                                  .rendezvous = crew.world_size > 1 ? lease.rendezvous : std::string()};
    if (auto sent = server_->send(crew.members[i].token, start); !sent)
      return fail_lease(crew, {LeaseEndReason::kFailed, sent.error().message, false});
  }
  later(0, [this] { pump(); });
  if (train_for_s > 0) arm_limit(crew, train_for_s + options_.stop_grace_s, "it did not end at its deadline");
}

void ExecutorCore::arm_limit(Crew& crew, double seconds, std::string detail) {
  auto& lease = *crew.lease;
  loop_.cancel(lease.limit);
  lease.limit = loop_.after(seconds, [this, alive = alive_, id = lease.run.lease.id, detail = std::move(detail)] {
    Crew* late = *alive ? find(id) : nullptr;
    if (late != nullptr) fail_lease(*late, {LeaseEndReason::kFailed, detail});
  });
}

}  // namespace hadar
