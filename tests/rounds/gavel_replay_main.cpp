// Replays recorded allocations of the public Gavel simulator through the round mechanism and compares every round and
// completion time: gavel_replay ROUNDS_FOLDER TRACES_FOLDER TABLES_FOLDER
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "actors/policy/round_mechanism/gavel_2022.hpp"
#include "tests/rounds/gavel_records.hpp"

namespace hadar::testing {
namespace {

using nlohmann::json;

constexpr double kJctTolerance_s = 0.000501;  // recorded with three decimals
constexpr std::array<const char*, kGavelTypes> kNames = {"k80", "p100", "v100"};

// "7" or "(3, 7)"; the simulator counts from 0, we from 1.
Combination combination_of(const std::string& key) {
  if (key.front() != '(') return {JobId{std::stoull(key) + 1}, {}};
  const auto comma = key.find(',');
  return pair_of(JobId{std::stoull(key.substr(1, comma - 1)) + 1}, JobId{std::stoull(key.substr(comma + 1)) + 1});
}

std::string key_of(const Combination& what) {
  if (!what.pair()) return std::to_string(what.a.value - 1);
  return "(" + std::to_string(what.a.value - 1) + ", " + std::to_string(what.b.value - 1) + ")";
}

struct Recorded {
  json file;
  std::vector<GavelTraceJob> trace;
  const GavelSpeeds* speeds = nullptr;
  std::vector<std::size_t> types;  // those the cluster has
};

std::array<double, 2> speeds_of(const Recorded& run, const Combination& what, std::size_t type) {
  const auto key = [&](JobId job) {
    const auto& row = run.trace.at(job.value - 1);
    return GavelSpeeds::Key{row.type, row.gpus};
  };
  if (!what.pair()) {
    const auto found = run.speeds->alone.find(key(what.a));
    return {found == run.speeds->alone.end() ? 0 : found->second[run.types[type]], 0};
  }
  const auto found = run.speeds->together.find({key(what.a), key(what.b)});
  if (found == run.speeds->together.end()) return {0, 0};
  return found->second[run.types[type]];
}

std::string round_text(const Gavel2022& mechanism, const Recorded& run) {
  json round = json::object();
  for (const auto& task : mechanism.state().running) {
    json place = json::array({kNames[run.types[task.type]]});
    for (const auto worker : task.workers) place.push_back(worker);
    round[key_of(task.what)] = place;
  }
  return round.dump();
}

// The first difference, or nothing.
std::string replay(const Recorded& run) {
  const auto& file = run.file;
  const std::string name = file.at("policy_name");
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  Gavel2022Settings settings;
  settings.round_s = file.at("interval");
  settings.zero_shares_run = name.rfind("FIFO", 0) != 0;
  settings.packs = has("Packing");
  settings.shuffle_types = !has("Perf") && !has("Packing");
  settings.seed = file.at("seed");
  for (const auto type : run.types) settings.gpus.push_back(gavel_cluster(file.at("cluster"))[type]);

  std::size_t asked = 0;
  Gavel2022World world;
  world.speeds = [&](const Combination& what, std::size_t type) { return speeds_of(run, what, type); };
  world.shares = [&](std::vector<Gavel2022Active>&, double now_s) -> Result<std::vector<CombinationShares>> {
    if (asked == file.at("allocations").size())
      return fail(ErrorCode::kInvalidArgument, "asks for shares once too often, at " + std::to_string(now_s));
    const auto& answer = file.at("allocations").at(asked++);
    if (std::abs(answer.at("t").get<double>() - now_s) > 1e-6)
      return fail(ErrorCode::kInvalidArgument,
                  "asks for shares at " + std::to_string(now_s) + ", recorded at " + answer.at("t").dump());
    std::vector<CombinationShares> shares;
    for (const auto& [key, share] : answer.at("jobs").items())
      shares.push_back({combination_of(key), share.get<std::vector<double>>()});
    return shares;
  };

  std::vector<Gavel2022Job> jobs;
  for (std::size_t j = 0; j < run.trace.size(); ++j)
    jobs.push_back({JobId{j + 1}, run.trace[j].gpus, run.trace[j].arrival_s, run.trace[j].steps});
  std::vector<std::optional<double>> jct(jobs.size());
  Gavel2022 mechanism(settings, world);
  for (const auto& round : file.at("rounds")) {
    const auto at = "round " + std::to_string(mechanism.state().rounds) + ": ";
    if (auto next = mechanism.next_round(jobs, false); !next) return at + next.error().message;
    for (const auto& ended : mechanism.ended())
      if (!ended.dropped) jct[ended.job.value - 1] = ended.at_s - jobs[ended.job.value - 1].arrival_s;
    if (std::abs(round.at(0).get<double>() - mechanism.state().now_s) > 1e-6)
      return at + "starts at " + std::to_string(mechanism.state().now_s) + ", recorded " + round.at(0).dump();
    const auto recorded = json(round.at(1)).dump();
    if (const auto ours = round_text(mechanism, run); ours != recorded) return at + ours + ", recorded " + recorded;
  }
  if (!mechanism.state().active.empty()) return "jobs are left after the last round";
  for (std::size_t j = 0; j < jct.size(); ++j) {
    const auto& recorded = file.at("jct_s").at(j);
    if (recorded.is_null() != !jct[j] || (jct[j] && std::abs(recorded.get<double>() - *jct[j]) > kJctTolerance_s))
      return "job " + std::to_string(j) + " took " + (jct[j] ? std::to_string(*jct[j]) : "null") + ", recorded " +
             recorded.dump();
  }
  return {};
}

Result<std::string> replay_file(const std::filesystem::path& path, const std::filesystem::path& traces,
                                const GavelSpeeds& speeds) {
  Recorded run;
  auto file = read_json(path);
  if (!file) return fail(std::move(file));
  run.file = *std::move(file);
  run.speeds = &speeds;
  try {
    auto trace = read_gavel_trace(traces / run.file.at("trace").get<std::string>());
    if (!trace) return fail(std::move(trace));
    run.trace = *std::move(trace);
    for (const std::string type : run.file.at("worker_types_order"))
      run.types.push_back(static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), type) - kNames.begin()));
    return replay(run);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInvalidArgument, path.string() + ": " + error.what());
  }
}

int run(const std::filesystem::path& rounds, const std::filesystem::path& traces, const std::filesystem::path& tables) {
  const auto speeds =
      read_gavel_speeds(tables / "throughputs_simulation.csv", tables / "colocated_throughputs_simulation.json");
  if (!speeds) return std::fprintf(stderr, "%s\n", speeds.error().message.c_str()), 2;
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(rounds, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error || files.empty()) return std::fprintf(stderr, "%s: no recorded rounds\n", rounds.c_str()), 2;
  std::sort(files.begin(), files.end());
  std::size_t equal = 0;
  for (const auto& file : files) {
    const auto difference = replay_file(file, traces, *speeds);
    if (!difference) return std::fprintf(stderr, "%s\n", difference.error().message.c_str()), 2;
    equal += difference->empty() ? 1 : 0;
    std::printf("%-70s %s\n", file.stem().c_str(), difference->empty() ? "ok" : difference->c_str());
  }
  std::printf("%zu of %zu files equal in every round and completion time\n", equal, files.size());
  return equal == files.size() ? 0 : 1;
}

}  // namespace
}  // namespace hadar::testing

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: gavel_replay ROUNDS_FOLDER TRACES_FOLDER TABLES_FOLDER\n");
    return 2;
  }
  return hadar::testing::run(argv[1], argv[2], argv[3]);
}
