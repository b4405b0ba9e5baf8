#include <algorithm>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "messages/codec/client_codec.hpp"
#include "tools/cli/client.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/json_views.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

constexpr std::uint64_t kLeastOpenFiles = 1024;
constexpr std::uint64_t kLeastFreeBytes = 1ULL << 30U;

Finding check_open_files() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  const bool ok = limit.rlim_cur >= kLeastOpenFiles;
  return {ok, "open files",
          fmt::format("limit is {}{}", limit.rlim_cur,
                      ok ? "" : fmt::format("; raise it to {} with ulimit -n", kLeastOpenFiles))};
}

Finding check_disk(const std::string& folder) {
  struct statvfs room = {};
  if (statvfs(folder.c_str(), &room) != 0)
    return {false, "state folder", folder + " cannot be looked at; is it there?"};
  const auto free_bytes = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize;
  const bool ok = free_bytes >= kLeastFreeBytes;
  return {ok, "state folder",
          fmt::format("{} has {:.1f} GB free{}", folder, static_cast<double>(free_bytes) / 1e9,
                      ok ? "" : "; needs 1.1 GB")};
}

void check_processes(const ClusterHealth& health, std::vector<Finding>& findings) {
  for (const auto& process : health.processes)
    findings.push_back({process.reachable, "process " + process.name,
                        process.reachable ? fmt::format("pid {}, up {}", process.pid, duration_text(process.up_s))
                                          : "not reachable from the gateway; look at its log and restart it"});
}

void check_nodes(const NodeList& list, std::vector<Finding>& findings) {
  for (const auto& node : list.nodes) {
    const bool ok = node.state != NodeState::kLost && node.state != NodeState::kUnknown;
    findings.push_back({ok, "node " + node.inventory.name,
                        fmt::format("{}{}{}{}", name_of(node.state), node.reason.empty() ? "" : ": ", node.reason,
                                    ok ? "" : "; restart its worker, or take it off the list with hadar forget")});
  }
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const auto& finding : findings)
    out += fmt::format("{}  {}: {}\n", finding.ok ? "ok  " : "BAD ", finding.check, finding.text);
  return out;
}

bool all_ok(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.ok; });
}

CommandResult check_machine_alone(const Settings& settings) {
  const std::vector<Finding> findings = {
      check_open_files(),
      {true, "cluster", "none is named: give --endpoint or --state, or set HADAR_ENDPOINT or HADAR_STATE"}};
  print(settings.json ? doctor_json({}, "", findings) : findings_text(findings));
  return all_ok(findings) ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

CommandResult run_doctor(const Settings& settings) {
  const auto& where = settings.where;
  if (where.endpoint.empty() && where.state.empty() && where.cluster_id.empty()) return check_machine_alone(settings);
  auto place = locate(settings.where);
  if (!place) return stop(std::move(place.error()));
  std::vector<Finding> findings = {check_open_files()};
  if (!settings.where.state.empty()) findings.push_back(check_disk(settings.where.state));
  ClusterHealth health;
  auto exit_code = ExitCode::kDone;
  const auto bad = [&](const Error& error) {
    findings.push_back({false, "gateway", error.message});
    exit_code = exit_code_of(error.code);
  };
  if (auto client = open_client(settings.where); !client) {
    bad(client.error());
  } else if (auto answer = (*client)->ask<ClusterHealth>(QueryHealth{}); !answer) {
    bad(answer.error());
  } else {
    health = std::move(*answer);
    check_processes(health, findings);
    if (auto nodes = (*client)->ask<NodeList>(QueryNodes{}))
      check_nodes(*nodes, findings);
    else
      bad(nodes.error());
  }
  if (settings.json) {
    print(doctor_json(health, place->endpoint, findings));
  } else {
    const auto refused = refused_counts(health);
    print(findings_text(findings) +
          fmt::format("refused so far: {} frames, {} peers, {} keys\n", refused.frames, refused.peers, refused.keys));
  }
  return all_ok(findings) || exit_code != ExitCode::kDone ? exit_code : ExitCode::kFailed;
}

}  // namespace hadar::cli
