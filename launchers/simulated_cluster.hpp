// A whole cluster in virtual time: the same actors as in live processes, linked in memory, on CAF's testing scheduler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/policy/policy.hpp"
#include "launchers/simulated_event_log.hpp"
#include "launchers/simulated_executor.hpp"
#include "launchers/simulated_link.hpp"
#include "messages/types/control.hpp"
#include "messages/types/throughput.hpp"
#include "runtime/config/process_config.hpp"

namespace hadar {

struct SimulatedClusterOptions {
  std::uint64_t seed = 1;
  bool shuffle = false;  // actors that have messages take turns by the seed instead of in order
  SchedulerOptions scheduler;
  PolicySettings policy;
  PriceOptions prices;
  std::function<Result<std::unique_ptr<Policy>>()> make_policy;  // instead of `scheduler.policy` by its name
  TrackerOptions tracker;                                        // its table is `throughputs`
  ThroughputTable throughputs;                                   // speeds of jobs that do not declare their own
  PairTable pairs;                                               // speeds of two jobs on the same GPUs
  // As the public Gavel simulator of 2022: rounds close when all leases have ended, speeds are the declared ones
  // whatever is measured and wherever a gang lies, and SimulatedTrainers::gavel_2022. For policies with the same compat
  // setting.
  bool gavel_2022 = false;
  std::vector<NodeInventory> nodes;
  double link_delay_s = 0;                            // mean delay of a message between processes
  double silence_s = 1;                               // a cut link goes unnoticed this long
  double load_s = 0;                                  // a trainer's start
  double save_s = 0;                                  // a trainer's writing of weights at a lease's end
  std::function<TrainerCosts(const JobSpec&)> costs;  // the same per job; set: counts instead of the two above
  double noise = 0;                                   // spread of the log-normal factor each lease's speed gets
  std::optional<double> merge_efficiency;  // what merges keep of slower forks' steps; set: trainers measure their loss
  double spread_factor = 1;                // speed of a gang over several nodes where the table says nothing of it
  double coalesce_s = 0.01;                // changes within share one early replan; 0 = those of the same instant
  bool keep_events = true;                 // false: events() stays empty, and the tracker cannot restart
  EventObserver observer;                  // told of each event as it is written
  std::function<void(double)> planned;     // told what each plan took on this machine, in seconds
  // Gets each round's input and plan.
  std::function<void(const RoundInput&, const RoundPlan&, const std::string& policy)> archive;
};

enum class SimulatedRole { kScheduler, kTracker };

// Everything follows from the options and the calls made: the same ones give the same bytes of events. Times are
// cluster time in seconds, which is the virtual clock. Not thread-safe; no other thread may touch its actors.
class SimulatedCluster {
 public:
  // Tracker, scheduler and all nodes start at 0. kNotFound or kInvalidArgument as make_policy.
  static Result<std::unique_ptr<SimulatedCluster>> start(const SimulatedClusterOptions& options);
  ~SimulatedCluster();

  [[nodiscard]] double now_s() const;

  // Runs `action` at `t_s`, once `after_messages` messages more have been handled or a second has passed; now when
  // `t_s` is over.
  void at(double t_s, std::function<void()> action, std::uint64_t after_messages = 0);

  // A client that asks again until the tracker has the job. Its answer is not kept: a refused job never is in the log.
  void submit(const JobSpec& spec, double t_s, bool keep_infeasible = false);
  // Asked once; without a word when the one who must know is down.
  void command(const CommandJob& command);
  void command(const CommandNode& command);

  // ---- faults; each has no effect when things are so already ----

  // The machine is gone: its actor, its trainers, its cache. A restart is a new incarnation.
  void kill_node(const NodeName& node);
  void restart_node(const NodeName& node);
  // The tracker comes back with its event log and its blobs, the scheduler with nothing.
  void kill(SimulatedRole role);
  void restart(SimulatedRole role);
  // Between a node and a role, or between the two roles.
  void cut_link(const NodeName& node, SimulatedRole role);
  void heal_link(const NodeName& node, SimulatedRole role);
  void cut_roles();
  void heal_roles();
  // Its trainers run at this part of their speed; 0 = they hang.
  void slow_node(const NodeName& node, double factor);
  // What happens to messages between processes from now on; delays count on top of `link_delay_s`.
  void disturb_links(const LinkTrouble& trouble);
  // The same for messages between the two roles only.
  void disturb_roles(const LinkTrouble& trouble);

  // ---- running ----

  void run_until(double t_s);
  // Until every job submitted so far or later by submit() has ended. False when `limit_s` came first.
  bool run_until_ended(double limit_s);
  // Whether they have.
  [[nodiscard]] bool all_ended() const;

  // The event log, and the same as the lines `hadar events --json` prints.
  [[nodiscard]] const std::vector<Event>& events() const;
  [[nodiscard]] std::string event_lines() const;
  // What no log can tell: GPUs that two trainers used at once, actors that kept each other busy without end.
  [[nodiscard]] std::vector<std::string> violations() const;

 private:
  struct Parts;
  explicit SimulatedCluster(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace hadar
