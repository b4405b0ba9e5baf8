#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "launchers/policies.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/simulate_args.hpp"
#include "tools/cli/simulate_settings.hpp"
#include "tools/cli/text.hpp"
#include "tools/repro/recipe.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostSeeds = 10000;

CommandResult list(const Settings& settings) {
  Json json = Json::array();
  Table table({"NAME", "WHAT"});
  for (const auto& recipe : repro::recipes()) {
    table.add({std::string(recipe.name), std::string(recipe.summary)});
    json.push_back({{"name", recipe.name}, {"summary", recipe.summary}});
  }
  print(settings.json ? json.dump(2) + "\n" : table.text());
  return ExitCode::kDone;
}

std::string text_of(const repro::Report& report, const std::string& name, const std::string& seeds) {
  std::string text = name + ", seeds " + seeds + ", means ± half the 95 % interval\n";
  for (const auto& line : report.header) text += line + "\n";
  for (const auto& section : report.sections) {
    text += "\n" + section.title + "\n";
    for (const auto& grid : section.grids) {
      Table table(grid.header);
      for (const auto& row : grid.rows) table.add(row);
      text += table.text();
    }
    for (const auto& note : section.notes) text += note + "\n";
  }
  return text;
}

void show_progress(std::size_t done, std::size_t runs) {
  std::fputs(fmt::format("\r{} {} of {} runs\x1b[K",
                         bar_text(static_cast<double>(done) / static_cast<double>(runs), 30, false), done, runs)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

// What would be ignored is no choice.
Status check_list(const ReproArgs& args) {
  for (const auto& [option, given] :
       {std::pair{"--seeds", !args.seeds.empty()}, std::pair{"--only", !args.only.empty()},
        std::pair{"--schemes", !args.schemes.empty()}, std::pair{"--set", !args.set.empty()},
        std::pair{"--data", !args.data.empty()}, std::pair{"--threads", args.threads != 1}})
    if (given)
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: repro list runs nothing, give it with the name of a recipe", option));
  return {};
}

Status check_for(const repro::Recipe& recipe, const ReproArgs& args) {
  if (!args.data.empty() && !recipe.needs_data)
    return fail(ErrorCode::kInvalidArgument, fmt::format("--data: {} reads none, leave it out", recipe.name));
  for (const auto& name : args.schemes) {
    if (name.empty())
      return fail(ErrorCode::kInvalidArgument, "--schemes: got an empty name, must be names with commas between");
    if (std::count(args.schemes.begin(), args.schemes.end(), name) > 1)
      return fail(ErrorCode::kInvalidArgument, "--schemes: " + name + " is there twice");
  }
  return {};
}

CommandResult list_recipes(const Settings& settings, const ReproArgs& args) {
  if (auto right = check_list(args); !right) return stop_usage(std::move(right.error()));
  return list(settings);
}

}  // namespace

CommandResult run_repro(const Settings& settings, const ReproArgs& args) {
  if (args.recipe == "list") return list_recipes(settings, args);
  const auto& all = repro::recipes();
  const auto recipe = std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.name == args.recipe; });
  if (recipe == all.end())
    return stop_usage({ErrorCode::kNotFound, "repro: nothing is called " + args.recipe + "; see hadar repro list"});
  if (auto right = check_for(*recipe, args); !right) return stop_usage(std::move(right.error()));
  const auto range = args.seeds.empty() ? std::string(recipe->seeds) : args.seeds;
  auto seeds = parse_seeds(range, kMostSeeds);
  if (!seeds) return stop_usage(std::move(seeds.error()));
  std::vector<std::string> names;
  for (const auto& policy : policies()) names.emplace_back(policy.name);
  auto set = parse_settings(args.set, names);
  if (!set) return stop_usage(std::move(set.error()));
  repro::RecipeOptions options;
  options.schemes = args.schemes;
  options.settings = std::move(set->of_policy);
  options.prices = std::move(set->prices);
  options.measure.seeds = *std::move(seeds);
  options.measure.threads = args.threads;
  options.only = args.only;
  options.data = args.data;
  const bool terminal = isatty(STDERR_FILENO) == 1;
  if (terminal) options.measure.progress = show_progress;
  auto report = recipe->run(options);
  if (terminal) std::fputs("\r\x1b[K", stderr);
  if (!report)
    return report.error().code == ErrorCode::kNotFound ? stop_usage(std::move(report.error()))
                                                       : stop(std::move(report.error()));
  if (!args.set.empty()) report->header.push_back(fmt::format("Not as the recipe says: {}", fmt::join(args.set, ", ")));
  if (!settings.json) {
    print(text_of(*report, args.recipe, range));
    return ExitCode::kDone;
  }
  Json out = {{"recipe", args.recipe}, {"seeds", options.measure.seeds}, {"header", report->header}};
  out.update(report->json);
  print(out.dump(1) + "\n");
  return ExitCode::kDone;
}

}  // namespace hadar::cli
