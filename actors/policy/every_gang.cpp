#include "actors/policy/every_gang.hpp"

#include <algorithm>

namespace hadar {
namespace {

class EveryGang {
 public:
  EveryGang(const PlanBuilder& plan, const Valuation& value, std::size_t j) : value_(value), j_(j) {
    for (std::uint32_t node = 0; node < plan.cluster().nodes(); ++node)
      for (std::uint32_t type = 0; type < plan.cluster().types(); ++type)
        if (const auto free = plan.free(node, type); free > 0 && plan.allows(j, type))
          cells_.push_back({node, type, free});
  }

  std::vector<Offer> grow_all(std::uint32_t gpus) {
    grow(0, gpus);
    return std::move(found_);
  }

 private:
  void grow(std::size_t cell, std::uint32_t missing) {
    if (missing == 0) found_.push_back(value_.offer(j_, gang_));
    if (missing == 0 || cell == cells_.size()) return;
    grow(cell + 1, missing);
    for (std::uint32_t count = 1; count <= std::min(missing, cells_[cell].count); ++count) {
      gang_.push_back({cells_[cell].node, cells_[cell].type, count});
      grow(cell + 1, missing - count);
      gang_.pop_back();
    }
  }

  const Valuation& value_;
  std::size_t j_;
  std::vector<Part> cells_;  // free GPUs
  Gang gang_;
  std::vector<Offer> found_;
};

}  // namespace

std::vector<Offer> every_offer(const PlanBuilder& plan, const Valuation& value, std::size_t j) {
  if (plan.free_for(j) < plan.job(j).gpus) return {};
  auto found = EveryGang(plan, value, j).grow_all(plan.job(j).gpus);
  std::stable_sort(found.begin(), found.end(), [](const Offer& a, const Offer& b) { return a.payoff() > b.payoff(); });
  return found;
}

}  // namespace hadar
