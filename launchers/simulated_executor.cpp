#include "launchers/simulated_executor.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <cmath>

#include "actors/message_types.hpp"
#include "launchers/simulated_blobs.hpp"

namespace hadar {
namespace {

struct Alarm {
  LeaseId lease;
  std::uint64_t number = 0;
};

constexpr double kWhole = 1e-6;  // steps this close to a whole number are whole

double floor_steps(double steps) {
  return std::floor(steps + kWhole);
}

std::chrono::nanoseconds ceil_delay(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::ceil(std::max(0.0, seconds) * 1e9)));
}

}  // namespace
}  // namespace hadar

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::Alarm)

namespace hadar {

SimulatedExecutor::SimulatedExecutor(caf::actor_system& system, NodeName node,
                                     std::shared_ptr<SimulatedTrainers> shared)
    : system_(system), node_(std::move(node)), shared_(std::move(shared)) {
  alarms_ = system.spawn([this]() -> caf::behavior {
    return {[this](const Alarm& alarm) {
      const auto found = gone_ ? runs_.end() : runs_.find(alarm.lease);
      if (found != runs_.end() && found->second.alarm == alarm.number) look(alarm.lease);
    }};
  });
}

SimulatedExecutor::~SimulatedExecutor() {
  vanish();
}

void SimulatedExecutor::vanish() {
  if (std::exchange(gone_, true)) return;
  caf::anon_send_exit(alarms_, caf::exit_reason::kill);
  runs_.clear();
  sink_ = nullptr;
}

double SimulatedExecutor::now_s() const {
  return std::chrono::duration<double>(system_.clock().now().time_since_epoch()).count();
}

// A gang runs at its slowest member's speed, or splits its batch by speed.
double SimulatedExecutor::speed_of(const Run& run) const {
  const auto& lease = run.what.lease;
  const bool by_speed = lease.spec->proportional_batch;
  if (lease.gpus.size() >= lease.gang.world_size)
    return (by_speed ? run.sum / static_cast<double>(lease.gpus.size()) : run.slowest) * run.noise * factor_;
  const auto gang = shared_->gangs.find(lease.gang.rendezvous);
  if (gang == shared_->gangs.end() || gang->second.gpus < lease.gang.world_size) return 0;
  return (by_speed ? gang->second.sum / gang->second.gpus : gang->second.slowest) * run.noise * factor_;
}

double SimulatedExecutor::crash_of(const Run& run) const {
  const auto& lease = run.what.lease;
  const auto at = lease.spec->sleep.crash_at_step;
  return at > 0 && !shared_->crashed.count(lease.fork.job) ? static_cast<double>(at) : HUGE_VAL;
}

// Steps at which something happens next.
double SimulatedExecutor::target_of(const Run& run) const {
  auto target = std::min(static_cast<double>(run.what.lease.quota_steps), crash_of(run));
  if (run.stop_at) target = std::min(target, *run.stop_at);
  if (run.save_at) target = std::min(target, *run.save_at);
  return target;
}

void SimulatedExecutor::advance(Run& run) {
  const auto now = now_s();
  if (run.entered) run.done = std::min(target_of(run), run.done + speed_of(run) * (now - run.since_s));
  run.since_s = now;
}

void SimulatedExecutor::join(Run& run) {
  run.joined = true;
  const auto& lease = run.what.lease;
  if (lease.gpus.size() >= lease.gang.world_size) return;
  auto& gang = shared_->gangs[lease.gang.rendezvous];
  gang.slowest = gang.gpus == 0 ? run.slowest : std::min(gang.slowest, run.slowest);
  gang.sum += run.sum;
  gang.gpus += static_cast<std::uint32_t>(lease.gpus.size());
  if (gang.gpus < lease.gang.world_size) {
    gang.waiting.push_back([this, id = lease.id] {
      if (!gone_ && runs_.count(id)) look(id);
    });
    return;
  }
  for (const auto& wake : std::exchange(gang.waiting, {})) wake();
}

void SimulatedExecutor::start(LeaseRun what) {
  if (gone_) return;
  const auto id = what.lease.id;
  for (const auto& [other, run] : runs_)
    for (auto gpu : what.lease.gpus)
      if (std::count(run.what.lease.gpus.begin(), run.what.lease.gpus.end(), gpu))
        shared_->violations.push_back(node_ + ": GPU " + std::to_string(gpu) + " is started on for lease " +
                                      std::to_string(id.value) + " while lease " + std::to_string(other.value) +
                                      " trains there");
  auto& run = runs_[id];
  run.what = std::move(what);
  const auto& lease = run.what.lease;
  run.slowest = HUGE_VAL;
  const bool spread = lease.gpus.size() < lease.gang.world_size;
  for (const auto& type : lease.gpu_types) {
    const auto speed = shared_->speed(*lease.spec, type, spread);
    run.slowest = std::min(run.slowest, speed);
    run.sum += speed;
  }
  if (shared_->noise) run.noise = shared_->noise(lease.id);
  run.costs = shared_->costs(*lease.spec);
  run.since_s = now_s();
  if (lease.train_for_s > 0) run.deadline_s = now_s() + lease.train_for_s;
  run.ends_s = now_s() + run.costs.load_s;
  look(id);
}

// What is due happens; then the next alarm is set.
void SimulatedExecutor::look(LeaseId id) {
  auto& run = runs_.at(id);
  const auto now = now_s();
  if (run.ending) {
    if (now + 1e-9 >= run.ends_s) return end(id);
    return look_again(id, run);
  }
  advance(run);
  if (!run.entered) {
    if (!run.joined && now + 1e-9 >= run.ends_s) join(run);
    if (run.joined && speed_of(run) > 0) {
      run.entered = true;
      run.entered_s = now;
      sink_(executor_event::Started{id});
    }
  }
  const auto steps = floor_steps(run.done);
  if (run.entered && steps >= crash_of(run)) {
    shared_->crashed.insert(run.what.lease.fork.job);
    return begin_end(id, LeaseEndReason::kFailed, 0, "exit code 1");
  }
  if (steps >= static_cast<double>(run.what.lease.quota_steps)) return begin_end(id, LeaseEndReason::kQuota, steps, "");
  if (run.stop_at && (!run.entered || steps >= *run.stop_at)) return begin_end(id, LeaseEndReason::kRevoked, steps, "");
  if (run.deadline_s > 0 && now + 1e-9 >= run.deadline_s) return begin_end(id, LeaseEndReason::kDeadline, steps, "");
  if (run.kill_at_s > 0 && now + 1e-9 >= run.kill_at_s)
    return begin_end(id, LeaseEndReason::kFailed, 0, "did not stop in time");
  if (run.save_at && run.entered && steps >= *run.save_at) tell_saved(run);
  look_again(id, run);
}

void SimulatedExecutor::look_again(LeaseId id, Run& run) {
  const auto now = now_s();
  auto next = HUGE_VAL;
  const auto soonest = [&next](double t) { next = std::min(next, t); };
  if (run.ending) {
    soonest(run.ends_s);
  } else {
    if (!run.joined) soonest(run.ends_s);
    if (run.deadline_s > 0) soonest(run.deadline_s);
    if (run.kill_at_s > 0) soonest(run.kill_at_s);
    if (const auto speed = speed_of(run); run.entered && speed > 0) soonest(now + (target_of(run) - run.done) / speed);
  }
  ++run.alarm;
  if (next < HUGE_VAL)
    system_.clock().schedule_message(
        system_.clock().now() + ceil_delay(next - now), caf::actor_cast<caf::strong_actor_ptr>(alarms_),
        caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, Alarm{id, run.alarm}));
}

std::filesystem::path SimulatedExecutor::weights_of(const Run& run, std::uint64_t steps) {
  const auto& lease = run.what.lease;
  const auto bytes = lease.spec->sleep.checkpoint_bytes;
  if (bytes == 0 || steps == 0) return {};
  return simulated_weights("job " + std::to_string(lease.fork.job.value) + " lease " + std::to_string(lease.id.value) +
                               " steps " + std::to_string(steps) + " from " + lease.base.weights.hash,
                           bytes);
}

void SimulatedExecutor::tell_saved(Run& run) {
  run.save_at.reset();
  const auto steps = static_cast<std::uint64_t>(floor_steps(run.done));
  executor_event::Saved saved;
  saved.lease = run.what.lease.id;
  saved.steps = steps;
  saved.samples = steps * run.what.lease.spec->batch_size;
  saved.weights = weights_of(run, steps);
  saved.train_s = now_s() - run.entered_s;
  sink_(std::move(saved));
}

void SimulatedExecutor::begin_end(LeaseId id, LeaseEndReason reason, double steps, const std::string& detail) {
  auto& run = runs_.at(id);
  executor_event::Ended ended;
  ended.lease = id;
  ended.end = reason;
  ended.steps = static_cast<std::uint64_t>(steps);
  ended.samples = ended.steps * run.what.lease.spec->batch_size;
  ended.train_s = run.entered ? now_s() - run.entered_s : 0;
  ended.detail = detail;
  const bool saves = reason != LeaseEndReason::kFailed && ended.steps > 0;
  if (saves) ended.weights = weights_of(run, ended.steps);
  run.ending = std::move(ended);
  run.ends_s = now_s() + (saves ? run.costs.save_s : 0);
  look(id);
}

void SimulatedExecutor::end(LeaseId id) {
  auto ended = *std::move(runs_.at(id).ending);
  runs_.erase(id);
  sink_(std::move(ended));
}

void SimulatedExecutor::extend(LeaseId lease, std::uint64_t quota_steps, double train_for_s) {
  const auto found = runs_.find(lease);
  if (found == runs_.end() || found->second.ending) return;
  auto& run = found->second;
  advance(run);
  run.what.lease.quota_steps = quota_steps;
  run.deadline_s = train_for_s > 0 ? now_s() + train_for_s : 0;
  look(lease);
}

void SimulatedExecutor::save(LeaseId lease) {
  const auto found = runs_.find(lease);
  if (found == runs_.end() || found->second.ending) return;
  advance(found->second);
  found->second.save_at = floor_steps(found->second.done) + 1;
  look(lease);
}

void SimulatedExecutor::stop(LeaseId lease, double limit_s) {
  const auto found = runs_.find(lease);
  if (found == runs_.end() || found->second.ending) return;
  advance(found->second);
  found->second.stop_at = std::ceil(found->second.done - kWhole);
  found->second.kill_at_s = now_s() + limit_s;
  look(lease);
}

void SimulatedExecutor::kill(LeaseId lease) {
  if (runs_.erase(lease) == 0) return;
  executor_event::Ended ended;
  ended.lease = lease;
  ended.end = LeaseEndReason::kLost;
  ended.detail = "killed";
  sink_(std::move(ended));
}

Result<LogPart> SimulatedExecutor::read_log(ForkId, std::uint64_t, std::uint32_t) {
  return fail(ErrorCode::kNotFound, "log: simulated trainers write none");
}

void SimulatedExecutor::set_factor(double factor) {
  std::vector<LeaseId> ids;
  for (auto& [id, run] : runs_) {
    if (run.ending) continue;
    advance(run);
    ids.push_back(id);
  }
  factor_ = factor;
  for (auto id : ids) look(id);
}

}  // namespace hadar
