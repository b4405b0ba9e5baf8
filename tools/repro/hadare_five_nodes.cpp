#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "tools/repro/recipe.hpp"
#include "tools/traces/random.hpp"

namespace hadar::repro {
namespace {

constexpr double kRestart_s = 10;
constexpr double kFastest = 10;  // steps/s of every job on its fastest node
constexpr double kMinute_s = 60;

// FP32 figures of the vendors' data sheets.
struct NodeGpu {
  const char* type;
  double tflops;
  double memory_gb_s;
};

using FiveNodes = std::vector<NodeGpu>;

const FiveNodes& lab() {
  static const FiveNodes nodes{{"RTX 3090", 35.58, 936.2},
                               {"Titan RTX", 16.31, 672},
                               {"T4", 8.14, 320},
                               {"RTX A2000", 7.99, 288},
                               {"T400", 1.09, 80}};
  return nodes;
}

const FiveNodes& aws() {
  static const FiveNodes nodes{
      {"V100", 14.13, 897}, {"T4", 8.14, 320}, {"T4", 8.14, 320}, {"A10G", 31.52, 600.2}, {"K80", 4.11, 240.6}};
  return nodes;
}

// How much a job gains from compute and how much from memory bandwidth is drawn, and so is its length.
TraceJob draw_job(const FiveNodes& nodes, int number, traces::Random& random) {
  const double compute = random.uniform(.3, .7);
  const double alone_s = random.uniform(20, 90) * kMinute_s;
  TraceJob job;
  job.spec.name = fmt::format("job-{}", number);
  job.spec.workload = job.spec.model = "sleep";
  job.spec.total_steps = static_cast<std::uint64_t>(alone_s * kFastest);
  double best = 0;
  auto& speeds = job.spec.sleep.steps_per_s;
  for (const auto& node : nodes) {
    speeds[node.type] = std::pow(node.tflops, compute) * std::pow(node.memory_gb_s, 1 - compute);
    best = std::max(best, speeds[node.type]);
  }
  for (auto& [type, speed] : speeds) speed *= kFastest / best;
  return job;
}

// No scheduler ends sooner, however it forks: any prices per node second that sum to 1 bound the makespan from below by
// what the cheapest node for each job costs it (the dual of the makespan's linear program). Raised step by step.
double makespan_bound_s(const FiveNodes& nodes, const std::vector<TraceJob>& jobs) {
  std::vector<double> prices(nodes.size(), 1.0 / static_cast<double>(nodes.size()));
  double best = 0;
  for (int step = 1; step <= 4000; ++step) {
    std::vector<double> load(nodes.size(), 0);  // seconds of work on each node at these prices
    double bound = 0;
    for (const auto& job : jobs) {
      std::size_t cheapest = 0;
      double least = HUGE_VAL;
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        const double seconds = static_cast<double>(job.spec.total_steps) / job.spec.sleep.steps_per_s.at(nodes[n].type);
        if (seconds * prices[n] >= least) continue;
        least = seconds * prices[n];
        cheapest = n;
      }
      bound += least;
      load[cheapest] += least / prices[cheapest];
    }
    best = std::max(best, bound);
    double sum = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) sum += prices[n] *= std::exp(load[n] / bound / (10 + step));
    for (auto& price : prices) price /= sum;
  }
  return best;
}

Result<Case> make_case(const FiveNodes& nodes, int jobs, std::uint64_t seed) {
  Case made;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    made.base.nodes.push_back({fmt::format("node-{}", n + 1), {{nodes[n].type, 1}}, 0, 0, false});
  made.base.costs = [](const JobSpec&) { return TrainerCosts{kRestart_s, 0}; };
  traces::Random random(seed * 1000 + static_cast<std::uint64_t>(jobs));
  for (int number = 1; number <= jobs; ++number) made.workload.push_back(draw_job(nodes, number, random));
  made.ceiling_s = makespan_bound_s(nodes, made.workload);
  return made;
}

struct Published {
  const char* saved;
  const char* jct;
  const char* busy;
};

std::vector<Comparison> comparisons(const Published& published) {
  std::vector<Comparison> all{{"hadare", "", Figure::kNodesBusy},
                              {"hadare", "", Figure::kNodesHeld},
                              {"hadare", "gavel-las", Figure::kMakespanSaved, published.saved},
                              {"hadare", "gavel-las", Figure::kMeanJct, published.jct},
                              {"hadare", "gavel-las", Figure::kNodesBusy, published.busy},
                              {"hadare", "gavel-las", Figure::kNodesHeld, published.busy}};
  for (const auto& [ours, other] :
       {std::pair{"hadare", "yarn-cs"}, std::pair{"hadare", "hadar"}, std::pair{"hadare by jct", "hadar by jct"}})
    for (const auto figure : {Figure::kMakespanSaved, Figure::kMeanJct, Figure::kNodesBusy})
      all.push_back({ours, other, figure});
  all.push_back({"hadare, eta .5", "gavel-las", Figure::kMakespanSaved});
  all.push_back({"hadare, eta .5", "gavel-las", Figure::kMeanJct});
  return all;
}

Experiment experiment_of(const FiveNodes& nodes, int jobs, double round_s, const Published& published) {
  Experiment made;
  made.name = fmt::format("M-{}", jobs);
  if (round_s != 360) made.name = fmt::format("rounds of {:.0f} s, M-{}", round_s, jobs);
  made.setup = fmt::format("{} job{} at 0, 20 to 90 minutes on the fastest node", jobs, jobs == 1 ? "" : "s");
  made.make = [&nodes, jobs, round_s](std::uint64_t seed) {
    auto one = make_case(nodes, jobs, seed);
    if (one) one->base.round_s = round_s;
    return one;
  };
  const PolicySettings by_jct{{"utility", std::string("jct")}};
  made.schemes = {{"hadare", "hadare"},       {"hadare by jct", "hadare", by_jct},
                  {"hadar", "hadar"},         {"hadar by jct", "hadar", by_jct},
                  {"gavel-las", "gavel-las"}, {"hadare, eta .5", "hadare", {}, false, .5},
                  {"yarn-cs", "yarn-cs"}};
  made.comparisons = comparisons(published);
  return made;
}

Result<Report> five_nodes(const FiveNodes& nodes, const std::string& names, const Published& published,
                          const RecipeOptions& options) {
  std::vector<Experiment> experiments;
  for (const int jobs : {1, 3, 4, 5, 8, 10, 12}) experiments.push_back(experiment_of(nodes, jobs, 360, published));
  if (options.only.starts_with("rounds"))
    for (const double round_s : {90.0, 180.0, 720.0})
      for (const int jobs : {1, 3, 4, 5, 8, 10, 12})
        experiments.push_back(experiment_of(nodes, jobs, round_s, published));
  return run_experiments(
      {"Five nodes with one GPU each: " + names +
           "; rounds of 360 s; 10 s from a lease's start to its first step, which a fork pays every round and a gang "
           "that stays on its GPUs once",
       "Speed of a job on a node: TFLOPS^a x bandwidth^(1 - a), a drawn per job from .3 to .7. The published mixes, "
       "their lengths and speeds are not known: this is a family, not a reconstruction",
       "Nodes busy counts step loops only: with rounds of 360 s, forks that start anew each round cannot pass .972. "
       "With starts it counts all time under lease, as the prototype behind the bars did",
       "Ceiling: the makespan's linear program, every job on all nodes at once without merging",
       "yarn-cs takes jobs in their order and never moves one. hadar is compared with hadare of the same utility: its "
       "own (mean JCT and makespan), and jct alone. Under its own, hadar gives up JCT for the makespan, and merging "
       "costs hadare up to some 4 % (lab) and 7 % (AWS) of TTD from M-8 up",
       "eta .5: merges keep half of what slower forks add, jobs end when their steps are worth what was asked, and "
       "hadare is told nothing of it: it fits eta to the losses its forks report. gavel-las never forks, so its steps "
       "are "
       "worth their number",
       "Published: HadarE (arXiv 2503.10918), of which only its abstract and a summary were at hand. No schedule can "
       "save 50 to 80 % against gavel-las here: see the ceilings. It is near what a baseline that never moves a job "
       "loses"},
      std::move(experiments), comparisons(published), options);
}

}  // namespace

Result<Report> hadare_lab(const RecipeOptions& options) {
  return five_nodes(lab(), "RTX 3090, Titan RTX, T4, RTX A2000, T400", {".80", "2.23-2.76", "1.45-1.62"}, options);
}

Result<Report> hadare_aws(const RecipeOptions& options) {
  return five_nodes(aws(), "V100, two T4, A10G, K80", {".50", "2.23-2.76", "1.45-1.62"}, options);
}

}  // namespace hadar::repro
