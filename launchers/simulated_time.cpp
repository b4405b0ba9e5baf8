#include "launchers/simulated_time.hpp"

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <cmath>

namespace hadar {
namespace {

constexpr double kWaitMax_s = 1;
constexpr std::uint64_t kBurstMax = 1000000;  // messages without time passing

caf::actor_clock::time_point point_of(double t_s) {
  return caf::actor_clock::time_point(std::chrono::nanoseconds(static_cast<std::int64_t>(std::llround(t_s * 1e9))));
}

}  // namespace

SimulatedTime::SimulatedTime(std::uint64_t seed, bool shuffle) : chance_(seed), shuffle_(shuffle) {
  config_.set("scheduler.policy", caf::atom("testing"));
  system_ = std::make_unique<caf::actor_system>(config_);
  system_->await_actors_before_shutdown(false);
  scheduler_ = &dynamic_cast<caf::scheduler::test_coordinator&>(system_->scheduler());
}

// A timer keeps the actor it is for, and the system waits for its actors: no timer may be left.
SimulatedTime::~SimulatedTime() {
  forget_actions();
  while (scheduler_->try_run_once() || scheduler_->trigger_timeout()) {
  }
}

double SimulatedTime::now_s() const {
  return std::chrono::duration<double>(scheduler_->clock().now().time_since_epoch()).count();
}

void SimulatedTime::at(double t_s, std::function<void()> action, std::uint64_t after_messages) {
  actions_.emplace(std::max(t_s, now_s()), std::pair{std::move(action), after_messages});
}

void SimulatedTime::forget_actions() {
  actions_.clear();
  counted_.clear();
}

void SimulatedTime::run_due() {
  while (!counted_.empty() && counted_.begin()->first <= handled_) {
    const auto action = std::move(counted_.begin()->second);
    counted_.erase(counted_.begin());
    action();
  }
}

void SimulatedTime::wait_for_messages(std::function<void()> action, std::uint64_t count) {
  const auto once = [action = std::move(action), done = std::make_shared<bool>(false)] {
    if (!std::exchange(*done, true)) action();
  };
  counted_.emplace(handled_ + count, once);
  if (count > 0) at(now_s() + kWaitMax_s, once);
}

void SimulatedTime::drain() {
  auto& jobs = scheduler_->jobs;
  const auto limit = handled_ + kBurstMax;
  run_due();
  while (!jobs.empty() && !stuck_) {
    if (shuffle_) std::swap(jobs.front(), jobs[chance_.below(jobs.size())]);
    scheduler_->run_once();
    stuck_ = ++handled_ > limit;
    run_due();
  }
}

bool SimulatedTime::run(double limit_s, const std::function<bool()>& stop) {
  auto& clock = scheduler_->clock();
  const auto limit = point_of(limit_s);
  while (!stuck_) {
    drain();
    if (stop && stop()) return true;
    const auto never = caf::actor_clock::time_point::max();
    const auto timer = clock.schedule().empty() ? never : clock.schedule().begin()->first;
    const auto action = actions_.empty() ? never : point_of(actions_.begin()->first);
    if (std::min(timer, action) > limit) break;
    if (timer < action) {
      scheduler_->trigger_timeout();
      continue;
    }
    clock.current_time = std::max(clock.current_time, action);
    auto [what, after_messages] = std::move(actions_.begin()->second);
    actions_.erase(actions_.begin());
    wait_for_messages(std::move(what), after_messages);
  }
  clock.current_time = std::max(clock.current_time, limit);
  return false;
}

}  // namespace hadar
