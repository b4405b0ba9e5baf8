#include "actors/policy/tiresias/selection.hpp"

#include <algorithm>
#include <utility>

#include "actors/policy/typed_gangs.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {
constexpr double kAnySpeed = 1;  // of gangs that are only tried
}  // namespace

Selection::Selection(PlanBuilder& plan, std::vector<std::size_t> order)
    : plan_(plan), order_(std::move(order)), found_free_(plan.jobs(), 0) {
  for (std::size_t rank = 0; rank < order_.size(); ++rank)
    if (const auto held = renewable(plan_, order_[rank]))
      holders_.emplace_back(rank, plan_.cluster().gang_of(plan_.job(order_[rank]).held[*held]));
}

// GPUs nobody holds first, then those of the running job that comes last, then those about to be reported free.
Gang Selection::any_gang(std::size_t rank) const {
  const auto j = order_[rank];
  auto missing = plan_.job(j).gpus;
  Gang gang;
  const auto take = [&](std::uint32_t node, std::uint32_t type, std::uint32_t most) {
    if (missing == 0 || !plan_.allows(j, type)) return;
    auto free = plan_.free(node, type);
    for (const auto& part : gang)
      if (part.node == node && part.type == type) free -= part.count;
    const auto count = std::min({missing, most, free});
    if (count > 0) gang.push_back({node, type, count});
    missing -= count;
  };
  const auto take_all = [&](bool only_idle) {
    for (std::uint32_t node = 0; node < plan_.cluster().nodes() && missing > 0; ++node)
      for (std::uint32_t type = 0; type < plan_.cluster().types(); ++type)
        if (const auto most = only_idle ? plan_.idle(node, type) : missing; most > 0) take(node, type, most);
  };
  take_all(true);
  for (auto holder = holders_.rbegin(); holder != holders_.rend() && missing > 0; ++holder)
    for (const auto& part : holder->second) take(part.node, part.type, part.count);
  take_all(false);
  return missing > 0 ? Gang{} : normalized(std::move(gang));
}

std::vector<Gang> Selection::choose() {
  std::vector<Gang> chosen(order_.size());
  for (std::size_t rank = 0; rank < order_.size(); ++rank) {
    const auto j = order_[rank];
    found_free_[j] = plan_.free_for(j);
    if (found_free_[j] < plan_.job(j).gpus) continue;
    const auto held = renewable(plan_, j);
    chosen[rank] = held ? plan_.cluster().gang_of(plan_.job(j).held[*held]) : any_gang(rank);
    if (chosen[rank].empty()) continue;
    const auto placed = plan_.allocate(j, 0, chosen[rank], kAnySpeed);
    HADAR_ENSURE(placed.has_value());
  }
  return chosen;
}

// Keeps what the chosen jobs hold, then finds good places for the others. False when one of them finds none.
bool Selection::place_chosen(const std::vector<Gang>& chosen) {
  for (const auto& [rank, gang] : holders_)
    if (!chosen[rank].empty()) give(plan_, order_[rank], gang);
  for (std::size_t rank = 0; rank < order_.size(); ++rank) {
    const auto j = order_[rank];
    if (chosen[rank].empty() || plan_.has_grant(j)) continue;
    const auto gang = tightest_gang(plan_, j);
    if (gang.empty()) return false;
    give(plan_, j, gang);
  }
  return true;
}

// Who runs is settled first, on any GPUs: only then is it known which running jobs keep theirs. Where types are
// restricted, those may stand in the way of a chosen job; then the first, looser placing holds.
void Selection::place_sticky() {
  const auto start = plan_.checkpoint();
  const auto chosen = choose();
  plan_.rollback(start);
  if (place_chosen(chosen)) return;
  plan_.rollback(start);
  for (std::size_t rank = 0; rank < order_.size(); ++rank)
    if (!chosen[rank].empty()) give(plan_, order_[rank], chosen[rank]);
}

void Selection::place_on_fastest() {
  for (const auto j : order_) {
    found_free_[j] = plan_.free_for(j);
    if (found_free_[j] < plan_.job(j).gpus) continue;
    if (const auto gang = fastest_gang(plan_, j); !gang.empty()) give(plan_, j, gang);
  }
}

}  // namespace hadar
