#include "actors/policy/gavel/fallback.hpp"

#include <algorithm>

#include "actors/policy/solvers/direct_programs.hpp"

namespace hadar::gavel {
namespace {

void note_clp(std::string_view name, bool solved, std::vector<std::string>& notes) {
  notes.push_back(std::string(name) + " did not settle within its iterations; " +
                  (solved ? "solved by Clp instead" : "Clp did no better, the best plan so far is used"));
}

}  // namespace

void note_unsettled(bool settled, std::string_view name, std::vector<std::string>& notes) {
  if (!settled) notes.push_back(std::string(name) + " did not settle within its iterations; the last plan is used");
}

solvers::LevelPlan max_min_by_clp(const solvers::Market& market, solvers::LevelPlan plan,
                                  std::vector<std::string>& notes) {
  auto direct = solvers::max_min_directly(market);
  const bool better = direct && direct->level > plan.level;
  note_clp("the max-min search", better, notes);
  if (!better) return plan;
  plan.level = direct->level;
  plan.shares = std::move(direct->shares);
  return plan;
}

solvers::ValuePlan max_value_by_clp(const solvers::Market& market, const std::vector<double>& value,
                                    const std::vector<double>& floors, solvers::ValuePlan plan,
                                    std::vector<std::string>& notes) {
  auto direct = solvers::max_value_directly(market, value, floors);
  const bool better = direct && direct->value > plan.value;
  note_clp("the search for the largest sum", better, notes);
  if (!better) return plan;
  plan.value = direct->value;
  plan.shares = std::move(direct->shares);
  return plan;
}

}  // namespace hadar::gavel
