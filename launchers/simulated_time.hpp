// An actor system on CAF's testing scheduler, and what is to happen to it when.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "launchers/simulated_link.hpp"

namespace caf::scheduler {
class test_coordinator;
}

namespace hadar {

// Runs actors one message at a time, and jumps from timer to timer. Everything on the caller's thread.
class SimulatedTime {
 public:
  // With `shuffle`, `seed` says which of the actors that have messages goes next.
  SimulatedTime(std::uint64_t seed, bool shuffle);
  // Actors must have been killed; waits for no one.
  ~SimulatedTime();

  [[nodiscard]] caf::actor_system& system() { return *system_; }
  [[nodiscard]] double now_s() const;

  // Runs `action` at `t_s`, after that many messages more or a second later, whichever comes first; actions of one time
  // in the order they were given.
  void at(double t_s, std::function<void()> action, std::uint64_t after_messages = 0);

  // Forgets all actions that have not run.
  void forget_actions();

  // Until `stop` says so (true) or `limit_s` has come (false). `stop` is asked when no message waits.
  bool run(double limit_s, const std::function<bool()>& stop);
  // Handles the messages that wait now.
  void drain();
  // Actors kept each other busy without time passing; nothing runs any more.
  [[nodiscard]] bool stuck() const { return stuck_; }

 private:
  void run_due();
  void wait_for_messages(std::function<void()> action, std::uint64_t count);

  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::scheduler::test_coordinator* scheduler_;
  SimulatedChance chance_;
  bool shuffle_;
  bool stuck_ = false;
  std::uint64_t handled_ = 0;
  std::multimap<double, std::pair<std::function<void()>, std::uint64_t>> actions_;  // by time
  std::multimap<std::uint64_t, std::function<void()>> counted_;                     // by messages handled
};

}  // namespace hadar
