// Named experiments that rebuild what papers report.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/repro/report.hpp"

namespace hadar::repro {

struct RecipeOptions {
  MeasureOptions measure;
  std::filesystem::path data;                      // folder of public data, for recipes that need one; empty = none
  std::string only;                                // experiments whose name begins so; empty = all
  std::vector<std::string> schemes;                // only these are run and compared; empty = all
  std::map<std::string, PolicySettings> settings;  // by policy, over what its schemes set themselves
  std::optional<PriceOptions> prices;              // instead of the recipe's
};

struct Recipe {
  std::string_view name;
  std::string_view summary;
  Result<Report> (*run)(const RecipeOptions& options) = nullptr;
  std::string_view seeds = "1..5";  // unless others are asked for: more where runs are short and unlike
  bool needs_data = false;          // reads RecipeOptions::data; of any other it would be ignored
};

// All recipes, in the order they are shown.
const std::vector<Recipe>& recipes();

// Measures the experiments asked for and reports them under `header`; with `summary`, over all of them too. Errors: as
// measure; kNotFound when none has a name that begins as asked, for a scheme that none of them has, and for settings of
// a policy that none of them runs.
Result<Report> run_experiments(std::vector<std::string> header, std::vector<Experiment> experiments,
                               std::vector<Comparison> summary, const RecipeOptions& options);

// Each made in its own file.
Result<Report> sixty_gpus(const RecipeOptions& options);
Result<Report> mixed_gangs(const RecipeOptions& options);
Result<Report> hadare_lab(const RecipeOptions& options);
Result<Report> hadare_aws(const RecipeOptions& options);
Result<Report> gavel_jct(const RecipeOptions& options);
Result<Report> gavel_makespan(const RecipeOptions& options);
Result<Report> estimator(const RecipeOptions& options);
Result<Report> sia_traces(const RecipeOptions& options);

}  // namespace hadar::repro
