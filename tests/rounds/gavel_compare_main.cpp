// Our own solves in the mechanism of 2022 beside recorded runs of the public Gavel simulator: mean completion times.
// gavel_compare SIM_FOLDER TRACES_FOLDER TABLES_FOLDER [POLICY]
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>

#include "actors/policy/gavel/gavel_rules.hpp"
#include "actors/policy/gavel/question.hpp"
#include "actors/policy/round_mechanism/gavel_2022.hpp"
#include "actors/policy/round_mechanism/gavel_2022_shares.hpp"
#include "tests/rounds/gavel_records.hpp"

namespace hadar::testing {
namespace {

using nlohmann::json;

struct Compared {
  const char* ours;
  const char* theirs;
};
constexpr std::array<Compared, 7> kCompared = {{{"gavel-las", "max_min_fairness_perf"},
                                                {"gavel-ftf", "finish_time_fairness_perf"},
                                                {"gavel-makespan", "min_total_duration_perf"},
                                                {"gavel-throughput", "max_sum_throughput_perf"},
                                                {"gavel-las-leximin", "max_min_fairness_water_filling_perf"},
                                                {"gavel-fifo", "fifo_perf"},
                                                {"gavel-isolated", "isolated"}}};
constexpr double kMeanLimit = 0.01;
constexpr double kRunLimit = 0.05;
constexpr std::array<const char*, kGavelTypes> kNames = {"k80", "p100", "v100"};

struct Run {
  std::map<std::string, std::string> row;  // of summary.csv
  std::vector<GavelTraceJob> trace;
  const GavelSpeeds* speeds = nullptr;
  json jct_s;  // recorded, per job
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

class Player {
 public:
  Player(const Run& run, const GavelRule& rule) : run_(run), rule_(rule) {
    const auto gpus = gavel_cluster(run.row.at("cluster"));
    for (std::size_t type = 0; type < kGavelTypes; ++type)
      if (gpus[type] > 0) {
        types_.push_back(type);
        settings_.gpus.push_back(gpus[type]);
      }
    settings_.round_s = std::stod(run.row.at("interval"));
    settings_.reset_gap_s = std::stod(run.row.at("min_reset"));
    settings_.zero_shares_run = !rule.strict_queue;
    settings_.shuffle_types = rule.name == "gavel-isolated";
    settings_.seed = std::stoull(run.row.at("seed"));
  }

  // Completion time per job; nothing for dropped ones.
  Result<std::vector<std::optional<double>>> play() {
    std::vector<Gavel2022Job> jobs;
    for (std::size_t j = 0; j < run_.trace.size(); ++j)
      jobs.push_back({JobId{j + 1}, run_.trace[j].gpus, run_.trace[j].arrival_s, run_.trace[j].steps});
    Gavel2022World world;
    world.speeds = [this](const Combination& what, std::size_t type) {
      return std::array<double, 2>{speed(what.a, type), 0};
    };
    world.shares = [this](std::vector<Gavel2022Active>& active, double now_s) { return shares(active, now_s); };
    Gavel2022 mechanism(settings_, world);
    std::vector<std::optional<double>> jct(jobs.size());
    do {
      if (auto next = mechanism.next_round(jobs, false); !next) return fail(std::move(next));
      for (const auto& ended : mechanism.ended())
        if (!ended.dropped) jct[ended.job.value - 1] = ended.at_s - jobs[ended.job.value - 1].arrival_s;
    } while (!mechanism.state().active.empty() || mechanism.next_arrival(jobs) != nullptr);
    return jct;
  }

 private:
  [[nodiscard]] double speed(JobId job, std::size_t type) const {
    const auto& row = run_.trace[job.value - 1];
    const auto found = run_.speeds->alone.find({row.type, row.gpus});
    return found == run_.speeds->alone.end() ? 0 : found->second[types_[type]];
  }

  Result<std::vector<CombinationShares>> shares(std::vector<Gavel2022Active>& active, double now_s) {
    std::vector<CombinationShares> out;
    if (active.empty()) return out;
    ShareProblem problem;
    for (const auto type : types_) problem.types.emplace_back(kNames[type]);
    problem.gpus.assign(settings_.gpus.begin(), settings_.gpus.end());
    for (const auto& job : active) {
      ShareJob asked;
      asked.job = job.job.job;
      asked.gpus = job.job.gpus;
      asked.weight = run_.trace[job.job.job.value - 1].weight;
      asked.steps_left = static_cast<double>(job.job.total_steps - job.steps_done);
      asked.age_s = now_s - job.job.arrival_s;
      for (std::size_t type = 0; type < types_.size(); ++type) asked.steps_per_s.push_back(speed(asked.job, type));
      problem.jobs.push_back(std::move(asked));
    }
    for (std::size_t j = 0; j < active.size(); ++j) {
      active[j].history.ask(active[j].steps_done, gavel::isolated_speed(problem, problem.jobs[j], gavel::true_speed));
      problem.jobs[j].isolated_history = active[j].history.isolated;
    }
    auto answer = gavel_2022_shares(rule_, problem);
    if (!answer) return fail(std::move(answer));
    for (std::size_t j = 0; j < active.size(); ++j) out.push_back({{active[j].job.job, {}}, answer->alone[j]});
    return out;
  }

  const Run& run_;
  const GavelRule& rule_;
  std::vector<std::size_t> types_;
  Gavel2022Settings settings_;
};

std::vector<std::map<std::string, std::string>> read_summary(const std::filesystem::path& file) {
  std::ifstream in(file);
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    return fields;
  };
  std::string line;
  std::getline(in, line);
  const auto names = split(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(in, line)) {
    const auto fields = split(line);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i) row[names[i]] = fields[i];
  }
  return rows;
}

// The recorded completion times of a run.
json jct_of(const std::filesystem::path& sim, const std::map<std::string, std::string>& row) {
  for (const auto& entry : std::filesystem::directory_iterator(sim)) {
    const auto family = entry.path().stem().string();
    if (family.rfind("jct_", 0) != 0 || row.at("trace").rfind(family.substr(4), 0) != 0) continue;
    const auto file = read_json(entry.path());
    if (!file) continue;
    const auto& runs = file->is_array() ? *file : file->at("runs");
    for (const auto& run : runs)
      if (run.at("trace") == row.at("trace") && run.at("policy") == row.at("policy") &&
          run.at("variant") == row.at("variant") && run.at("interval").get<double>() == std::stod(row.at("interval")) &&
          run.at("min_reset").get<double>() == std::stod(row.at("min_reset")))
        return run.at("jct_s");
  }
  return nullptr;
}

// Relative difference of the mean over jobs that both completed.
double difference(const Run& run, const std::vector<std::optional<double>>& jct, double& ours, double& theirs) {
  std::vector<double> mine, recorded;
  for (std::size_t j = 0; j < jct.size(); ++j)
    if (jct[j] && !run.jct_s.at(j).is_null()) {
      mine.push_back(*jct[j]);
      recorded.push_back(run.jct_s.at(j));
    }
  ours = mean(mine);
  theirs = mean(recorded);
  return ours / theirs - 1;
}

int run(const std::filesystem::path& sim, const std::filesystem::path& traces, const std::filesystem::path& tables,
        const std::string& only) {
  const auto simulated = read_gavel_speeds(tables / "throughputs_simulation.csv", {});
  const auto physical = read_gavel_speeds(tables / "throughputs_physical_cluster.csv", {});
  if (!simulated || !physical) return std::fprintf(stderr, "%s: no throughput tables\n", tables.c_str()), 2;
  const auto rows = read_summary(sim / "summary.csv");
  bool good = true;
  for (const auto& [ours, theirs] : kCompared) {
    if (!only.empty() && only != ours) continue;
    std::vector<double> differences;
    double worst = 0;
    std::size_t cost_runs = 0;
    for (const auto& row : rows) {
      if (row.at("policy") != theirs || row.at("variant") != "head" || row.at("ideal") != "False" ||
          !row.at("error").empty())
        continue;
      Run played;
      played.row = row;
      auto trace = read_gavel_trace(traces / row.at("trace"));
      played.jct_s = jct_of(sim, row);
      if (!trace || played.jct_s.is_null()) return std::fprintf(stderr, "%s: no record\n", row.at("trace").c_str()), 2;
      played.trace = *std::move(trace);
      played.speeds = row.at("throughputs").rfind("physical", 0) == 0 ? &*physical : &*simulated;
      const auto jct = Player(played, *find_gavel_rule(ours)).play();
      if (!jct) return std::fprintf(stderr, "%s: %s\n", row.at("trace").c_str(), jct.error().message.c_str()), 1;
      double mine = 0, recorded = 0;
      const auto by = difference(played, *jct, mine, recorded);
      std::printf("%-18s %-34s %10.1f s %10.1f s %+7.2f %%\n", ours, row.at("trace").c_str(), mine, recorded, 100 * by);
      differences.push_back(std::abs(by));
      worst = std::max(worst, std::abs(by));
      ++cost_runs;
    }
    std::printf("%-18s %zu runs: mean |dJCT| %.2f %%, worst %.2f %%\n\n", ours, cost_runs, 100 * mean(differences),
                100 * worst);
    std::fflush(stdout);
    good = good && mean(differences) <= kMeanLimit && worst <= kRunLimit;
  }
  std::printf("%s: mean over a policy's runs at most %.0f %%, each run at most %.0f %%\n", good ? "kept" : "NOT KEPT",
              100 * kMeanLimit, 100 * kRunLimit);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace hadar::testing

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: gavel_compare SIM_FOLDER TRACES_FOLDER TABLES_FOLDER [POLICY]\n");
    return 2;
  }
  return hadar::testing::run(argv[1], argv[2], argv[3], argc == 5 ? argv[4] : "");
}
