// What every role of one process shares: actors, links, logs, and the handles of other roles, here or elsewhere.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "actors/handles.hpp"
#include "messages/types/result.hpp"
#include "runtime/bridge/bridge.hpp"
#include "runtime/config/process_config.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/transport/zmq_transport.hpp"

namespace hadar {

// The actors of this process that others may need; those of roles that are not here stay empty.
struct LocalActors {
  MembershipActor membership;
  LeaseKeeperActor lease_keeper;
  RoundFlowActor round_flow;
  PriceOracleActor price_oracle;
  PolicyActor policy;
  JobLedgerActor ledger;
  ForkTrackerActor fork_tracker;
  ThroughputBookActor throughput_book;
  BlobKeeperActor blob_keeper;
  NodeWorkerActor node_worker;
  GatewayActor gateway;
  HealthActor health;
  ConsolidatorActor consolidator;
  BlobCourierActor courier;
};

// One process of a cluster: an actor system, its bridge and its transport. Roles add their actors between the
// constructor and open(). Not thread-safe but for peers().
class Process {
 public:
  Process(ProcessConfig config, std::shared_ptr<Logger> logger);
  ~Process();

  [[nodiscard]] const ProcessConfig& config() const { return config_; }
  [[nodiscard]] caf::actor_system& system() { return *system_; }
  [[nodiscard]] Bridge& bridge() { return *bridge_; }
  [[nodiscard]] Logger& log() { return *logger_; }
  [[nodiscard]] std::shared_ptr<Logger> shared_log() const { return logger_; }
  [[nodiscard]] LocalActors& local() { return local_; }
  [[nodiscard]] std::uint64_t incarnation() const { return incarnation_; }
  [[nodiscard]] bool has_role(const std::string& role) const;

  // This process's actor of a role, or a proxy to whichever peer has the role.
  template <class Handle>
  Handle find(Handle LocalActors::*here, const std::string& role, ActorKey key) {
    if (local_.*here) return local_.*here;
    return bridge_->proxy_to_role<Handle>(role, key, proxy_options_);
  }

  // Binds, connects to the peers the configuration names, and lets requests in. Errors as open_zmq_transport.
  Status open();
  // Where others reach this process.
  [[nodiscard]] const std::string& endpoint() const { return transport_->endpoint(); }
  // What the transport, the bridge and the logger count.
  [[nodiscard]] std::map<std::string, std::uint64_t> counters() const;
  // A refusal by a peer, when one came: the process must give up. Thread-safe.
  [[nodiscard]] std::optional<Error> refusal() const;

 private:
  void peer_up(const PeerInfo& peer);
  void peer_down(const std::string& name, const Error& why);
  void learn_directory(const PeerInfo& peer);
  void connect_once(const std::string& endpoint);

  ProcessConfig config_;
  std::shared_ptr<Logger> logger_;
  std::uint64_t incarnation_;
  ProxyOptions proxy_options_;
  caf::actor_system_config caf_config_;
  std::unique_ptr<caf::actor_system> system_;
  LocalActors local_;
  std::unique_ptr<Bridge> bridge_;
  std::unique_ptr<ZmqTransport> transport_;
  mutable std::mutex mutex_;
  std::map<std::string, std::set<std::string>> roles_of_;  // of peers that are up
  std::set<std::string> connected_;                        // endpoints asked for
  std::optional<Error> refusal_;
};

// The roles, one function each: they spawn their actors into `process.local()` and serve them. What they return must
// live as long as the process's actors.
Result<std::shared_ptr<void>> add_tracker_role(Process& process);
Result<std::shared_ptr<void>> add_oracle_role(Process& process);
Result<std::shared_ptr<void>> add_policy_role(Process& process);
Result<std::shared_ptr<void>> add_scheduler_role(Process& process);
Result<std::shared_ptr<void>> add_node_role(Process& process);
Result<std::shared_ptr<void>> add_gateway_role(Process& process);

// Tells actors that share a process of each other, once all roles are there.
void join_local_roles(Process& process);

}  // namespace hadar
