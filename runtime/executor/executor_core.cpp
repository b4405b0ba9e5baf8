#include "runtime/executor/executor_core.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kLastWordsS = 0.1;    // an ended trainer's last message may still be on its way
constexpr double kWeakFailureS = 0.5;  // how long a member's exit may take to explain a gang's failure
constexpr double kNextToNothingS = 0.001;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string seconds_text(double seconds) {
  auto text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

std::string new_token() {
  std::uint8_t bytes[16];
  HADAR_ENSURE(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
  std::string token;
  for (const auto byte : bytes)
    for (const int half : {byte >> 4, byte & 15}) token += "0123456789abcdef"[half];
  return token;
}

// A port nobody listens at now; rank 0 takes it a moment later.
std::string free_rendezvous() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool found = probe >= 0 && bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (probe >= 0) close(probe);
  return found ? "127.0.0.1:" + std::to_string(ntohs(address.sin_port)) : std::string();
}

bool overlap(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

// The end of a lease that brings nothing.
executor_event::Ended ended_without(LeaseId lease, LeaseEndReason end, std::string detail) {
  executor_event::Ended ended;
  ended.lease = lease;
  ended.end = end;
  ended.detail = std::move(detail);
  return ended;
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

// ---- starting -----------------------------------------------------------------------------------------------------

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

// ---- what trainers say --------------------------------------------------------------------------------------------

void ExecutorCore::pump() {
  while (const auto incoming = server_->receive()) hear(*incoming);
  frames_refused_ = server_->dropped();
}

void ExecutorCore::hear(const TrainerServer::Incoming& incoming) {
  const auto known = tokens_.find(incoming.token);
  Crew* crew = known == tokens_.end() ? nullptr : find(known->second);
  if (crew == nullptr) return;
  CrewMember& member = *member_of(*crew, incoming.token);
  if (std::holds_alternative<TrainerHello>(incoming.message)) return on_hello(*crew, member);
  const bool first = &member == &crew->members.front();
  if (const auto* progress = std::get_if<TrainerProgress>(&incoming.message)) {
    if (first && crew->lease && crew->lease->run.lease.id == progress->lease) on_progress(*crew, *progress);
  } else if (const auto* saved = std::get_if<TrainerSaved>(&incoming.message)) {
    if (crew->lease && crew->lease->run.lease.id == saved->lease) on_saved(*crew, member, *saved);
  }
}

void ExecutorCore::on_hello(Crew& crew, CrewMember& member) {
  member.greeted = true;
  if (crew.retiring && !crew.lease) {
    (void)server_->send(member.token, TrainerExit{});  // if it is gone already, all the better
    return;
  }
  if (!crew.greeted()) return;
  loop_.cancel(crew.limit);
  if (crew.lease && !crew.lease->failure)
    send_lease(crew);
  else if (!crew.lease)
    trim_warm();
}

void ExecutorCore::on_progress(Crew& crew, const TrainerProgress& progress) {
  if (!std::exchange(crew.lease->entered, true)) emit(executor_event::Started{progress.lease});
  emit(executor_event::Progressed{progress.lease, progress.steps, progress.train_s});
}

void ExecutorCore::on_saved(Crew& crew, CrewMember& member, const TrainerSaved& saved) {
  if (saved.over) return on_over(crew, member, saved);
  if (&member != &crew.members.front() || crew.lease->failure) return;
  auto weights = accept_weights(*crew.lease, saved.weights_path);
  if (!weights) return fail_lease(crew, {LeaseEndReason::kFailed, weights.error().message});
  emit(executor_event::Saved{.lease = saved.lease,
                             .steps = saved.steps,
                             .samples = saved.samples,
                             .weights = *std::move(weights),
                             .metrics = saved.metrics,
                             .train_s = saved.train_s,
                             .pace_missed_s = saved.pace_missed_s});
}

void ExecutorCore::on_over(Crew& crew, CrewMember& member, const TrainerSaved& saved) {
  if (member.words) return;
  member.words = saved;
  if (saved.end == LeaseEndReason::kFailed)
    return fail_lease(crew, {LeaseEndReason::kFailed, saved.detail, crew.world_size == 1});
  if (crew.lease->failure) return;
  const bool all =
      std::all_of(crew.members.begin(), crew.members.end(), [](const auto& m) { return m.words.has_value(); });
  if (all) return conclude(crew);
  if (!crew.lease->stopping) arm_limit(crew, options_.stop_grace_s, "a member of the gang did not end with the others");
}

// Weights must be a file of this lease in the work folder; it belongs to the sink's owner from now on.
Result<std::filesystem::path> ExecutorCore::accept_weights(CrewLease& lease, const std::string& path) const {
  if (path.empty()) return std::filesystem::path();
  std::error_code unreadable;
  const bool ours =
      path.starts_with(lease.result_path + ".") && path.find('/', lease.result_path.size()) == std::string::npos;
  if (!ours || !std::filesystem::is_regular_file(path, unreadable))
    return fail(ErrorCode::kInvalidArgument,
                "the trainer named '" + path + "' as its weights; they must be a file at hadar_result_path");
  lease.handed_out.insert(path);
  return std::filesystem::path(path);
}

void ExecutorCore::on_exit(CrewNumber number, const std::string& token, const ChildExit& exit) {
  Crew* crew = find(number);
  if (crew == nullptr) return;
  const bool may_have_spoken = crew->lease && !crew->lease->failure && !member_of(*crew, token)->words;
  if (!may_have_spoken) return bury(number, token, exit);
  later(kLastWordsS, [this, number, token, exit] {
    pump();
    bury(number, token, exit);
  });
}

void ExecutorCore::bury(CrewNumber number, const std::string& token, const ChildExit& exit) {
  Crew* crew = find(number);
  if (crew == nullptr) return;
  CrewMember& member = *member_of(*crew, token);
  member.output->drain();
  const auto line = member.output->last_line();
  if (exit.survivors > 0)
    logs_.append(crew->fork,
                 "[" + std::to_string(exit.survivors) + " processes of this trainer could not be killed]\n");
  member.output.reset();
  member.gone = true;
  server_->forget(token);
  tokens_.erase(token);
  const auto rank = crew->first_rank + static_cast<std::uint32_t>(&member - crew->members.data());
  const bool left_in_peace = exit.code == 0 && exit.signal == 0;
  const auto doomed = crew->lease && crew->lease->failure && crew->lease->failure->firm;
  if (crew->lease && crew->lease->warm && !crew->lease->entered && left_in_peace && !doomed) {
    crew->lease->restart = true;
    fail_lease(*crew, {LeaseEndReason::kFailed, "its idle trainer had exited"});
  } else if (crew->lease && (!member.words || crew->lease->failure)) {
    if (exit.code == 1 && crew->lease->run.lease.spec->sleep.crash_at_step > 0) crashed_.insert(crew->fork.job);
    auto detail = (crew->world_size > 1 ? "rank " + std::to_string(rank) + ": " : std::string()) + exit.text();
    if (!line.empty()) detail += ": " + line;
    const bool explains = !left_in_peace || !crew->lease->failure;
    if (explains) fail_lease(*crew, {LeaseEndReason::kFailed, std::move(detail)});
  } else if (!crew->lease && !crew->retiring) {
    retire(*crew);
  }
  crew->retiring = true;
  if (crew->gone()) after_lease(number);
}

// ---- ending -------------------------------------------------------------------------------------------------------

// All members said their last words.
void ExecutorCore::conclude(Crew& crew) {
  const auto number = crew.number;
  const auto words = *crew.members.front().words;
  auto weights = accept_weights(*crew.lease, words.weights_path);
  if (!weights) return fail_lease(crew, {LeaseEndReason::kFailed, weights.error().message});
  end_lease(crew, {.lease = words.lease,
                   .end = words.end,
                   .steps = words.steps,
                   .samples = words.samples,
                   .weights = *std::move(weights),
                   .metrics = words.metrics,
                   .train_s = words.train_s,
                   .pace_missed_s = words.pace_missed_s,
                   .detail = words.detail});
  after_lease(number);
}

// The first firm reason stands; the end is told when no process of the crew is left.
void ExecutorCore::fail_lease(Crew& crew, CrewFailure failure) {
  if (!crew.lease) return;
  auto& known = crew.lease->failure;
  if (known && (known->firm || !failure.firm)) return;
  known = std::move(failure);
  crew.retiring = true;
  loop_.cancel(crew.lease->limit);
  loop_.cancel(crew.limit);
  if (crew.gone()) {
    later(0, [this, number = crew.number] { after_lease(number); });
    return;
  }
  if (known->firm) return escalate(crew);
  later(kWeakFailureS, [this, number = crew.number] {
    Crew* failed = find(number);
    if (failed == nullptr || !failed->lease || !failed->lease->failure) return;
    failed->lease->failure->firm = true;  // exits from now on are our doing
    escalate(*failed);
  });
}

void ExecutorCore::end_lease(Crew& crew, executor_event::Ended ended) {
  loop_.cancel(crew.lease->limit);
  delete_results(*crew.lease);
  crew.lease.reset();
  for (auto& member : crew.members) member.words.reset();
  crew.idle_since = ++idle_clock_;
  emit(std::move(ended));
}

// A lease ended or the crew's last process did: what becomes of the crew.
void ExecutorCore::after_lease(CrewNumber number) {
  Crew* crew = find(number);
  if (crew == nullptr) return;
  if (crew->gone()) {
    if (crew->lease && crew->lease->restart) return restart(number);
    if (crew->lease) {
      const auto failure = crew->lease->failure.value_or(CrewFailure{});
      end_lease(*crew, ended_without(crew->lease->run.lease.id, failure.end, failure.detail));
    }
    return remove_crew(number);
  }
  if (crew->lease) return;
  if (!crew->reusable()) return retire(*crew);
  trim_warm();
}

// A trainer may exit when idle, also in the moment a lease is given to it.
void ExecutorCore::restart(CrewNumber number) {
  const Crew* crew = find(number);
  LeaseRun run = crew->lease->run;
  const double asked_s = crew->lease->asked_s;
  remove_crew(number);
  const auto id = run.lease.id;
  start(std::move(run));
  if (Crew* next = find(id)) next->lease->asked_s = asked_s;
}

void ExecutorCore::extend(LeaseId id, std::uint64_t quota_steps, double train_for_s) {
  Crew* crew = find(id);
  if (crew == nullptr || crew->lease->failure) return;
  auto& lease = *crew->lease;
  lease.run.lease.quota_steps = quota_steps;
  lease.run.lease.train_for_s = train_for_s;
  lease.asked_s = now_s();
  if (!lease.sent) return;
  tell(*crew, TrainerLeaseExtend{id, quota_steps, train_for_s});
  if (lease.stopping) return;
  loop_.cancel(lease.limit);
  if (train_for_s > 0) arm_limit(*crew, train_for_s + options_.stop_grace_s, "it did not end at its deadline");
}

void ExecutorCore::save(LeaseId id) {
  const Crew* crew = find(id);
  if (crew == nullptr || !crew->lease->sent || crew->lease->stopping || crew->lease->failure) return;
  // A trainer that is gone or does not read shows by its exit or at its limit.
  (void)server_->send(crew->members.front().token, TrainerSave{id});
  later(0, [this] { pump(); });
}

void ExecutorCore::stop(LeaseId id, double limit_s) {
  Crew* crew = find(id);
  if (crew == nullptr || crew->lease->failure) return;
  if (!crew->lease->sent) {
    const auto number = crew->number;
    end_lease(*crew, ended_without(id, LeaseEndReason::kRevoked, "stopped before it began"));
    return after_lease(number);
  }
  crew->lease->stopping = true;
  tell(*crew, TrainerLeaseStop{id});
  arm_limit(*crew, limit_s, "it did not end within " + seconds_text(limit_s) + " of being told to");
}

void ExecutorCore::kill(LeaseId id) {
  Crew* crew = find(id);
  if (crew == nullptr) return;
  signal(*crew, SIGKILL);
  fail_lease(*crew, {LeaseEndReason::kLost, "killed"});
}

void ExecutorCore::release(JobId job) {
  std::vector<CrewNumber> numbers;
  for (auto& crew : crews_) {
    if (crew.fork.job != job) continue;
    if (!crew.lease && !crew.retiring) numbers.push_back(crew.number);
    crew.retiring = true;
  }
  for (const auto number : numbers)
    if (Crew* crew = find(number)) retire(*crew);
  crashed_.erase(job);
}

// An idle crew exits by itself, or by force when it does not within the grace.
void ExecutorCore::retire(Crew& crew) {
  crew.retiring = true;
  if (crew.gone()) {
    later(0, [this, number = crew.number] { after_lease(number); });
    return;
  }
  for (const auto& member : crew.members) {
    if (member.gone) continue;
    if (!member.greeted || !server_->send(member.token, TrainerExit{})) children_.signal(member.pid, SIGTERM);
  }
  loop_.cancel(crew.limit);
  later(0, [this] { pump(); });
  later(options_.stop_grace_s, [this, number = crew.number] {
    if (const Crew* stubborn = find(number)) escalate(*stubborn);
  });
}

void ExecutorCore::escalate(const Crew& crew) {
  signal(crew, SIGTERM);
  later(options_.term_grace_s, [this, number = crew.number] {
    if (const Crew* stubborn = find(number)) signal(*stubborn, SIGKILL);
  });
}

void ExecutorCore::signal(const Crew& crew, int number) {
  for (const auto& member : crew.members)
    if (!member.gone) children_.signal(member.pid, number);
}

void ExecutorCore::tell(const Crew& crew, const TrainerMessage& message) {
  // A trainer that is gone or does not read shows by its exit or at its limit.
  for (const auto& member : crew.members) (void)server_->send(member.token, message);
  later(0, [this] { pump(); });
}

void ExecutorCore::trim_warm() {
  for (;;) {
    std::size_t idle = 0;
    Crew* oldest = nullptr;
    for (auto& crew : crews_) {
      if (crew.lease || crew.retiring) continue;
      idle += crew.members.size();
      if (oldest == nullptr || crew.idle_since < oldest->idle_since) oldest = &crew;
    }
    if (idle <= options_.warm_limit) return;
    retire(*oldest);
  }
}

void ExecutorCore::remove_crew(CrewNumber number) {
  if (const Crew* crew = find(number)) loop_.cancel(crew->limit);
  crews_.remove_if([&](const Crew& crew) { return crew.number == number; });
  if (on_empty_) {
    if (crews_.empty()) on_empty_();
    return;
  }
  launch_waiting();
}

void ExecutorCore::delete_results(const CrewLease& lease) const {
  const auto prefix = std::filesystem::path(lease.result_path).filename().string() + ".";
  std::error_code error;  // what cannot be deleted now is deleted at the next start
  for (const auto& entry : std::filesystem::directory_iterator(options_.work_folder, error)) {
    const auto path = std::filesystem::absolute(entry.path()).string();
    if (entry.path().filename().string().starts_with(prefix) && !lease.handed_out.contains(path))
      std::filesystem::remove(entry.path(), error);
  }
}

void ExecutorCore::shut_down(std::function<void()> done) {
  on_empty_ = std::move(done);
  sink_ = nullptr;
  std::erase_if(crews_, [](const Crew& crew) { return crew.members.empty(); });
  for (auto& crew : crews_) {
    crew.retiring = true;
    tell(crew, TrainerExit{});
    escalate(crew);
  }
  if (crews_.empty()) on_empty_();
}

}  // namespace hadar
