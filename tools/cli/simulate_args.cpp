#include "tools/cli/simulate_args.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "launchers/policies.hpp"
#include "launchers/share_rules.hpp"
#include "runtime/config/cluster_config.hpp"
#include "runtime/config/csv.hpp"
#include "runtime/config/throughput_csv.hpp"
#include "tools/cli/simulate_prices.hpp"
#include "tools/cli/simulate_settings.hpp"
#include "tools/repro/trace_jobs.hpp"
#include "tools/traces/measured_speeds.hpp"
#include "tools/traces/trace.hpp"

namespace hadar::cli {
namespace {

constexpr std::uint64_t kMostSeeds = 100000;

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

Result<std::vector<std::string>> policies_of(const std::string& text) {
  std::vector<std::string> names;
  if (text == "all") {
    for (const auto& entry : policies()) names.emplace_back(entry.name);
    return names;
  }
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    names.push_back(text.substr(from, comma - from));
    if (names.back() == "all")
      return fail(ErrorCode::kInvalidArgument, "--policy: all stands alone, it is every policy; leave the others out");
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      return fail(ErrorCode::kInvalidArgument, "--policy: " + names.back() + " is there twice");
    if (auto made = make_policy(names.back()); !made) return fail(std::move(made));
    from = comma + 1;
  }
  return names;
}

// Columns model,load_s,save_s; model "*" stands for all others.
Result<std::map<std::string, TrainerCosts>> load_costs(const std::string& file) {
  std::map<std::string, TrainerCosts> costs;
  if (file.empty()) return costs;
  const auto table = load_csv(file);
  if (!table) return tl::unexpected<Error>(table.error());
  if (table->header.cells != std::vector<std::string>{"model", "load_s", "save_s"})
    return fail(ErrorCode::kInvalidArgument, file + ":1: the header must be model,load_s,save_s");
  for (const auto& row : table->rows) {
    TrainerCosts cost;
    for (std::size_t column = 1; column < 3; ++column) {
      auto& target = column == 1 ? cost.load_s : cost.save_s;
      if (!read_whole(row.cells[column], target) || !std::isfinite(target) || target < 0)
        return tl::unexpected<Error>(table->cell_error(row, column, "a number of seconds, at least 0"));
    }
    if (!costs.emplace(row.cells[0], cost).second)
      return tl::unexpected<Error>(table->cell_error(row, 0, "a model that is not there yet"));
  }
  return costs;
}

std::function<TrainerCosts(const JobSpec&)> costs_by_model(std::map<std::string, TrainerCosts> costs,
                                                           double restart_s) {
  if (costs.empty() && restart_s == 0) return {};
  return [costs = std::move(costs), restart_s](const JobSpec& spec) {
    auto found = costs.find(spec.model);
    if (found == costs.end()) found = costs.find("*");
    auto cost = found == costs.end() ? TrainerCosts{} : found->second;
    cost.load_s += restart_s;
    return cost;
  };
}

Status read_workload(const SimulateArgs& args, SimulatePlan& plan) {
  traces::LoadOptions options;
  options.throughputs = plan.base.throughputs;
  auto loaded = traces::load_trace(args.trace, options);
  if (!loaded) return fail(std::move(loaded));
  plan.workload = jobs_of(loaded->trace);
  if (!loaded->start_note.empty()) plan.start_note = args.trace + ": " + loaded->start_note;
  plan.rows_refused = loaded->refused.size();
  for (std::size_t i = 0; i < std::min<std::size_t>(3, loaded->refused.size()); ++i)
    plan.refusals.push_back(traces::text_of(loaded->refused[i], args.trace));
  return {};
}

// Under compat a gang that a table says cannot run does not fall back to the speed of one GPU.
void take_speeds(ThroughputFile file, SimulationOptions& options) {
  options.throughputs = std::move(file.rows);
  options.pairs = pair_table(file.shared);
  if (options.gavel_2022) options.throughputs.insert(options.throughputs.end(), file.unfit.begin(), file.unfit.end());
}

Status read_cluster(const SimulateArgs& args, SimulatePlan& plan) {
  auto cluster = load_cluster(args.cluster);
  if (!cluster) return fail(std::move(cluster));
  plan.base.nodes = std::move(cluster->nodes);
  plan.base.time_scale = cluster->time_scale;
  const auto table = args.throughputs.empty() ? cluster->throughputs.string() : args.throughputs;
  if (table.empty()) {
    take_speeds(traces::gavel_throughput_file(), plan.base);
    return {};
  }
  auto file = load_throughput_file(table);
  if (!file && args.throughputs.empty()) file.error().message += "; " + args.cluster + " names it";
  if (!file) return fail(std::move(file));
  take_speeds(*std::move(file), plan.base);
  return {};
}

// A recorded result's options come past the command line.
Status check_numbers(const SimulateArgs& args) {
  struct Bounds {
    const char* option;
    double value, least, most;
  };
  for (const auto& [option, value, least, most] :
       {Bounds{"--round", args.round_s, kLeastRound_s, kLongest_s}, Bounds{"--restart", args.restart_s, 0, kLongest_s},
        Bounds{"--noise", args.noise, 0, kMostNoise},
        Bounds{"--merge-efficiency", args.merge_efficiency.value_or(0), 0, 1},
        Bounds{"--spread-factor", args.spread_factor, kLeastSpreadFactor, 1},
        Bounds{"--checkpoint", args.checkpoint_s.value_or(0), 0, kLongest_s},
        Bounds{"--checkpoint when it is not 0", args.checkpoint_s.value_or(0) == 0 ? 1 : *args.checkpoint_s,
               kLeastRound_s, kLongest_s},
        Bounds{"--give-up", args.limit_s, 0, kLongestRun_s}})
    if (!(value >= least && value <= most))
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: got {:g}, must be from {:g} to {:g}", option, value, least, most));
  return {};
}

}  // namespace

Result<std::pair<std::uint64_t, std::uint64_t>> parse_range(const std::string& text, const std::string& option) {
  const auto dots = text.find("..");
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const bool right = dots == std::string::npos
                         ? read_whole(std::string_view(text), first) && read_whole(std::string_view(text), last)
                         : read_whole(std::string_view(text).substr(0, dots), first) &&
                               read_whole(std::string_view(text).substr(dots + 2), last);
  if (!right || last < first)
    return fail(ErrorCode::kInvalidArgument,
                option + ": got \"" + text + "\", must be one whole number or A..B with A at most B");
  return std::pair{first, last};
}

Result<std::vector<std::uint64_t>> parse_seeds(const std::string& text, std::uint64_t most) {
  const auto range = parse_range(text, "--seeds");
  if (!range) return tl::unexpected<Error>(range.error());
  const auto [first, last] = *range;
  if (last - first >= most) return fail(ErrorCode::kInvalidArgument, fmt::format("--seeds: over {} of them", most));
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t i = 0; i <= last - first; ++i) seeds.push_back(first + i);
  return seeds;
}

Result<SimulatePlan> plan_simulation(const SimulateArgs& args) {
  if (auto right = check_numbers(args); !right) return fail(std::move(right));
  SimulatePlan plan;
  auto names = policies_of(args.policies);
  if (!names) return fail(std::move(names));
  plan.policies = *std::move(names);
  auto settings = parse_settings(args.set, plan.policies);
  if (!settings) return fail(std::move(settings));
  plan.settings = std::move(settings->of_policy);
  if (settings->prices) plan.base.prices = *settings->prices;
  auto seeds = parse_seeds(args.seeds, kMostSeeds);
  if (!seeds) return fail(std::move(seeds));
  plan.seeds = *std::move(seeds);
  if (!args.measure_jobs.empty()) {
    const auto measured = parse_range(args.measure_jobs, "--measure-jobs");
    if (!measured) return tl::unexpected<Error>(measured.error());
    plan.base.first_measured = measured->first;
    plan.base.last_measured = measured->second;
  }
  auto gpu_costs = parse_gpu_costs(args.gpu_costs);
  if (!gpu_costs) return fail(std::move(gpu_costs));
  plan.base.cost_per_gpu_h = *std::move(gpu_costs);
  auto costs = load_costs(args.costs);
  if (!costs) return fail(std::move(costs));
  plan.base.costs = costs_by_model(*std::move(costs), args.restart_s);
  if (!args.faults.empty()) {
    auto faults = load_faults(args.faults);
    if (!faults) return fail(std::move(faults));
    plan.base.faults = *std::move(faults);
  }
  if (args.compat == "gavel-2022") {
    plan.base.gavel_2022 = true;
    if (args.noise > 0 || !args.faults.empty())
      return fail(ErrorCode::kInvalidArgument,
                  std::string("--compat gavel-2022: plays Gavel's simulator to the letter, which knows no ") +
                      (args.noise > 0 ? "noise; leave --noise out" : "faults; leave --faults out"));
    for (const auto& name : plan.policies)
      if (!share_rule(name))
        return fail(ErrorCode::kInvalidArgument, "--compat gavel-2022: policy " + name +
                                                     " does not share time; give a gavel-… policy, allox or gandiva");
  }
  plan.base.round_s = args.round_s;
  plan.base.noise = args.noise;
  plan.base.merge_efficiency = args.merge_efficiency;
  plan.base.spread_factor = args.spread_factor;
  plan.base.limit_s = args.limit_s;
  plan.base.checkpoint_s = args.checkpoint_s;
  if (auto read = read_cluster(args, plan); !read) return fail(std::move(read));
  if (auto read = read_workload(args, plan); !read) return fail(std::move(read));
  if (auto used = check_used(args.set, plan.base, plan.workload); !used) return fail(std::move(used));
  if (auto priced = price_policies(plan); !priced) return fail(std::move(priced));
  if (!args.measure_jobs.empty() && plan.base.last_measured >= plan.workload.size())
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--measure-jobs: the trace has jobs 0 to {} only", plan.workload.size() - 1));
  return plan;
}

}  // namespace hadar::cli
