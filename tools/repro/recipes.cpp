#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "tools/repro/recipe.hpp"

namespace hadar::repro {

namespace {

constexpr std::string_view kManySeeds = "1..40";
constexpr std::string_view kGavelSeeds = "0..2";  // those of the published runs

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> kRecipes{
      {"hadar-60gpu", "Hadar's simulations: 480 jobs on 60 GPUs of three types, seven workloads", sixty_gpus},
      {"hadar-mixed-gangs", "gangs larger than any one type's free GPUs", mixed_gangs},
      {"hadare-lab", "HadarE's lab cluster: mixes of 1 to 12 jobs on five unlike nodes", hadare_lab, kManySeeds},
      {"hadare-aws", "HadarE's AWS cluster: the same mixes on V100, 2 T4, A10G, K80", hadare_aws, kManySeeds},
      {"gavel-jct", "Gavel's figures: mean JCT on 108 GPUs under load", gavel_jct, kGavelSeeds},
      {"gavel-makespan", "Gavel's figures: makespan of jobs that are all there at 0", gavel_makespan, kGavelSeeds},
      {"estimator", "first guesses of speeds, on what they never saw", estimator},
      {.name = "sia-traces",
       .summary = "Sia's public workloads on its 64 GPUs; needs --data",
       .run = sia_traces,
       .needs_data = true},
  };
  return kRecipes;
}

namespace {

bool one_of(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

std::string list_of(const std::set<std::string>& names) {
  return fmt::format("must be one of {}", fmt::join(names, ", "));
}

Status check_names(const std::vector<Experiment>& experiments, const RecipeOptions& options) {
  std::set<std::string> schemes;
  std::set<std::string> policies;
  for (const auto& experiment : experiments)
    for (const auto& scheme : experiment.schemes) {
      schemes.insert(scheme.name);
      policies.insert(scheme.policy);
    }
  for (const auto& name : options.schemes)
    if (!schemes.count(name))
      return fail(ErrorCode::kNotFound, "no scheme is called \"" + name + "\", " + list_of(schemes));
  for (const auto& [policy, settings] : options.settings)
    if (!policies.count(policy))
      return fail(ErrorCode::kNotFound, "no scheme runs policy \"" + policy + "\", " + list_of(policies));
  return {};
}

bool shown(const Comparison& comparison, const std::vector<std::string>& schemes) {
  return one_of(schemes, comparison.ours) && (comparison.against.empty() || one_of(schemes, comparison.against));
}

// Leaves out what was not asked for, and puts in what was.
void adapt(Experiment& experiment, const RecipeOptions& options) {
  std::erase_if(experiment.schemes, [&](const Scheme& s) { return !one_of(options.schemes, s.name); });
  std::erase_if(experiment.comparisons, [&](const Comparison& c) { return !shown(c, options.schemes); });
  for (auto& scheme : experiment.schemes)
    if (const auto told = options.settings.find(scheme.policy); told != options.settings.end())
      for (const auto& [key, value] : told->second) scheme.settings[key] = value;
  if (!options.prices) return;
  experiment.make = [make = std::move(experiment.make), prices = *options.prices](std::uint64_t seed) {
    auto made = make(seed);
    if (made) made->base.prices = prices;
    return made;
  };
}

}  // namespace

Result<Report> run_experiments(std::vector<std::string> header, std::vector<Experiment> experiments,
                               std::vector<Comparison> summary, const RecipeOptions& options) {
  std::string names;
  for (const auto& experiment : experiments) names += (names.empty() ? "" : ", ") + experiment.name;
  std::erase_if(experiments, [&](const Experiment& e) { return !e.name.starts_with(options.only); });
  if (experiments.empty())
    return fail(ErrorCode::kNotFound,
                "no experiment's name begins with \"" + options.only + "\", must be one of " + names);
  if (auto known = check_names(experiments, options); !known) return fail(std::move(known));
  for (auto& experiment : experiments) adapt(experiment, options);
  std::erase_if(experiments, [](const Experiment& e) { return e.schemes.empty(); });
  std::erase_if(summary, [&](const Comparison& c) { return !shown(c, options.schemes); });
  auto outcomes = measure(experiments, options.measure);
  if (!outcomes) return fail(std::move(outcomes));
  auto report = report_of(*outcomes, options.measure.seeds);
  if (!summary.empty() && outcomes->size() > 1) add_summary(report, *outcomes, summary);
  report.header = std::move(header);
  return report;
}

}  // namespace hadar::repro
