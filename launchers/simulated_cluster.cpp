#include "launchers/simulated_cluster.hpp"

#include <caf/all.hpp>

#include "launchers/simulated_parts.hpp"
#include "messages/codec/event_json.hpp"

namespace hadar {

SimulatedCluster::SimulatedCluster(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Result<std::unique_ptr<SimulatedCluster>> SimulatedCluster::start(const SimulatedClusterOptions& options) {
  auto parts = std::make_unique<Parts>(options);
  if (auto spawned = parts->spawn_planners(); !spawned) {
    parts->time.drain();
    return fail(std::move(spawned));
  }
  parts->join_roles();
  for (const auto& inventory : options.nodes) {
    auto& node = parts->nodes[inventory.name];
    node.inventory = inventory;
    parts->join_node(node);
  }
  std::unique_ptr<SimulatedCluster> cluster(new SimulatedCluster(std::move(parts)));
  cluster->restart(SimulatedRole::kTracker);
  cluster->restart(SimulatedRole::kScheduler);
  cluster->parts_->time.drain();  // without a link delay the term is open when the nodes say hello
  for (const auto& inventory : options.nodes) cluster->restart_node(inventory.name);
  return cluster;
}

SimulatedCluster::~SimulatedCluster() {
  auto& parts = *parts_;
  parts.time.forget_actions();
  for (auto& [name, node] : parts.nodes)
    if (node.alive) parts.end_node(node);
  parts.end_scheduler();
  parts.end_tracker();
  parts.end_planners();
  parts.time.drain();
}

double SimulatedCluster::now_s() const {
  return parts_->time.now_s();
}

void SimulatedCluster::at(double t_s, std::function<void()> action, std::uint64_t after_messages) {
  parts_->time.at(t_s, std::move(action), after_messages);
}

void SimulatedCluster::submit(const JobSpec& spec, double t_s, bool keep_infeasible) {
  const auto request = std::make_shared<const SubmitJob>(
      SubmitJob{spec, "submission " + std::to_string(++parts_->submissions), keep_infeasible});
  ++parts_->unanswered;
  at(t_s, [parts = parts_.get(), request] { parts->ask(request); });
}

void SimulatedCluster::command(const CommandJob& command) {
  if (parts_->ledger) caf::anon_send(parts_->ledger, command);
}

void SimulatedCluster::command(const CommandNode& command) {
  if (parts_->membership) caf::anon_send(parts_->membership, command);
}

void SimulatedCluster::kill_node(const NodeName& name) {
  auto& node = parts_->nodes.at(name);
  if (!std::exchange(node.alive, false)) return;
  for (auto& line : node.lines) parts_->break_line(line);
  parts_->end_node(node);
}

void SimulatedCluster::restart_node(const NodeName& name) {
  auto& node = parts_->nodes.at(name);
  if (std::exchange(node.alive, true)) return;
  parts_->spawn_node(node);
  for (auto& line : node.lines) parts_->restore_line(line);
}

void SimulatedCluster::kill(SimulatedRole role) {
  if (!std::exchange(parts_->role_alive[index_of(role)], false)) return;
  parts_->each_line_of(role, [this](SimulatedLine& line) { parts_->break_line(line); });
  if (role == SimulatedRole::kScheduler)
    parts_->end_scheduler();
  else
    parts_->end_tracker();
}

void SimulatedCluster::restart(SimulatedRole role) {
  if (std::exchange(parts_->role_alive[index_of(role)], true)) return;
  if (role == SimulatedRole::kScheduler)
    parts_->spawn_scheduler();
  else
    parts_->spawn_tracker();
  parts_->each_line_of(role, [this](SimulatedLine& line) { parts_->restore_line(line); });
}

void SimulatedCluster::cut_link(const NodeName& node, SimulatedRole role) {
  parts_->cut_line(parts_->nodes.at(node).lines[index_of(role)]);
}

void SimulatedCluster::heal_link(const NodeName& node, SimulatedRole role) {
  parts_->heal_line(parts_->nodes.at(node).lines[index_of(role)]);
}

void SimulatedCluster::cut_roles() {
  parts_->cut_line(parts_->roles_line);
}

void SimulatedCluster::heal_roles() {
  parts_->heal_line(parts_->roles_line);
}

void SimulatedCluster::slow_node(const NodeName& name, double factor) {
  auto& node = parts_->nodes.at(name);
  node.factor = factor;
  if (node.alive) node.executor->set_factor(factor);
}

void SimulatedCluster::disturb_links(const LinkTrouble& trouble) {
  parts_->each_line([&](SimulatedLine& line) { line.link->disturb(trouble); });
}

void SimulatedCluster::disturb_roles(const LinkTrouble& trouble) {
  parts_->roles_line.link->disturb(trouble);
}

bool SimulatedCluster::all_ended() const {
  return parts_->all_ended();
}

void SimulatedCluster::run_until(double t_s) {
  parts_->time.run(t_s, {});
}

bool SimulatedCluster::run_until_ended(double limit_s) {
  return parts_->time.run(limit_s, [this] { return parts_->all_ended(); });
}

const std::vector<Event>& SimulatedCluster::events() const {
  return parts_->log->events();
}

std::string SimulatedCluster::event_lines() const {
  std::string lines;
  for (const auto& event : events()) lines += event_to_json(event) + "\n";
  return lines;
}

std::vector<std::string> SimulatedCluster::violations() const {
  auto violations = parts_->trainers->violations;
  if (parts_->time.stuck())
    violations.push_back("at " + std::to_string(now_s()) + " s actors kept each other busy without end");
  return violations;
}

}  // namespace hadar
