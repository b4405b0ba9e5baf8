// What GPUs cost a gang this round.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/policy/plan_builder.hpp"
#include "actors/pricing/price_curve.hpp"

namespace hadar {

// Reads the price board of a plan's input. Clearing prices hold for a type all round. Exponential prices are those of a
// (node, type) and rise with what is taken there, so they follow the plan as it is built; a gang pays the integral over
// its GPUs, so that the last ones are not sold below their price. The plan must outlive this.
class GangPrices {
 public:
  explicit GangPrices(const PlanBuilder& plan);

  // Whether prices rise as GPUs are taken.
  [[nodiscard]] bool rise() const { return !curves_.empty(); }
  // Of one GPU of a type by the board, which read the curve at the demand; 0 when the board has none.
  [[nodiscard]] double of_type(std::uint32_t type) const { return price_[type]; }
  // What no GPU of a type costs less than, whatever is free.
  [[nodiscard]] double least(std::uint32_t type) const { return least_[type]; }
  // Of a gang's GPUs, taken now.
  [[nodiscard]] double of(const Gang& gang) const;

  struct Asked {
    double price = 0;
    std::uint32_t node = ClusterIndex::kNone;  // where; kNone when all nodes ask the same
  };
  // Of the next GPU of a type on the node that asks least now; at a full node that is its highest price.
  [[nodiscard]] Asked asked(std::uint32_t type) const;

  struct Unit {
    std::uint32_t type = 0;
    double price = 0;
  };
  // Up to `most` free GPUs of a node, each the cheapest next one of `types` (ties: the earlier type).
  [[nodiscard]] std::vector<Unit> cheapest_on(std::uint32_t node, const std::vector<std::uint32_t>& types,
                                              std::uint32_t most) const;
  // The cheapest gang of so many free GPUs of `types`, over any nodes; empty when there are too few.
  [[nodiscard]] Gang cheapest(const std::vector<std::uint32_t>& types, std::uint32_t gpus) const;

 private:
  [[nodiscard]] const PriceCurve& curve(std::uint32_t node, std::uint32_t type) const {
    return curves_[node * plan_->cluster().types() + type];
  }
  [[nodiscard]] double taken(std::uint32_t node, std::uint32_t type) const {
    return curve(node, type).capacity - plan_->free(node, type);
  }
  // Of the GPU after `more` others are taken.
  [[nodiscard]] double unit(std::uint32_t node, std::uint32_t type, std::uint32_t more) const;

  const PlanBuilder* plan_;
  std::vector<double> price_;
  std::vector<double> least_;
  std::vector<PriceCurve> curves_;  // by (node, type); empty unless prices rise; capacity 0 where there is no such GPU
};

// The units of a node as parts of a gang, added to `gang`.
void add_units(std::uint32_t node, const std::vector<GangPrices::Unit>& units, Gang& gang);

}  // namespace hadar
