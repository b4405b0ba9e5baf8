#include <array>

#include "tools/repro/class_mix.hpp"
#include "tools/repro/clusters.hpp"
#include "tools/repro/recipe.hpp"

namespace hadar::repro {
namespace {

constexpr std::uint64_t kJobs = 480;
constexpr double kRestart_s = 10;
constexpr std::array<double, 4> kPhilly{.71, .22, .04, .03};
constexpr std::array<double, 4> kBalanced{.60, .25, .10, .05};
constexpr std::array<double, 4> kMid{.45, .30, .15, .10};
constexpr std::array<double, 4> kUniform{.25, .25, .25, .25};
constexpr std::array<double, 4> kMostlySingle{.70, .10, .15, .05};

Result<Case> make_case(const ClassMix& mix, std::uint64_t seed) {
  Case made;
  made.base.nodes = nodes_of({{"V100", 4, 5}, {"P100", 4, 5}, {"K80", 4, 5}});
  made.base.throughputs = free_placement_speeds();
  made.base.costs = [](const JobSpec&) { return TrainerCosts{kRestart_s, 0}; };
  auto drawn = draw_workload(mix, kJobs, seed);
  made.workload = std::move(drawn.jobs);
  made.useful_gpu_s = drawn.useful_gpu_s;
  return made;
}

Experiment experiment_of(ClassMix mix) {
  const bool at_once = mix.jobs_per_h == 0;
  Experiment experiment;
  experiment.name = mix.name;
  experiment.setup = text_of(mix);
  experiment.make = [mix = std::move(mix)](std::uint64_t seed) { return make_case(mix, seed); };
  experiment.schemes = {{"hadar", "hadar"}, {"gavel-las", "gavel-las"}, {"gavel-2022", "gavel-las", {}, true}};
  experiment.comparisons = {{"hadar", "gavel-las", Figure::kMakespan, "1.17-1.21"},
                            {"hadar", "gavel-las", Figure::kGpusBusy, "about 1.20"},
                            {"hadar", "gavel-las", Figure::kMeanJct, "2.5 (another set-up)"},
                            {"hadar", "gavel-las", Figure::kP99Jct},
                            {"hadar", "gavel-2022", Figure::kMakespan},
                            {"hadar", "gavel-2022", Figure::kGpusBusy},
                            {"hadar", "gavel-2022", Figure::kMeanJct},
                            {"hadar", "gavel-2022", Figure::kP99Jct}};
  if (!at_once) return experiment;
  experiment.schemes.push_back({"tiresias", "tiresias-las", {{"placement", std::string("sticky")}}});
  experiment.schemes.push_back({"tiresias re-placed", "tiresias-las", {{"placement", std::string("re-placed")}}});
  experiment.schemes.push_back({"yarn-cs", "yarn-cs"});
  for (const char* other : {"tiresias", "tiresias re-placed"}) {
    experiment.comparisons.push_back({"hadar", other, Figure::kMakespan, "1.35"});
    experiment.comparisons.push_back({"hadar", other, Figure::kMeanJct});
  }
  experiment.comparisons.push_back({"hadar", "yarn-cs", Figure::kMakespan, "1.67"});
  experiment.comparisons.push_back({"hadar", "yarn-cs", Figure::kMeanJct, "3 (another set-up)"});
  return experiment;
}

std::vector<Experiment> experiments() {
  const auto& philly = gangs_of_philly();
  const auto single = gangs_alike(kMostlySingle);
  const auto even = gangs_alike(kUniform);
  std::vector<Experiment> all;
  for (auto& mix : std::vector<ClassMix>{{"balanced G0", kBalanced, philly},
                                         {"balanced G1", kBalanced, single},
                                         {"balanced G2", kBalanced, even},
                                         {"philly G0", kPhilly, philly},
                                         {"philly G1", kPhilly, single},
                                         {"mid G1", kMid, single},
                                         {"uniform G1", kUniform, single},
                                         {"philly G1 at 5/h", kPhilly, single, 5},
                                         {"philly G1 at 16/h", kPhilly, single, 16},
                                         {"uniform G1 at 1.2/h", kUniform, single, 1.2},
                                         {"uniform G1 at 4/h", kUniform, single, 4}})
    all.push_back(experiment_of(std::move(mix)));
  return all;
}

}  // namespace

Result<Report> sixty_gpus(const RecipeOptions& options) {
  return run_experiments(
      {"15 nodes of four GPUs: 20 V100, 20 P100, 20 K80; 480 jobs; rounds of 360 s; 10 s from a lease's start to its "
       "first step; gangs over several nodes at no loss",
       "Speeds: Gavel's measured table (OSDI'20). Published: Hadar (arXiv 2503.10918), against Tiresias and YARN-CS as "
       "recalled; its workload's shares are not known, so several stand here side by side",
       "gavel-las shares GPU time as Gavel does, under this project's own rounds: early replans, and a job that comes "
       "waits for no reset. gavel-2022 is the same policy in rounds to the letter of Gavel's public simulator, its "
       "leases "
       "renewed where a job stays",
       "Ceiling: no scheduler can be faster than the makespan's linear program. The gain comes from order and "
       "matching; "
       "gangs of mixed types add about 1 % here"},
      experiments(), {}, options);
}

}  // namespace hadar::repro
