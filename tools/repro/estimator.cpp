#include <array>
#include <fmt/format.h>

#include "launchers/estimate_check.hpp"
#include "tools/report/interval.hpp"
#include "tools/repro/recipe.hpp"
#include "tools/traces/measured_speeds.hpp"

namespace hadar::repro {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kProfiled{0.1, 0.2, 0.4, 0.8};

std::string interval_text(const report::Interval& interval) {
  return fmt::format("{:.3f}", interval.mean) + (interval.half ? fmt::format(" ±{:.2g}", *interval.half) : "");
}

void add_prior(Report& report, const std::vector<PriorError>& models) {
  Grid grid{{"MODEL LEFT OUT", "SPEEDS", "NOTHING KNOWN", "ONE TYPE MEASURED"}, {}};
  report.json["models_left_out"] = Json::array();
  for (const auto& error : models) {
    grid.rows.push_back({error.model, std::to_string(error.rows), fmt::format("x {:.2f}", error.factor_unseen),
                         fmt::format("x {:.2f}", error.factor_measured)});
    report.json["models_left_out"].push_back({{"model", error.model},
                                              {"rows", error.rows},
                                              {"factor_unseen", error.factor_unseen},
                                              {"factor_measured", error.factor_measured}});
  }
  report.sections.push_back({"A model it never saw: off by a factor of, on average", {std::move(grid)}, {}});
}

Status add_colocation(Report& report, const std::vector<std::uint64_t>& seeds) {
  Grid grid{{"PART PROFILED", "COMPLETED BY MATRIX", "MEAN OF REFERENCES"}, {}};
  report.json["colocation"] = Json::array();
  for (const double profiled : kProfiled) {
    std::vector<double> errors;
    std::vector<double> of_mean;
    for (const auto seed : seeds) {
      const auto check = check_estimates(traces::gavel_throughput_file(), {.profiled = profiled, .seed = seed});
      if (!check) return tl::unexpected<Error>(check.error());
      errors.push_back(check->colocation.mean_error);
      of_mean.push_back(check->colocation.mean_error_of_mean);
    }
    const auto error = report::interval_of(errors);
    const auto mean = report::interval_of(of_mean);
    grid.rows.push_back({fmt::format("{:g} %", 100 * profiled), interval_text(error), interval_text(mean)});
    report.json["colocation"].push_back(
        {{"profiled", profiled}, {"mean_error", error.mean}, {"mean_error_of_mean", mean.mean}});
  }
  report.sections.push_back({"Two jobs on one GPU: error in the part of its speed that a job keeps, on pairs left out",
                             {std::move(grid)},
                             {}});
  return {};
}

}  // namespace

Result<Report> estimator(const RecipeOptions& options) {
  if (!options.only.empty() || !options.schemes.empty() || !options.settings.empty() || options.prices)
    return fail(ErrorCode::kNotFound,
                "the estimator's recipe is whole: it runs no schemes, and has no parts to choose");
  Report report;
  report.header = {"Gavel's measured table (OSDI'20): each model left out of the fit in turn; 16 reference job types"};
  const auto check = check_estimates(traces::gavel_throughput_file(), {});
  if (!check) return tl::unexpected<Error>(check.error());
  add_prior(report, check->models);
  if (auto added = add_colocation(report, options.measure.seeds); !added) return fail(std::move(added));
  return report;
}

}  // namespace hadar::repro
