#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "launchers/one_plan.hpp"
#include "launchers/policies.hpp"
#include "launchers/share_rules.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/solve_instance.hpp"
#include "tools/cli/solve_plan.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// One row a line, so that people can read it and diff it.
std::string rows_text(const Json& rows) {
  std::string out = "[";
  for (std::size_t i = 0; i < rows.size(); ++i) out += (i == 0 ? "\n    " : ",\n    ") + rows[i].dump();
  return out + (rows.empty() ? "]" : "\n  ]");
}

std::string answer_text(const GavelRule& rule, const TimeShares& shares, double solve_ms) {
  Json alone = Json::array();
  for (const auto& row : shares.alone) alone.push_back(row);
  Json together = Json::array();
  for (const auto& pair : shares.together) {
    Json row = {pair.a, pair.b};
    for (const double share : pair.share) row.push_back(share);
    together.push_back(std::move(row));
  }
  const bool has_objective = !rule.objective.empty() && std::isfinite(shares.objective);
  std::string out = "{\n  \"policy\": " + Json(rule.name).dump();
  out += ",\n  \"objective\": " + (has_objective ? Json(shares.objective) : Json(nullptr)).dump();
  out += ",\n  \"objective_name\": " + (rule.objective.empty() ? Json(nullptr) : Json(rule.objective)).dump();
  out += ",\n  \"allocation\": " + rows_text(alone);
  if (rule.shares_gpus) out += ",\n  \"pair_allocation\": " + rows_text(together);
  if (!shares.notes.empty()) out += ",\n  \"notes\": " + rows_text(shares.notes);
  return out + ",\n  \"solve_ms\": " + Json(solve_ms).dump() + "\n}\n";
}

Json row_of(const Allocation& allocation) {
  Json gpus = Json::object();
  for (const auto& slice : allocation.slices) gpus[slice.node] = slice.gpus.size();
  return {{"job", allocation.fork.job.value - 1},
          {"fork", allocation.fork.fork},
          {"gpus", std::move(gpus)},
          {"steps_per_s", allocation.steps_per_s},
          {"quota_steps", allocation.quota_steps}};
}

std::string plan_text(const std::string& policy, const RoundPlan& plan, double solve_ms) {
  Json granted = Json::array();
  for (const auto& allocation : plan.allocations) granted.push_back(row_of(allocation));
  Json waiting = Json::array();
  for (const auto& outcome : plan.outcomes)
    if (outcome.kind != OutcomeKind::kGranted)
      waiting.push_back({{"job", outcome.job.value - 1}, {"code", outcome.reason.code}, {"text", outcome.reason.text}});
  return "{\n  \"policy\": " + Json(policy).dump() + ",\n  \"plan\": " + rows_text(granted) +
         ",\n  \"waiting\": " + rows_text(waiting) + ",\n  \"solve_ms\": " + Json(solve_ms).dump() + "\n}\n";
}

// Scripts give the same options to every policy: what has no effect is said, not refused.
Status take_pairs(const SolveArgs& args, bool shares_gpus, SolveInstance& instance) {
  if (args.throughputs.empty()) return {};
  if (!shares_gpus)
    std::fputs(("hadar: solve: --throughputs gives speeds of pairs, which " + args.policy +
                " does not read: it lets no two jobs share GPUs\n")
                   .c_str(),
               stderr);
  return add_pairs(instance, args.throughputs);
}

CommandResult solve_by_plan(const SolveArgs& args) {
  if (auto known = make_policy(args.policy); !known) return stop_usage(std::move(known.error()));
  auto instance = load_instance(args.instance);
  if (!instance) return stop_usage(std::move(instance.error()));
  if (auto taken = take_pairs(args, false, *instance); !taken) return stop_usage(std::move(taken.error()));
  auto input = round_of(*instance);
  const double start = cpu_ms();
  const auto plan = plan_once(args.policy, std::move(input));
  const double spent = cpu_ms() - start;
  if (!plan) return stop({plan.error().code, args.instance + ": " + plan.error().message});
  print(plan_text(args.policy, *plan, spent));
  return ExitCode::kDone;
}

}  // namespace

CommandResult run_solve(const SolveArgs& args) {
  const auto rule = share_rule(args.policy);
  if (!rule) return solve_by_plan(args);
  auto instance = load_instance(args.instance);
  if (!instance) return stop_usage(std::move(instance.error()));
  if (auto taken = take_pairs(args, (*rule)->shares_gpus, *instance); !taken)
    return stop_usage(std::move(taken.error()));
  const double start = cpu_ms();
  auto shares = (*rule)->solve(instance->problem);
  const double spent = cpu_ms() - start;
  if (!shares) return stop({shares.error().code, args.instance + ": " + shares.error().message});
  if ((*rule)->shares_gpus && instance->problem.pairs.empty())
    shares->notes.emplace_back("no pair speeds are given, so no two jobs share GPUs; see --throughputs");
  print(answer_text(**rule, *shares, spent));
  return ExitCode::kDone;
}

}  // namespace hadar::cli
