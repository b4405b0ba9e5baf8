// How long the policies' solvers take, in CPU time of one thread, beside their budgets.
#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "actors/policy/gavel/gavel_rules.hpp"
#include "actors/policy/solvers/direct_programs.hpp"

namespace hadar {
namespace {

// Steps per second on K80, P100, V100, one GPU: the 26 job types of the public Gavel code.
constexpr std::array<std::array<double, 3>, 26> kJobTypes = {{
    {4.80, 35.9, 32.4},  {7.18, 35.8, 29.9}, {7.05, 22.3, 24.1},  {1.81, 11.7, 18.0},  {0.886, 7.72, 10.3},
    {2.30, 9.05, 11.4},  {1.24, 4.89, 7.79}, {0.619, 2.62, 4.40}, {0.347, 1.58, 2.50}, {5.47, 9.54, 11.1},
    {3.51, 7.87, 10.6},  {1.75, 5.09, 8.62}, {0.982, 3.07, 5.45}, {0.458, 1.68, 1.60}, {25.5, 90.8, 109},
    {23.8, 77.1, 81.7},  {17.1, 58.2, 64.7}, {11.5, 35.8, 45.2},  {6.05, 21.2, 28.2},  {32.9, 48.9, 23.3},
    {20.1, 30.7, 13.3},  {10.4, 16.6, 7.47}, {5.30, 8.90, 3.91},  {2.70, 5.55, 2.84},  {3.44, 5.68, 7.18},
    {0.505, 2.40, 4.43},
}};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
  }
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11U) * 0x1.0p-53;
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

struct Size {
  std::size_t jobs = 0;
  std::size_t types = 3;
  std::size_t gpus = 0;  // of each type; 0 = jobs / 4, or jobs / 8 with 6 types
  bool distinct = true;  // every speed times U(0.9, 1.1)
  bool pairs = false;
  std::size_t entities = 0;
  bool even = false;  // durations within a tenth, so that capacity and not one job sets the makespan
};

// How much of its speed a job keeps beside another, by job types and GPU type. Summed over both jobs its median is near
// that measured for the public Gavel code: 1.37 on V100, 1.13 on P100, 1.06 on K80; one pair in fifteen does not fit.
double kept_beside(std::size_t type, std::size_t partner, std::size_t gpu) {
  constexpr double kMedian[] = {0.53, 0.565, 0.685};
  Dice dice((type * 26 + partner) * 3 + gpu % 3 + 17);
  for (int k = 0; k < 8; ++k) dice.next();
  Dice both((std::min(type, partner) * 26 + std::max(type, partner)) * 3 + gpu % 3 + 1017);
  for (int k = 0; k < 8; ++k) both.next();
  return both.below(15) == 0 ? 0 : kMedian[gpu % 3] * dice.between(0.65, 1.35);
}

ShareProblem problem_of(const Size& size, std::uint64_t seed) {
  Dice dice(seed + 1);
  ShareProblem problem;
  const auto each = size.gpus > 0 ? size.gpus : size.jobs / (size.types == 3 ? 4 : 8);
  const double factor[] = {1, 1, 1, 1.7, 0.6, 1.3};
  for (std::size_t j = 0; j < size.types; ++j) {
    problem.types.push_back(j == 2 ? "V100" : "T" + std::to_string(j));
    problem.gpus.push_back(static_cast<double>(each));
    problem.price_per_gpu_hour.push_back(std::array{0.135, 0.43, 0.74}[j % 3] * factor[j]);
  }
  for (std::size_t e = 0; e < size.entities; ++e)
    problem.entities.push_back(
        {std::to_string(e), dice.between(1, 3), e % 2 == 0 ? EntityRule::kFairness : EntityRule::kFifo});
  std::vector<std::size_t> kinds;
  for (std::size_t i = 0; i < size.jobs; ++i) {
    kinds.push_back(dice.below(kJobTypes.size()));
    ShareJob job;
    job.job = JobId{i + 1};
    job.steps_left = dice.between(1e4, 1e6);
    job.age_s = size.even ? 0 : dice.between(0, 1e5);
    if (size.entities > 0) job.entity = dice.below(size.entities);
    for (std::size_t j = 0; j < size.types; ++j)
      job.steps_per_s.push_back(kJobTypes[kinds[i]][j % 3] * factor[j] * (j >= 3 ? dice.between(0.7, 1.3) : 1) *
                                (size.distinct ? dice.between(0.9, 1.1) : 1));
    if (size.even) job.steps_left = job.steps_per_s[2] * dice.between(9e4, 1.1e5);
    if (i % 3 == 0) job.time_to_deadline_s = job.steps_left / job.steps_per_s[2] * dice.between(20, 200);
    problem.jobs.push_back(std::move(job));
  }
  for (std::size_t a = 0; size.pairs && a < size.jobs; ++a)
    for (std::size_t b = a + 1; b < size.jobs; ++b) {
      SharePair pair{a, b, {}};
      for (std::size_t j = 0; j < size.types; ++j) {
        const double wobble = size.distinct ? dice.between(0.9, 1.1) : 1;
        pair.steps_per_s.push_back({problem.jobs[a].steps_per_s[j] * kept_beside(kinds[a], kinds[b], j) * wobble,
                                    problem.jobs[b].steps_per_s[j] * kept_beside(kinds[b], kinds[a], j) * wobble});
      }
      problem.pairs.push_back(std::move(pair));
    }
  return problem;
}

struct Case {
  std::string policy;
  Size size;
  double bar_ms = 0;
  const char* beside = "";  // what others take for the same
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"gavel-las", {2048, 3}, 4, "Gavel + ECOS 134 ms"},
      {"gavel-las", {2048, 6}, 20, ""},
      {"gavel-makespan", {2048, 3, 0, true, false, 0, true}, 3, "Gavel 460 ms, to 4.3 %"},
      {"gavel-makespan", {2048, 6, 0, true, false, 0, true}, 12, ""},
      {"gavel-makespan", {2048, 3}, 30, "one job's limit, the rest water-filled"},
      {"gavel-makespan", {2048, 6}, 200, "the same"},
      {"gavel-ftf", {2048, 3, 0, true, false, 0, true}, 3, "Gavel 13.8 s"},
      {"gavel-ftf", {2048, 6, 0, true, false, 0, true}, 10, ""},
      {"gavel-ftf", {2048, 3}, 30, "one job's limit, the rest water-filled"},
      {"gavel-ftf", {2048, 6}, 200, "the same"},
      {"gavel-las-leximin", {1024, 3}, 15, "Gavel 52 s"},
      {"gavel-las-leximin", {1024, 6}, 100, ""},
      {"gavel-hierarchical", {1024, 3, 0, true, false, 5}, 15, "Gavel 2.8 s, stops early"},
      {"gavel-hierarchical", {1024, 6, 0, true, false, 5}, 100, ""},
      {"gavel-throughput", {2048, 3}, 6, "Gavel 92 ms"},
      {"gavel-throughput", {2048, 6}, 25, ""},
      {"gavel-cost", {2048, 3}, 6, ""},
      {"gavel-cost", {2048, 6}, 25, ""},
      {"gavel-cost-slo", {2048, 3}, 6, ""},
      {"gavel-cost-slo", {2048, 6}, 25, ""},
      {"gavel-las-packed", {128, 3, 0, true, true}, 50, "Gavel 0.94 s"},
      {"gavel-las-packed", {512, 3, 0, true, true}, 1000, "Gavel > 150 s"},
      {"gavel-las-packed", {1024, 3, 0, true, true}, 4000, "39-339 s published"},
      {"gavel-las-packed", {512, 3, 0, false, true}, 20, "26 job types, alike inside"},
      {"gavel-las-packed", {1024, 3, 0, false, true}, 20, "the same"},
      {"allox", {512, 3, 171}, 3, "Gavel > 150 s"},
      {"allox", {512, 3, 4}, 50, "12 GPUs"},
      {"gandiva", {512, 3, 0, true, true}, 1, "Gavel 11 s"},
  };
  return all;
}

std::string label_of(const Case& one) {
  return one.policy + " " + std::to_string(one.size.jobs) + " jobs " + std::to_string(one.size.types) + " types" +
         (one.size.gpus > 0 ? " " + std::to_string(one.size.gpus * one.size.types) + " GPUs" : "") +
         (one.size.distinct ? "" : " alike") + (one.size.even ? " even" : "");
}

void run_case(benchmark::State& state, const Case& one, std::uint64_t seed) {
  const auto problem = problem_of(one.size, seed);
  const auto* rule = find_gavel_rule(one.policy);
  for (auto step : state) {
    auto shares = rule->solve(problem);
    benchmark::DoNotOptimize(shares);
    if (!shares) state.SkipWithError(shares.error().message.c_str());
    for (const auto& note : shares->notes)
      if (note.find("settle") != std::string::npos) state.SkipWithError(note.c_str());
  }
}

// The same largest level by one cold linear program of Clp: what a plain solver takes on this machine.
void run_clp(benchmark::State& state, std::size_t jobs) {
  const auto problem = problem_of({.jobs = jobs}, 0);
  solvers::Market market{3, problem.gpus, std::vector<double>(jobs, 1.0), {}};
  for (const auto& job : problem.jobs) {
    double mean = 0;
    for (const double speed : job.steps_per_s) mean += speed / 3;
    for (const double speed : job.steps_per_s) market.utility.push_back(speed / mean);
  }
  for (auto step : state) {
    const auto direct = solvers::max_min_directly(market);
    if (!direct) state.SkipWithError(direct.error().message.c_str());
  }
}

// Keeps the best time of every benchmark, and prints as usual.
class Collector : public benchmark::ConsoleReporter {
 public:
  Collector() : ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const auto& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      auto& slot = best_[run.run_name.function_name];
      if (run.error_occurred) slot = {true, 0};
      const double ms = run.GetAdjustedCPUTime();
      if (!slot.failed && (slot.ms == 0 || ms < slot.ms)) slot.ms = ms;
    }
  }
  struct Best {
    bool failed = false;
    double ms = 0;
  };
  [[nodiscard]] Best best(const std::string& name) const {
    const auto at = best_.find(name);
    return at == best_.end() ? Best{} : at->second;
  }

 private:
  std::map<std::string, Best> best_;
};

// One line per case that ran. False when a bar was missed.
bool summarise(const Collector& collector, std::uint64_t seeds) {
  bool good = true;
  std::printf("\n%-46s %10s %9s  %s\n", "best of the runs, CPU time; worst seed", "ms", "bar", "beside");
  for (const auto& one : cases()) {
    double worst = 0;
    bool failed = false;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const auto best = collector.best(label_of(one) + " seed " + std::to_string(seed));
      worst = std::max(worst, best.ms);
      failed = failed || best.failed;
    }
    if (worst == 0 && !failed) continue;
    const bool missed = failed || worst > one.bar_ms;
    good = good && !missed;
    std::printf("%-46s %10.2f %9.0f  %s%s\n", label_of(one).c_str(), worst, one.bar_ms, one.beside,
                failed   ? "  FAILED"
                : missed ? "  MISSED"
                         : "");
  }
  const double las = collector.best(label_of(cases()[0]) + " seed 0").ms;
  const double clp = collector.best("clp las 2048 jobs").ms;
  if (las > 0 && clp > 0) {
    const bool missed = clp < 50 * las;
    good = good && !missed;
    std::printf("%-46s %10.0f %9d  times faster than one cold Clp program%s\n", "gavel-las 2048 jobs 3 types",
                clp / las, 50, missed ? "  MISSED" : "");
  }
  return good;
}

}  // namespace
}  // namespace hadar

int main(int argc, char** argv) {
  using namespace hadar;
  constexpr std::uint64_t kSeeds = 3;
  bool check = false;
  std::vector<char*> rest;
  for (int k = 0; k < argc; ++k) {
    if (std::strcmp(argv[k], "--check") == 0)
      check = true;
    else
      rest.push_back(argv[k]);
  }
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  for (const auto& one : cases())
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
      benchmark::RegisterBenchmark((label_of(one) + " seed " + std::to_string(seed)).c_str(),
                                   [&one, seed](benchmark::State& state) { run_case(state, one, seed); })
          ->Iterations(one.bar_ms > 100 ? 1 : 3)
          ->Repetitions(one.bar_ms > 100 ? 1 : 5)
          ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("clp las 2048 jobs", [](benchmark::State& state) { run_clp(state, 2048); })
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  const bool good = summarise(collector, kSeeds);
  return check && !good ? 1 : 0;
}
