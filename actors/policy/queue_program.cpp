#include "actors/policy/queue_program.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "actors/policy/every_gang.hpp"
#include "actors/policy/placing.hpp"

namespace hadar {
namespace {
constexpr std::size_t kFullBudgetCells = 64;  // (node, type) pairs up to which the whole budget is given
constexpr std::size_t kLeastBudget = 64;
}  // namespace

QueueProgram::QueueProgram(PlanBuilder& plan, const Valuation& value, std::vector<std::size_t> jobs,
                           const QueueSettings& settings)
    : plan_(plan), value_(value), jobs_(std::move(jobs)), settings_(settings) {
  const auto cells = std::size_t{plan.cluster().nodes()} * plan.cluster().types();
  auto& budget = settings_.budget;
  if (cells > kFullBudgetCells && !settings_.exact)
    budget = std::min(budget, std::max(kLeastBudget, budget * kFullBudgetCells / cells));
  for (const auto j : jobs_) {
    auto& most = most_.emplace_back();
    for (std::size_t at = 0; at < value.speeds(j).order().size(); ++at)
      most.push_back(value.most_gain(j, at, settings_.priced));
  }
  std::map<std::pair<double, std::uint32_t>, std::uint32_t> classes;  // network, own number when held
  for (std::uint32_t node = 0; node < plan.cluster().nodes(); ++node) {
    std::uint32_t own = 0;
    for (const auto j : jobs_)
      for (const auto& held : plan.job(j).held)
        for (const auto& slice : held.slices)
          if (slice.node == plan.cluster().node_name(node)) own = node + 1;
    const auto next = static_cast<std::uint32_t>(classes.size());
    node_class_.push_back(classes.try_emplace({plan.input().nodes[node].net_gb_s, own}, next).first->second);
  }
  std::vector<std::uint32_t> sizes(classes.size(), 0);
  for (const auto node_class : node_class_) ++sizes[node_class];
  const auto common = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
  for (std::uint32_t node = 0; node < plan.cluster().nodes(); ++node)
    if (node_class_[node] != common) rare_nodes_.push_back(node);
}

// How many nodes are in each group, and in which groups the nodes of rarer classes are: that settles where the others
// are.
std::string QueueProgram::key(std::size_t place) const {
  const auto& groups = plan_.groups();
  std::vector<std::uint64_t> words;
  for (const auto number : groups.occupied())
    words.push_back(std::uint64_t{number} << 32 | groups.group(number).nodes.size());
  std::sort(words.begin(), words.end());
  const auto rare = static_cast<std::ptrdiff_t>(words.size());
  for (const auto node : rare_nodes_) words.push_back(std::uint64_t{node_class_[node]} << 32 | groups.of(node));
  std::sort(words.begin() + rare, words.end());
  std::string text(1, static_cast<char>(place));
  text.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
  return text;
}

// What the jobs from a place on cannot gain more than with what is free now. Summed from the last one on, as gains are,
// so that rounding cannot turn the bound.
double QueueProgram::most_from(std::size_t place) const {
  double sum = 0;
  for (auto at = jobs_.size(); at > place; --at) {
    const auto j = jobs_[at - 1];
    const auto& order = value_.speeds(j).order();
    double most = 0;
    std::uint32_t reachable = 0;
    for (std::size_t slowest = 0; slowest < order.size(); ++slowest) {
      const auto free = plan_.free_of_type(order[slowest]);
      reachable += free;
      if (free > 0 && reachable >= plan_.job(j).gpus) most = std::max(most, most_[at - 1][slowest]);
    }
    sum += most;
  }
  return sum;
}

std::vector<Offer> QueueProgram::choices(std::size_t j) const {
  return settings_.exact ? every_offer(plan_, value_, j) : offers(plan_, value_, j);
}

QueueProgram::Best QueueProgram::open(std::size_t place) {
  const auto j = jobs_[place];
  const auto found = choices(j);
  const bool branch = exact_;
  const double most = most_from(place + 1);
  Best best{-1, kSkip};
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (gain(found[i]) <= 0 || gain(found[i]) + most <= best.gain) continue;
    const auto point = plan_.checkpoint();
    place_alone(plan_, j, found[i]);
    const double sum = gain(found[i]) + solve(place + 1).gain;
    plan_.rollback(point);
    if (sum > best.gain) best = {sum, static_cast<std::int32_t>(i)};
    if (!branch) return best;
  }
  if (most <= best.gain) return best;
  const double skipped = solve(place + 1).gain;
  return skipped > best.gain ? Best{skipped, kSkip} : best;
}

QueueProgram::Best QueueProgram::solve(std::size_t place) {
  if (place == jobs_.size()) return {};
  auto state = key(place);
  if (const auto it = memo_.find(state); it != memo_.end()) return it->second;
  if (memo_.size() >= settings_.budget) exact_ = false;
  const auto best = open(place);
  memo_.emplace(std::move(state), best);
  return best;
}

double QueueProgram::place() {
  double sum = 0;
  for (std::size_t place = 0; place < jobs_.size(); ++place) {
    const auto best = solve(place);
    if (best.choice == kSkip) continue;
    const auto found = choices(jobs_[place]);
    const auto& offer = found[static_cast<std::size_t>(best.choice)];
    place_alone(plan_, jobs_[place], offer);
    sum += gain(offer);
  }
  return sum;
}

}  // namespace hadar
