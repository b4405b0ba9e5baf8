#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.hpp"
#include "tools/cli/text.hpp"
#include "tools/traces/measured_speeds.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const EstimateCheckOptions& options, const EstimateCheck& check) {
  const auto& prior = check.prior;
  const auto& sides = check.colocation;
  Table table({"MODEL LEFT OUT", "ROWS", "NOTHING KNOWN", "ONE TYPE MEASURED"});
  for (const auto& error : check.models)
    table.add({error.model, std::to_string(error.rows), fmt::format("x {:.2f}", error.factor_unseen),
               fmt::format("x {:.2f}", error.factor_measured)});
  auto text = fmt::format(
      "First guess: steps/s = exp({:.3f} {:+.3f} class) x (batch size / 32)^{:.3f} x performance index\n"
      "Off by, on average, on a model it never saw:\n{}"
      "Side by side: {} job types, each measured on {:g} % of its pairs with {} reference types; on the {} pairs left\n"
      "out, the part of its own speed that a job keeps is off by {:.3f} on average (the references' mean: {:.3f})\n",
      prior.log_scale, prior.complexity, prior.batch, table.text(), sides.job_types, 100 * options.profiled,
      options.references, sides.cells, sides.mean_error, sides.mean_error_of_mean);
  if (check.columns_left_out > 0)
    text += fmt::format("{} columns that are not measured for every job type are left out\n", check.columns_left_out);
  return text;
}

Json json_of(const EstimateArgs& args, const EstimateCheck& check) {
  Json models = Json::array();
  for (const auto& error : check.models)
    models.push_back({{"model", error.model},
                      {"rows", error.rows},
                      {"factor_unseen", error.factor_unseen},
                      {"factor_measured", error.factor_measured}});
  const auto& prior = check.prior;
  const auto& sides = check.colocation;
  return {{"throughputs", args.throughputs.empty() ? Json(nullptr) : Json(args.throughputs)},
          {"prior", {{"log_scale", prior.log_scale}, {"batch", prior.batch}, {"complexity", prior.complexity}}},
          {"models_left_out", std::move(models)},
          {"colocation",
           {{"references", args.options.references},
            {"profiled_fraction", args.options.profiled},
            {"seed", args.options.seed},
            {"job_types", sides.job_types},
            {"cells", sides.cells},
            {"columns_left_out", check.columns_left_out},
            {"mean_error", sides.mean_error},
            {"mean_error_of_mean", sides.mean_error_of_mean}}}};
}

}  // namespace

CommandResult run_estimate_check(const Settings& settings, const EstimateArgs& args) {
  ThroughputFile given;
  if (!args.throughputs.empty()) {
    auto file = load_throughput_file(args.throughputs);
    if (!file) return stop_usage(std::move(file.error()));
    given = *std::move(file);
  }
  const auto check = check_estimates(args.throughputs.empty() ? traces::gavel_throughput_file() : given, args.options);
  if (!check) return stop_usage(check.error());
  print(settings.json ? json_of(args, *check).dump(2) + "\n" : text_of(args.options, *check));
  return ExitCode::kDone;
}

}  // namespace hadar::cli
