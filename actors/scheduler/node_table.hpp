// Which nodes there are, in what state, under which epoch. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/local_messages.hpp"
#include "messages/types/event.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct NodeTableOptions {
  double dead_after_s = 10;      // a link down that long makes a node lost
  double waiting_window_s = 10;  // the same for nodes known from an earlier term
};

// What a hello led to.
struct HelloOutcome {
  Epoch epoch;
  bool changed = false;  // NodeUp is to be written down
};

class NodeTableState {
 public:
  explicit NodeTableState(NodeTableOptions options) : options_(options) {}

  void restore(const std::vector<NodeView>& nodes, double now_s);

  // A hello from a node whose link is up. kInvalidArgument for an inventory without GPUs.
  Result<HelloOutcome> hello(const NodeHello& hello, double now_s);
  void link_down(const NodeName& node, const std::string& why, double now_s);

  // Nodes whose time is over: now lost, under a new epoch.
  std::vector<NodeGone> declare_lost(double now_s);
  // When declare_lost() may have something next.
  [[nodiscard]] std::optional<double> next_deadline_s() const;

  // Changes by an operator; gives the fact to be written down. An undrained node offers its GPUs from undrain() on.
  Result<EventBody> command(const CommandNode& command, double now_s);
  // That a node is undrained is written down; nothing when it is being drained anew.
  void undrain(const NodeName& name, double now_s);
  // Draining nodes whose last lease is gone become drained; gives the facts.
  std::vector<EventBody> finish_drains(const std::vector<NodeView>& with_leases, double now_s);
  // Draining nodes whose deadline has passed, once each.
  std::vector<NodeName> overdue_drains(double now_s);
  [[nodiscard]] bool draining() const;

  [[nodiscard]] NodeTable table() const;

 private:
  struct Node {
    NodeView view;
    bool linked = false;
    bool drain = false;  // stays so through losses and restarts of the node
    bool drained = false;
    std::string drain_reason;
    double drain_deadline_s = 0;  // 0 = none
    bool overdue = false;         // it has passed, and that was told
    bool undrain_asked = false;   // not written down yet
    double lost_at_s = 0;         // when a down link makes it lost; 0 = not counting
  };
  static void show(Node& node, double now_s);

  NodeTableOptions options_;
  std::map<NodeName, Node> nodes_;
};

}  // namespace hadar
