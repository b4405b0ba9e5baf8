// How leases end and what becomes of their trainers.
#include <csignal>
#include <system_error>

#include "runtime/executor/executor_core.hpp"
#include "runtime/executor/executor_values.hpp"

namespace hadar {

using namespace executor_values;

namespace {
constexpr double kWeakFailureS = 0.5;  // how long a member's exit may take to explain a gang's failure
}  // namespace

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
