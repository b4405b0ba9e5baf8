// What a simulated cluster is made of. Internal to it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/handles.hpp"
#include "actors/node/node_worker_actor.hpp"
#include "launchers/simulated_blobs.hpp"
#include "launchers/simulated_cluster.hpp"
#include "launchers/simulated_event_log.hpp"
#include "launchers/simulated_executor.hpp"
#include "launchers/simulated_time.hpp"

namespace hadar {

// One link and who hears of its ups and downs.
struct SimulatedLine {
  std::unique_ptr<SimulatedLink> link;
  std::function<bool()> ends_alive;
  std::function<void()> on_up;
  std::function<void()> on_down;
  bool cut = false;
  std::uint64_t cuts = 0;
};

struct SimulatedNode {
  NodeInventory inventory;
  std::uint64_t incarnation = 0;
  bool alive = false;
  double factor = 1;
  std::array<SimulatedLine, 2> lines;  // by role
  NodeWorkerActor from_scheduler;      // the worker, over the line
  NodeWorkerPeers peers;               // its view of the roles
  BlobKeeperActor blob_keeper;
  LocalNodeWorker worker;
  std::shared_ptr<SimulatedExecutor> executor;
};

inline std::size_t index_of(SimulatedRole role) {
  return role == SimulatedRole::kScheduler ? 0 : 1;
}

struct SimulatedCluster::Parts {
  explicit Parts(const SimulatedClusterOptions& given);

  SimulatedClusterOptions options;
  SimulatedTime time;
  std::shared_ptr<SimulatedTrainers> trainers = std::make_shared<SimulatedTrainers>();
  std::shared_ptr<SimulatedEventLog> log;
  std::shared_ptr<SimulatedBlobs> blobs;
  SimulatedChance chance;

  std::array<bool, 2> role_alive{};
  SimulatedLine roles_line;
  JobLedgerActor ledger_from_scheduler;
  RoundFlowActor round_flow_from_tracker;
  std::map<NodeName, SimulatedNode> nodes;
  std::vector<std::shared_ptr<SimulatedExecutor>> executors;  // all there ever were

  JobLedgerActor ledger;
  ForkTrackerActor fork_tracker;
  ThroughputBookActor throughput_book;
  BlobKeeperActor blob_keeper;
  ConsolidatorActor consolidator;
  MembershipActor membership;
  LeaseKeeperActor lease_keeper;
  RoundFlowActor round_flow;
  PriceOracleActor price_oracle;
  PolicyActor policy;
  PolicyTraits traits;  // of the policy
  bool policy_looks_at_time = true;
  std::uint64_t scheduler_incarnation = 0;

  std::uint64_t submissions = 0;
  std::uint64_t unanswered = 0;
  std::uint64_t rendezvous = 0;

  // ---- actors ----

  Status spawn_planners();
  void spawn_tracker();
  void spawn_scheduler();
  void spawn_node(SimulatedNode& node);
  void end_node(SimulatedNode& node);
  void end_scheduler();
  void end_tracker();
  void end_planners();

  // ---- lines ----

  void join_roles();
  void join_node(SimulatedNode& node);
  void break_line(SimulatedLine& line);
  void restore_line(SimulatedLine& line);
  void cut_line(SimulatedLine& line);
  void heal_line(SimulatedLine& line);
  template <class Change>
  void each_line(Change change) {
    change(roles_line);
    for (auto& [name, node] : nodes)
      for (auto& line : node.lines) change(line);
  }
  template <class Change>
  void each_line_of(SimulatedRole role, Change change) {
    change(roles_line);
    for (auto& [name, node] : nodes) change(node.lines[index_of(role)]);
  }

  // ---- the client ----

  void ask(const std::shared_ptr<const SubmitJob>& request);
  [[nodiscard]] bool all_ended() const { return unanswered == 0 && log->jobs_open() == 0; }

 private:
  std::unique_ptr<SimulatedLink> make_link();
};

}  // namespace hadar
