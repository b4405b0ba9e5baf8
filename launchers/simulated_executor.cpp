#include "launchers/simulated_executor.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <cmath>

#include "actors/message_types.hpp"
#include "launchers/simulated_blobs.hpp"
#include "messages/types/lease_sharing.hpp"

namespace hadar {
namespace {

struct Alarm {};

constexpr double kWhole = 1e-6;  // steps this close to a whole number are whole

double floor_steps(double steps) {
  return std::floor(steps + kWhole);
}

// Virtual nanoseconds fit in 63 bits for 292 years; nothing is run for as long as this.
std::chrono::nanoseconds ceil_delay(double seconds) {
  constexpr double kFar_s = 4e9;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::ceil(std::clamp(seconds, 0.0, kFar_s) * 1e9)));
}

}  // namespace
}  // namespace hadar

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::Alarm)

namespace hadar {

SimulatedExecutor::SimulatedExecutor(caf::actor_system& system, NodeName node,
                                     std::shared_ptr<SimulatedTrainers> shared)
    : system_(system), node_(std::move(node)), shared_(std::move(shared)) {
  alarms_ = system.spawn([this]() -> caf::behavior {
    return {[this](const Alarm&) {
      if (!gone_) alarm();
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
  SimulatedTrainers::Member all{static_cast<std::uint32_t>(lease.gpus.size()), run.slowest, run.sum, {}};
  if (lease.gpus.size() < lease.gang.world_size) {
    const auto gang = shared_->gangs.find(lease.gang.rendezvous);
    if (gang == shared_->gangs.end()) return 0;
    all = {0, HUGE_VAL, 0, {}};
    for (const auto& [id, member] : gang->second) {
      all.gpus += member.gpus;
      all.slowest = std::min(all.slowest, member.slowest);
      all.sum += member.sum;
    }
    if (all.gpus < lease.gang.world_size) return 0;
  }
  return (lease.spec->proportional_batch ? all.sum / all.gpus : all.slowest) * run.noise * factor_;
}

// ---- two jobs on the same GPUs ----

SimulatedExecutor::Run* SimulatedExecutor::partner_of(const Run& run) {
  const auto& lease = run.what.lease;
  for (auto& [id, other] : runs_)
    if (id != lease.id && may_share(other.what.lease, lease)) return &other;
  return nullptr;
}

void SimulatedExecutor::set_speeds(Run& run) {
  const auto& lease = run.what.lease;
  const auto* partner = partner_of(run);
  const bool spread = lease.gpus.size() < lease.gang.world_size && !shared_->gavel_2022;
  run.slowest = HUGE_VAL;
  run.sum = 0;
  for (const auto& type : lease.gpu_types) {
    auto speed = shared_->speed(*lease.spec, type, spread);
    if (partner != nullptr) {
      const auto together = shared_->pair_speed ? shared_->pair_speed(*lease.spec, *partner->what.lease.spec, type)
                                                : std::array<double, 2>{0, 0};
      speed = together[0] > 0 ? together[0] : speed / 2;
    }
    run.slowest = std::min(run.slowest, speed);
    run.sum += speed;
  }
}

// Its partner came or went: what it did so far was at the old speed.
void SimulatedExecutor::partner_changed(Run& run) {
  if (!run.ending) advance(run);
  set_speeds(run);
  const auto& lease = run.what.lease;
  const auto gang = shared_->gangs.find(lease.gang.rendezvous);
  if (lease.gpus.size() >= lease.gang.world_size || gang == shared_->gangs.end() || !run.joined) return look(lease.id);
  auto& member = gang->second[lease.id];
  member.slowest = run.slowest;
  member.sum = run.sum;
  const auto members = gang->second;
  for (const auto& [id, other] : members) other.look();
}

void SimulatedExecutor::leave(LeaseId id) {
  auto node = runs_.extract(id);
  const auto& lease = node.mapped().what.lease;
  if (shared_->gavel_2022)
    for (const auto gpu : lease.gpus) last_on_[gpu] = lease.fork.job;
  if (auto* partner = partner_of(node.mapped())) partner_changed(*partner);
}

bool SimulatedExecutor::stays(const Lease& lease) const {
  return std::all_of(lease.gpus.begin(), lease.gpus.end(), [&](std::uint32_t gpu) {
    const auto last = last_on_.find(gpu);
    return last != last_on_.end() && last->second == lease.fork.job;
  });
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
  gang[lease.id] = {static_cast<std::uint32_t>(lease.gpus.size()), run.slowest, run.sum, [this, id = lease.id] {
                      if (!gone_ && runs_.count(id)) look(id);
                    }};
  if (speed_of(run) == 0) return;  // others are still to come
  const auto members = gang;
  for (const auto& [id, member] : members)
    if (id != lease.id) member.look();
}

void SimulatedExecutor::start(LeaseRun what) {
  if (gone_) return;
  const auto id = what.lease.id;
  for (const auto& [other, run] : runs_)
    if (overlap(run.what.lease.gpus, what.lease.gpus) && !may_share(run.what.lease, what.lease))
      shared_->violations.push_back(node_ + ": a GPU is started on for lease " + std::to_string(id.value) +
                                    " while lease " + std::to_string(other.value) + " trains there");
  auto& run = runs_[id];
  run.what = std::move(what);
  const auto& lease = run.what.lease;
  set_speeds(run);
  if (shared_->noise) run.noise = shared_->noise(lease.id);
  if (shared_->learnt) run.learnt = shared_->learnt->of(lease.fork.job);
  run.costs = shared_->costs(*lease.spec);
  if (stays(lease)) run.costs.load_s = 0;
  run.since_s = now_s();
  if (lease.train_for_s > 0) run.deadline_s = now_s() + lease.train_for_s;
  run.ends_s = now_s() + run.costs.load_s;
  if (auto* partner = partner_of(run)) partner_changed(*partner);
  look(id);
}

// In Gavel's simulator steps are split over a gang's GPUs, and the whole task fails when one of them gets none; the two
// jobs of a pair are one task.
void SimulatedExecutor::end_at_quota(LeaseId id, double steps) {
  auto& run = runs_.at(id);
  const auto thin = [](const Run& of) { return of.what.lease.quota_steps < of.what.lease.gang.world_size; };
  const auto* partner = shared_->gavel_2022 ? partner_of(run) : nullptr;
  run.thin_pair = run.thin_pair || (partner != nullptr && (thin(run) || thin(*partner)));
  if (partner != nullptr && !partner->ending &&
      partner->done + kWhole < static_cast<double>(partner->what.lease.quota_steps))
    return;  // waits for the other, whose end brings us back
  if (run.thin_pair) return begin_end(id, LeaseEndReason::kRevoked, 0, "a GPU of the pair has no step");
  if (shared_->gavel_2022 && thin(run))  // one failure, however many nodes the gang is on
    return begin_end(id, run.what.lease.gang.rank == 0 ? LeaseEndReason::kFailed : LeaseEndReason::kRevoked, 0,
                     "a GPU of its gang has no step");
  begin_end(id, LeaseEndReason::kQuota, steps, "");
}

// What is due happens; then the next alarm is set.
void SimulatedExecutor::look(LeaseId id) {
  auto& run = runs_.at(id);
  const auto now = now_s();
  if (run.ending) {
    if (now + 1e-9 >= run.ends_s) return end(id);
    return look_again(run);
  }
  advance(run);
  if (!run.entered) {
    if (!run.joined && now + 1e-9 >= run.ends_s) join(run);
    if (run.joined && speed_of(run) > 0) {
      run.entered = true;
      run.entered_s = now;
    }
  }
  const auto steps = floor_steps(run.done);
  if (run.entered && steps >= crash_of(run)) {
    shared_->crashed.insert(run.what.lease.fork.job);
    return begin_end(id, LeaseEndReason::kFailed, 0, "exit code 1");
  }
  if (steps >= static_cast<double>(run.what.lease.quota_steps)) return end_at_quota(id, steps);
  if (run.stop_at && (!run.entered || steps >= *run.stop_at)) return begin_end(id, LeaseEndReason::kRevoked, steps, "");
  if (run.deadline_s > 0 && now + 1e-9 >= run.deadline_s) return begin_end(id, LeaseEndReason::kDeadline, steps, "");
  if (run.kill_at_s > 0 && now + 1e-9 >= run.kill_at_s)
    return begin_end(id, LeaseEndReason::kFailed, 0, "did not stop in time");
  if (run.save_at && run.entered && steps >= *run.save_at) tell_saved(run);
  look_again(run);
}

void SimulatedExecutor::look_again(Run& run) {
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
  run.next = next < HUGE_VAL ? system_.clock().now() + ceil_delay(next - now) : caf::actor_clock::time_point::max();
  set_alarm();
}

// None is set while one comes earlier anyway: leases that are looked at often or end early leave none behind.
void SimulatedExecutor::set_alarm() {
  auto next = caf::actor_clock::time_point::max();
  for (const auto& [id, run] : runs_) next = std::min(next, run.next);
  if (next == caf::actor_clock::time_point::max() || (!alarms_set_.empty() && alarms_set_.back() <= next)) return;
  alarms_set_.push_back(next);
  system_.clock().schedule_message(next, caf::actor_cast<caf::strong_actor_ptr>(alarms_),
                                   caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, Alarm{}));
}

void SimulatedExecutor::alarm() {
  alarms_set_.pop_back();
  const auto now = system_.clock().now();
  std::vector<LeaseId> due;
  for (const auto& [id, run] : runs_)
    if (run.next <= now) due.push_back(id);
  for (const auto id : due) {
    const auto run = runs_.find(id);
    if (run == runs_.end() || run->second.next > now) continue;
    run->second.next = caf::actor_clock::time_point::max();
    look(id);
  }
  set_alarm();
}

std::filesystem::path SimulatedExecutor::weights_of(const Run& run, std::uint64_t steps) {
  const auto& lease = run.what.lease;
  const auto bytes = lease.spec->sleep.checkpoint_bytes;
  if (bytes == 0 || steps == 0) return {};
  return simulated_weights("job " + std::to_string(lease.fork.job.value) + " lease " + std::to_string(lease.id.value) +
                               " steps " + std::to_string(steps) + " from " + lease.base.weights.hash,
                           bytes);
}

Metrics SimulatedExecutor::metrics_of(const Run& run, std::uint64_t steps) const {
  if (!shared_->learnt || steps == 0) return {};
  return {{"loss", simulated_loss(*run.what.lease.spec, run.learnt + static_cast<double>(steps))}};
}

void SimulatedExecutor::tell_saved(Run& run) {
  run.save_at.reset();
  const auto steps = static_cast<std::uint64_t>(floor_steps(run.done));
  executor_event::Saved saved;
  saved.lease = run.what.lease.id;
  saved.steps = steps;
  saved.samples = steps * run.what.lease.spec->batch_size;
  saved.weights = weights_of(run, steps);
  saved.metrics = metrics_of(run, steps);
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
  if (saves) {
    ended.weights = weights_of(run, ended.steps);
    ended.metrics = metrics_of(run, ended.steps);
  }
  run.ending = std::move(ended);
  run.ends_s = now_s() + (saves ? run.costs.save_s : 0);
  look(id);
}

void SimulatedExecutor::end(LeaseId id) {
  auto ended = *std::move(runs_.at(id).ending);
  leave(id);
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
  if (runs_.count(lease) == 0) return;
  leave(lease);
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
