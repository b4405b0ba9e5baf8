#include "tools/cli/json_views.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json numbers(const std::map<std::string, double>& values) {
  Json out = Json::object();
  for (const auto& [name, value] : values) out[name] = number(value);
  return out;
}

Json job_object(const JobStatus& job) {
  Json out;
  out["job"] = job.job.value;
  out["name"] = job.spec.name;
  out["state"] = name_of(job.state);
  out["user"] = job.spec.user;
  out["gpus"] = job.spec.gpus;
  out["steps_total"] = job.spec.total_steps;
  out["steps_credited"] = job.steps_credited;
  out["steps_running"] = job.steps_running;
  out["steps_effective"] = number(job.steps_effective);
  out["merge_efficiency"] = number(job.merge_efficiency);
  out["forks"] = job.forks;
  out["forks_max"] = job.forks_max;
  out["consolidations"] = job.consolidations;
  out["version"] = job.version.version;
  out["submitted_t_s"] = number(job.submitted_t_s);
  out["started_t_s"] = number(job.started_t_s);
  out["finished_t_s"] = number(job.finished_t_s);
  out["reason"] = reason_code(job);
  out["reason_text"] = reason_text(job);
  out["workload"] = job.spec.workload;
  out["model"] = job.spec.model;
  out["metrics"] = numbers(job.metrics);
  return out;
}

Json node_object(const NodeView& node) {
  Json out;
  out["node"] = node.inventory.name;
  out["state"] = name_of(node.state);
  out["reason"] = node.reason;
  out["gpus"] = Json::array();
  const auto idle = idle_by_group(node);
  for (std::size_t i = 0; i < idle.size(); ++i) {
    const auto& group = node.inventory.gpus[i];
    out["gpus"].push_back({{"type", group.type}, {"count", group.count}, {"idle", idle[i]}});
  }
  out["leases"] = Json::array();
  for (const auto lease : node.leases) out["leases"].push_back(lease.value);
  out["epoch"] = node.epoch.value;
  out["since_t_s"] = number(node.since_s);
  out["drain_deadline_t_s"] = node.drain_deadline_s > 0 ? number(node.drain_deadline_s) : Json();
  out["emulated"] = node.inventory.emulated;
  return out;
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

const char* outcome_name(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kGranted: return "granted";
    case OutcomeKind::kWaiting: return "waiting";
    case OutcomeKind::kInfeasible: return "infeasible";
  }
  return "?";
}

std::uint64_t counter(const ProcessHealth& process, const char* name) {
  const auto found = process.counters.find(name);
  return found == process.counters.end() ? 0 : found->second;
}

}  // namespace

std::string job_json(const JobStatus& job) {
  return dumped(job_object(job));
}

std::string jobs_json(const std::vector<JobStatus>& jobs) {
  Json out = Json::array();
  for (const auto& job : jobs) out.push_back(job_object(job));
  return dumped(out);
}

std::string explain_json(const JobStatus& job) {
  Json out;
  out["job"] = job.job.value;
  out["state"] = name_of(job.state);
  out["code"] = reason_code(job);
  out["text"] = reason_text(job);
  out["numbers"] = numbers(job.reason.numbers);
  return dumped(out);
}

std::string nodes_json(const NodeList& list) {
  Json out = Json::array();
  for (const auto& node : list.nodes) out.push_back(node_object(node));
  return dumped(out);
}

std::string prices_json(const PriceHistory& history) {
  Json out = Json::array();
  for (const auto& board : history.boards) {
    Json row;
    row["round"] = board.round.value;
    row["stale"] = board.stale;
    row["form"] = board.exponential ? "exponential" : "clearing";
    row["price"] = numbers(board.price);
    row["u_min"] = numbers(board.u_min);
    row["u_max"] = numbers(board.u_max);
    out.push_back(std::move(row));
  }
  return dumped(out);
}

std::string watch_json(const NodeList& nodes, const JobList& jobs) {
  Json out;
  out["t_s"] = number(jobs.now_s);
  out["round"] = nodes.round.value;
  out["round_s"] = number(nodes.round_s);
  out["policy"] = nodes.policy;
  out["nodes"] = Json::array();
  for (const auto& node : nodes.nodes) out["nodes"].push_back(node_object(node));
  out["jobs"] = Json::array();
  for (const auto& job : jobs.jobs) out["jobs"].push_back(job_object(job));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string log_json(JobId job, std::uint32_t fork, const LogPart& part) {
  Json out;
  out["job"] = job.value;
  out["fork"] = fork;
  out["node"] = part.node;
  out["offset"] = part.offset;
  out["text"] = part.text;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string model_json(const JobStatus& job, const std::string& file) {
  Json out;
  out["job"] = job.job.value;
  out["name"] = job.spec.name;
  out["version"] = job.version.version;
  out["hash"] = job.version.weights.hash;
  out["size_bytes"] = job.version.weights.size;
  out["file"] = file.empty() ? Json(nullptr) : Json(file);
  return dumped(out);
}

std::string submitted_json(const JobSubmitted& answer, const std::string& name) {
  Json out;
  out["job"] = answer.job.value;
  out["name"] = name;
  out["existed"] = answer.existed;
  out["infeasible"] = !answer.reason.code.empty();
  out["reason"] = answer.reason.code;
  out["reason_text"] = answer.reason.text;
  return dumped(out);
}

RefusedCounts refused_counts(const ClusterHealth& health) {
  RefusedCounts total;
  for (const auto& process : health.processes) {
    total.frames += counter(process, "frames_refused");
    total.peers += counter(process, "handshakes_refused");
    total.keys += counter(process, "keys_refused");
  }
  return total;
}

std::string doctor_json(const ClusterHealth& health, const std::string& endpoint,
                        const std::vector<Finding>& findings) {
  Json out;
  out["ok"] = std::all_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.ok; });
  out["cluster_id"] = text_or_null(health.cluster_id);
  out["endpoint"] = text_or_null(endpoint);
  const auto refused = refused_counts(health);
  out["refused"] = nullptr;
  if (!endpoint.empty())
    out["refused"] = {{"frames", refused.frames}, {"peers", refused.peers}, {"keys", refused.keys}};
  out["processes"] = Json::array();
  for (const auto& process : health.processes) {
    Json row;
    row["name"] = process.name;
    row["reachable"] = process.reachable;
    row["pid"] = process.pid;
    row["up_s"] = number(process.up_s);
    row["counters"] = Json::object();
    for (const auto& [name, value] : process.counters) row["counters"][name] = value;
    out["processes"].push_back(std::move(row));
  }
  out["findings"] = Json::array();
  for (const auto& finding : findings)
    out["findings"].push_back({{"ok", finding.ok}, {"check", finding.check}, {"text", finding.text}});
  return dumped(out);
}

std::string replay_json(const RoundInput& input, const RoundPlan& plan, const std::string& recorded_policy,
                        const std::string& policy, bool equal) {
  Json out;
  out["round"] = input.round.value;
  out["early"] = input.early;
  out["policy"] = policy;
  out["recorded_policy"] = recorded_policy;
  out["equal"] = equal;
  out["allocations"] = Json::array();
  for (const auto& allocation : plan.allocations) {
    Json row = {{"job", allocation.fork.job.value}, {"fork", allocation.fork.fork}, {"slices", Json::array()}};
    for (const auto& slice : allocation.slices) row["slices"].push_back({{"node", slice.node}, {"gpus", slice.gpus}});
    row["quota_steps"] = allocation.quota_steps;
    row["steps_per_s"] = number(allocation.steps_per_s);
    row["ends_at_border"] = allocation.ends_at_border;
    out["allocations"].push_back(std::move(row));
  }
  out["outcomes"] = Json::array();
  for (const auto& outcome : plan.outcomes)
    out["outcomes"].push_back({{"job", outcome.job.value},
                               {"kind", outcome_name(outcome.kind)},
                               {"code", outcome.reason.code},
                               {"text", outcome.reason.text},
                               {"numbers", numbers(outcome.reason.numbers)}});
  return dumped(out);
}

std::string done_json(const std::string& key, const std::string& value) {
  Json out;
  out["ok"] = true;
  out[key] = value;
  return dumped(out);
}

}  // namespace hadar::cli
