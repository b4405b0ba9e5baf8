// Named experiments that rebuild what papers report.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tools/repro/report.hpp"

namespace hadar::repro {

struct RecipeOptions {
  MeasureOptions measure;
  std::filesystem::path data;  // folder of public data, for recipes that need one; empty = none
  std::string only;            // experiments whose name begins so; empty = all
};

struct Recipe {
  std::string_view name;
  std::string_view summary;
  Result<Report> (*run)(const RecipeOptions& options) = nullptr;
};

// All recipes, in the order they are shown.
const std::vector<Recipe>& recipes();

// Measures the experiments asked for and reports them under `header`; with `summary`, over all of them too. Errors: as
// measure; kNotFound when none has a name that begins as asked.
Result<Report> run_experiments(std::vector<std::string> header, std::vector<Experiment> experiments,
                               const std::vector<Comparison>& summary, const RecipeOptions& options);

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
