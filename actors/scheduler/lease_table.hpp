// Which GPUs of which nodes are under which lease. Pure.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/local_messages.hpp"
#include "messages/types/cluster.hpp"
#include "messages/types/lease.hpp"

namespace hadar {

enum class LeasePhase {
  kUnknown,
  kPreparing,
  kRunning,
  kRevoking,
  kOver,  // its GPUs are free; its node still owes the tracker a report
};

class LeaseTable {
 public:
  // Open leases of an earlier term: unknown until their node says hello.
  void restore(const std::vector<Lease>& leases);
  void set_nodes(const NodeTable& table);

  // Enters leases as preparing. Those whose GPUs are not idle, or whose node is not up, are refused.
  std::vector<RefusedLease> begin(const std::vector<Lease>& leases);
  void commit(LeaseId lease);
  // Its node says that its GPUs are free. False when that is not news, or the lease is not there.
  bool over(LeaseId lease);
  // Forgets a lease; true when it was there.
  bool end(LeaseId lease);
  // Marks as being taken back; false when it is not open or over.
  bool revoke(LeaseId lease);
  [[nodiscard]] bool revoking(LeaseId lease) const;
  void lengthen(LeaseId lease, std::uint64_t quota_steps);

  // What a node that says hello holds, against what the table says: sets phases, lists in `lost` the leases the node
  // does not know of.
  NodeReconciled reconcile(const ReconcileNode& hello, Epoch epoch, std::vector<LeaseId>& lost);

  // Leases on a node that are not reported; those of the same gang elsewhere.
  [[nodiscard]] std::vector<LeaseId> on_node(const NodeName& node) const;
  [[nodiscard]] std::vector<LeaseId> gang_of(LeaseId lease) const;
  [[nodiscard]] const Lease* find(LeaseId lease) const;
  [[nodiscard]] Epoch epoch_of(const NodeName& node) const;

  // The node table with idle GPUs and leases filled in. Costs what changed since the last call, unless someone still
  // holds the last answer.
  [[nodiscard]] CapacityPtr view();

 private:
  struct Entry {
    std::shared_ptr<const Lease> lease;
    LeaseId gang;
    LeasePhase phase = LeasePhase::kUnknown;
  };
  struct Node {
    NodeView view;             // as membership gives it; idle GPUs and leases are left empty
    bool known = false;        // false: only leases name it
    std::set<LeaseId> leases;  // in any phase
  };
  using Leases = std::map<LeaseId, Entry>;

  void enter(const Lease& lease, LeaseId gang, LeasePhase phase);
  void erase(Leases::iterator entry);
  void set_phase(Leases::iterator entry, LeasePhase phase);
  template <class Change>
  void change(Entry& entry, Change how);
  [[nodiscard]] std::vector<std::uint32_t> idle_on(const Node& node) const;
  [[nodiscard]] bool grantable(const Node& node, const Lease& lease) const;
  [[nodiscard]] NodeView shown(const Node& node) const;
  void refresh_nodes();
  void refresh_open();

  Leases leases_;
  std::map<NodeName, Node> nodes_;
  std::map<LeaseId, std::set<LeaseId>> gangs_;  // by the first of those granted together for one fork
  std::shared_ptr<CapacityViewed> view_;        // the last answer
  std::set<NodeName> changed_nodes_;            // since then
  bool nodes_changed_ = true;                   // their set
  std::set<std::pair<ForkId, LeaseId>> changed_open_;
};

}  // namespace hadar
