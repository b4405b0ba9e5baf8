#include <algorithm>
#include <fmt/format.h>

#include "tools/repro/recipe.hpp"

namespace hadar::repro {

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> kRecipes{
      {"hadar-60gpu", "Hadar's simulations: 480 jobs on 60 GPUs of three types, seven workloads", sixty_gpus},
      {"hadar-mixed-gangs", "gangs larger than any one type's free GPUs", mixed_gangs},
      {"hadare-lab", "HadarE's lab cluster: mixes of 1 to 12 jobs on five unlike nodes", hadare_lab},
      {"hadare-aws", "HadarE's AWS cluster: the same mixes on V100, 2 T4, A10G, K80", hadare_aws},
      {"gavel-jct", "Gavel's figures: mean JCT on 108 GPUs under load", gavel_jct},
      {"gavel-makespan", "Gavel's figures: makespan of jobs that are all there at 0", gavel_makespan},
      {"estimator", "first guesses of speeds, on what they never saw", estimator},
      {"sia-traces", "Sia's public workloads on its 64 GPUs; needs --data", sia_traces},
  };
  return kRecipes;
}

Result<Report> run_experiments(std::vector<std::string> header, std::vector<Experiment> experiments,
                               const std::vector<Comparison>& summary, const RecipeOptions& options) {
  std::string names;
  for (const auto& experiment : experiments) names += (names.empty() ? "" : ", ") + experiment.name;
  std::erase_if(experiments, [&](const Experiment& e) { return !e.name.starts_with(options.only); });
  if (experiments.empty())
    return fail(ErrorCode::kNotFound,
                "no experiment's name begins with \"" + options.only + "\", must be one of " + names);
  auto outcomes = measure(experiments, options.measure);
  if (!outcomes) return fail(std::move(outcomes));
  auto report = report_of(*outcomes, options.measure.seeds);
  if (!summary.empty() && outcomes->size() > 1) add_summary(report, *outcomes, summary);
  report.header = std::move(header);
  return report;
}

}  // namespace hadar::repro
