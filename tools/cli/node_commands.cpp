#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "messages/codec/client_codec.hpp"
#include "messages/codec/node_codec.hpp"
#include "messages/codec/round_codec.hpp"
#include "tools/cli/client.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/json_views.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

constexpr double kDrainPollS = 0.25;

std::uint32_t total_gpus(const NodeView& node) {
  return std::accumulate(node.inventory.gpus.begin(), node.inventory.gpus.end(), 0U,
                         [](std::uint32_t sum, const GpuGroup& group) { return sum + group.count; });
}

std::string nodes_table(const NodeList& list) {
  Table table({"NODE", "STATE", "GPUS", "IDLE", "LEASES", "REASON"});
  std::uint32_t total = 0;
  std::uint32_t idle = 0;
  for (const auto& node : list.nodes) {
    const bool up = node.state == NodeState::kUp;
    table.add({node.inventory.name, name_of(node.state), gpus_text(node.inventory.gpus),
               up ? std::to_string(node.idle_gpus.size()) : "-", std::to_string(node.leases.size()), node.reason});
    total += total_gpus(node);
    idle += static_cast<std::uint32_t>(node.idle_gpus.size());
  }
  return table.text() + fmt::format("{} nodes, {} GPUs, {} idle; round {} of {} s, policy {}\n", list.nodes.size(),
                                    total, idle, list.round.value, number_text(list.round_s), list.policy);
}

Status command_node(Client& client, const CommandNode& command) {
  auto answer = client.ask<Ack>(command, Effect::kChanges);
  if (!answer) return fail(std::move(answer));
  return {};
}

Result<bool> is_drained(Client& client, const std::string& name) {
  auto list = client.ask<NodeList>(QueryNodes{});
  if (!list) return fail(std::move(list));
  return std::any_of(list->nodes.begin(), list->nodes.end(), [&](const NodeView& view) {
    return view.inventory.name == name && view.state == NodeState::kDrained;
  });
}

// Waits until the node is drained: bounded by the deadline when there is one, since leases are revoked then.
Status wait_drained(Client& client, const DrainArgs& args) {
  catch_interrupts();
  while (true) {
    auto list = client.ask<NodeList>(QueryNodes{});
    if (!list) return fail(std::move(list));
    const auto node = std::find_if(list->nodes.begin(), list->nodes.end(),
                                   [&](const NodeView& view) { return view.inventory.name == args.node; });
    if (node == list->nodes.end())
      return fail(ErrorCode::kNotFound, fmt::format("node '{}' is gone while it was being drained", args.node));
    if (node->state == NodeState::kDrained) return {};
    if (node->state == NodeState::kLost)
      return fail(ErrorCode::kRefused,
                  fmt::format("node '{}' was lost while it was being drained: {}", args.node, node->reason));
    if (node->state == NodeState::kUp)
      return fail(ErrorCode::kRefused, fmt::format("node '{}' was undrained by someone else", args.node));
    if (!pause_for(kDrainPollS))
      return fail(ErrorCode::kTimedOut,
                  fmt::format("interrupted; node '{}' goes on draining, see hadar nodes", args.node));
  }
}

}  // namespace

CommandResult run_nodes(const Settings& settings) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto list = (*client)->ask<NodeList>(QueryNodes{});
  if (!list) return stop(std::move(list.error()));
  print(settings.json ? nodes_json(*list) : nodes_table(*list));
  return ExitCode::kDone;
}

CommandResult run_drain(const Settings& settings, const DrainArgs& args) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto already = is_drained(**client, args.node);  // it drains anew when told again, if only for a moment
  if (!already) return stop(std::move(already.error()));
  auto sent = command_node(
      **client,
      {.node = args.node, .action = NodeAction::kDrain, .reason = args.reason, .deadline_s = args.deadline_s});
  if (!sent) return stop(std::move(sent.error()));
  if (args.wait) {
    auto drained = wait_drained(**client, args);
    if (!drained) return stop(std::move(drained.error()));
  }
  if (settings.json)
    print(done_json("node", args.node));
  else
    print(fmt::format("node {} {}\n", args.node, *already ? "is drained already" : args.wait ? "drained" : "draining"));
  return ExitCode::kDone;
}

CommandResult run_node_action(const Settings& settings, const std::string& node, NodeAction action) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto sent = command_node(**client, {.node = node, .action = action, .reason = "", .deadline_s = 0});
  if (!sent) return stop(std::move(sent.error()));
  if (settings.json) print(done_json("node", node));
  return ExitCode::kDone;
}

CommandResult run_prices(const Settings& settings, std::uint32_t rounds) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto history = (*client)->ask<PriceHistory>(QueryPrices{.rounds = rounds});
  if (!history) return stop(std::move(history.error()));
  if (settings.json) {
    print(prices_json(*history));
    return ExitCode::kDone;
  }
  Table table({"ROUND", "TYPE", "PRICE", "LOWEST", "HIGHEST", "NOTE"});
  const auto bound = [](const PriceBoard& board, const std::map<GpuType, double>& bounds, const GpuType& type) {
    const auto found = bounds.find(type);  // of the curve, which clearing prices do not keep to
    return found == bounds.end() || !board.exponential ? std::string("-") : number_text(found->second);
  };
  for (const auto& board : history->boards)
    for (const auto& [type, price] : board.price)
      table.add({std::to_string(board.round.value), type, number_text(price), bound(board, board.u_min, type),
                 bound(board, board.u_max, type), board.stale ? "stale" : ""});
  print(table.text() + "prices in utility per GPU and round\n");
  return ExitCode::kDone;
}

}  // namespace hadar::cli
