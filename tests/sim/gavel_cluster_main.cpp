// Replays recorded allocations of the public Gavel simulator through all actors of a simulated cluster:
// gavel_cluster ROUNDS_FOLDER TRACES_FOLDER TABLES_FOLDER [PART_OF_A_NAME]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "actors/policy/round_mechanism/compat_policy.hpp"
#include "launchers/simulated_cluster.hpp"
#include "tests/rounds/gavel_records.hpp"

namespace hadar::testing {
namespace {

using nlohmann::json;

constexpr double kStart_s = 10;  // all nodes have joined
constexpr double kJctTolerance_s = 0.000501;
constexpr double kLimit_s = 1e8;

// What the rule below answers with: rules are plain functions.
struct Playing {
  const json* allocations = nullptr;
  std::size_t next = 0;
};
Playing& playing() {
  static Playing now;
  return now;
}

std::string key_of(JobId a, JobId b = {}) {
  const auto name = std::to_string(a.value - 1);
  return b.value == 0 ? name : "(" + name + ", " + std::to_string(b.value - 1) + ")";
}

// The next recorded answer to a question with jobs.
Result<TimeShares> recorded(const ShareProblem& problem) {
  auto& now = playing();
  while (now.next < now.allocations->size() && (*now.allocations)[now.next].at("jobs").empty()) ++now.next;
  if (now.next == now.allocations->size()) return fail(ErrorCode::kInternal, "asks for shares once too often");
  const auto& jobs = (*now.allocations)[now.next++].at("jobs");
  const std::vector<double> none(problem.types.size(), 0.0);
  const auto share = [&](const std::string& key) {
    return jobs.contains(key) ? jobs.at(key).get<std::vector<double>>() : none;
  };
  TimeShares shares;
  for (const auto& job : problem.jobs) {
    if (!jobs.contains(key_of(job.job))) return fail(ErrorCode::kInternal, "asks for other jobs");
    shares.alone.push_back(share(key_of(job.job)));
  }
  for (const auto& pair : problem.pairs)
    shares.together.push_back({pair.a, pair.b, share(key_of(problem.jobs[pair.a].job, problem.jobs[pair.b].job))});
  return shares;
}

GavelRule rule_of(const std::string& policy_name) {
  const auto has = [&](const char* word) { return policy_name.find(word) != std::string::npos; };
  GavelRule rule;
  rule.name = has("Perf") || has("Packing") ? "recorded" : "recorded-agnostic";
  rule.solve = recorded;
  rule.shares_gpus = has("Packing");
  rule.strict_queue = policy_name.rfind("FIFO", 0) == 0;
  return rule;
}

// "1:2:2" GPUs a server: one node a server, so that GPUs in the order of types and nodes are Gavel's worker numbers.
std::vector<NodeInventory> nodes_of(const json& file) {
  const auto gpus = gavel_cluster(file.at("cluster"));
  const auto per_server = gavel_cluster(file.at("gpus_per_server"));
  const char* names[] = {"k80", "p100", "v100"};
  std::vector<NodeInventory> nodes;
  for (std::size_t type = 0; type < kGavelTypes; ++type)
    for (std::uint32_t first = 0, server = 0; first < gpus[type]; first += per_server[type], ++server) {
      const auto number = std::to_string(1000 + server);
      nodes.push_back({std::string(names[type]) + "-" + number,
                       {{names[type], std::min(per_server[type], gpus[type] - first)}},
                       0,
                       0,
                       true});
    }
  return nodes;
}

void add_speeds(const GavelSpeeds& speeds, SimulatedClusterOptions& options) {
  const char* names[] = {"k80", "p100", "v100"};
  for (const auto& [key, row] : speeds.alone)
    for (std::size_t type = 0; type < kGavelTypes; ++type)
      if (row[type] > 0)
        options.throughputs.push_back({key.first, 1, key.second, names[type], Placement::kPacked, row[type]});
  for (const auto& [key, row] : speeds.together)
    for (std::size_t type = 0; type < kGavelTypes; ++type)
      if (key.first <= key.second)
        options.pairs.push_back(
            {{key.first.first, 1}, {key.second.first, 1}, key.first.second, names[type], row[type][0], row[type][1]});
}

JobSpec spec_of(const GavelTraceJob& job, std::size_t number) {
  JobSpec spec;
  spec.name = "job " + std::to_string(number);
  spec.command = {"train"};
  spec.model = job.type;
  spec.batch_size = 1;
  spec.gpus = job.gpus;
  spec.total_steps = job.steps;
  spec.weight = job.weight;
  spec.forkable = false;
  return spec;
}

// Worker numbers of a round's leases, as text by job.
std::string round_text(const std::vector<const Lease*>& leases, const std::map<NodeName, std::uint32_t>& first) {
  std::map<std::string, std::set<std::uint32_t>> by_job;
  for (const auto* lease : leases)
    for (const auto gpu : lease->gpus) by_job[key_of(lease->fork.job)].insert(first.at(lease->node) + gpu);
  json text = json::object();
  for (const auto& [job, workers] : by_job) text[job] = workers;
  return text.dump();
}

std::string recorded_text(const json& round) {
  json text = json::object();
  for (const auto& [key, place] : round.items()) {
    std::set<std::uint32_t> workers;
    for (std::size_t i = 1; i < place.size(); ++i) workers.insert(place[i].get<std::uint32_t>());
    if (key.front() != '(') {
      text[key] = workers;
      continue;
    }
    const auto comma = key.find(',');
    text[key.substr(1, comma - 1)] = workers;
    text[key.substr(comma + 2, key.size() - comma - 3)] = workers;
  }
  return text.dump();
}

// The first difference, or nothing.
std::string compare(const SimulatedCluster& cluster, const json& file, const std::vector<NodeInventory>& nodes) {
  std::map<NodeName, std::uint32_t> first;
  std::uint32_t number = 0;
  for (const auto& node : nodes) {
    first[node.name] = number;
    number += node.gpus.front().count;
  }
  std::map<RoundId, std::vector<const Lease*>> rounds;
  std::map<JobId, double> submitted;
  std::map<JobId, double> jct;
  for (const auto& event : cluster.events()) {
    if (const auto* e = std::get_if<event::Submitted>(&event.body)) submitted[e->job] = event.t_s;
    if (const auto* e = std::get_if<event::Completed>(&event.body)) jct[e->job] = event.t_s - submitted[e->job];
    if (const auto* e = std::get_if<event::LeasesGranted>(&event.body))
      for (const auto& lease : e->leases) rounds[e->round].push_back(&lease);
  }
  auto ours = rounds.begin();
  std::size_t count = 0;
  for (const auto& round : file.at("rounds")) {
    if (round.at(1).empty()) continue;
    const auto at = "busy round " + std::to_string(count++) + ": ";
    if (ours == rounds.end()) return at + "never opened";
    const auto granted = round_text(ours->second, first);
    if (granted != recorded_text(round.at(1))) return at + granted + ", recorded " + recorded_text(round.at(1));
    ++ours;
  }
  if (ours != rounds.end()) return "a round too many";
  for (std::size_t j = 0; j < file.at("jct_s").size(); ++j) {
    const auto& recorded_s = file.at("jct_s").at(j);
    const auto found = jct.find(JobId{j + 1});
    if (recorded_s.is_null() != (found == jct.end()) ||
        (found != jct.end() && std::abs(recorded_s.get<double>() - found->second) > kJctTolerance_s))
      return "job " + std::to_string(j) + " took " + (found == jct.end() ? "null" : std::to_string(found->second)) +
             ", recorded " + recorded_s.dump();
  }
  const auto violations = cluster.violations();
  return violations.empty() ? std::string() : violations.front();
}

Result<std::string> replay(const json& file, const std::filesystem::path& traces, const GavelSpeeds& speeds) {
  const auto trace = read_gavel_trace(traces / file.at("trace").get<std::string>());
  if (!trace) return tl::unexpected<Error>(trace.error());
  const auto rule = rule_of(file.at("policy_name"));
  playing() = {&file.at("allocations"), 0};
  SimulatedClusterOptions options;
  options.gavel_2022 = true;
  options.coalesce_s = 0;
  options.scheduler.policy = "recorded";
  options.scheduler.round_s = file.at("interval");
  options.nodes = nodes_of(file);
  CompatSettings settings;
  settings.start_s = kStart_s;
  settings.last_arrival_s = trace->back().arrival_s;
  settings.question.seed = file.at("seed");
  options.make_policy = [&]() -> Result<std::unique_ptr<Policy>> { return make_compat_policy(rule, settings); };
  add_speeds(speeds, options);
  auto started = SimulatedCluster::start(options);
  if (!started) return tl::unexpected<Error>(started.error());
  auto& cluster = **started;
  for (std::size_t j = 0; j < trace->size(); ++j)
    cluster.submit(spec_of((*trace)[j], j), kStart_s + (*trace)[j].arrival_s);
  if (!cluster.run_until_ended(kLimit_s)) return std::string("jobs are left");
  if (std::getenv("HADAR_TRACE") != nullptr) std::fputs(cluster.event_lines().c_str(), stderr);
  return compare(cluster, file, options.nodes);
}

int run(const std::filesystem::path& rounds, const std::filesystem::path& traces, const std::filesystem::path& tables,
        const std::string& part) {
  const auto speeds =
      read_gavel_speeds(tables / "throughputs_simulation.csv", tables / "colocated_throughputs_simulation.json");
  if (!speeds) return std::fprintf(stderr, "%s\n", speeds.error().message.c_str()), 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(rounds))
    if (entry.path().extension() == ".json" && entry.path().stem().string().find(part) != std::string::npos)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::size_t equal = 0;
  for (const auto& path : files) {
    const auto file = read_json(path);
    if (!file) return std::fprintf(stderr, "%s\n", file.error().message.c_str()), 2;
    const auto difference = replay(*file, traces, *speeds);
    if (!difference) return std::fprintf(stderr, "%s: %s\n", path.c_str(), difference.error().message.c_str()), 2;
    equal += difference->empty() ? 1 : 0;
    std::printf("%-70s %s\n", path.stem().c_str(), difference->empty() ? "ok" : difference->substr(0, 400).c_str());
    std::fflush(stdout);
  }
  std::printf("%zu of %zu files equal in every round and completion time\n", equal, files.size());
  return equal == files.size() ? 0 : 1;
}

}  // namespace
}  // namespace hadar::testing

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: gavel_cluster ROUNDS_FOLDER TRACES_FOLDER TABLES_FOLDER [PART_OF_A_NAME]\n");
    return 2;
  }
  return hadar::testing::run(argv[1], argv[2], argv[3], argc == 5 ? argv[4] : "");
}
