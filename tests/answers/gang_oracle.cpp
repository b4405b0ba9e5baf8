// gang_oracle [CASES]: the gang search against trying every gang, on small random rounds; a line per kind of job and of
// prices. For a
// batch split by speed the search is not exact where networks differ; the line says how often that shows.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "actors/policy/gang_search.hpp"
#include "tests/answers/random_rounds.hpp"

namespace hadar::answers {
namespace {

struct Tally {
  int cases = 0;
  int equal = 0;
  double worst = 0;  // payoff missed, in parts of the best gang's utility
};

void compare(std::uint64_t seed, const RoundShape& shape, Tally& tally) {
  const auto input = random_round(seed, shape);
  const auto plan = PlanBuilder::make(input);
  const Valuation value(*plan, {});
  const auto gangs = every_gang(*plan, 0);
  const auto found = best_offer(*plan, value, 0);
  ++tally.cases;
  if (gangs.empty()) {
    tally.equal += found ? 0 : 1;
    return;
  }
  Offer best = value.offer(0, gangs.front());
  for (const auto& gang : gangs)
    if (auto offer = value.offer(0, gang); offer.payoff() > best.payoff()) best = offer;
  const double missed = found ? best.payoff() - found->payoff() : 1;
  tally.equal += missed <= 1e-9 ? 1 : 0;
  tally.worst = std::max(tally.worst, missed / std::max(best.utility, 1e-12));
}

int run(int cases) {
  bool all = true;
  for (const int kind : {0, 1, 2, 3}) {
    Tally tally;
    RoundShape shape;
    shape.proportional = kind >= 2;
    shape.exponential = kind % 2 == 1;
    for (int i = 0; i < cases; ++i) compare(static_cast<std::uint64_t>(i), shape, tally);
    std::printf("%-22s %-12s %d of %d cases equal the best of all gangs; at worst %.3g of its utility missed\n",
                shape.proportional ? "batch split by speed" : "slowest member's pace",
                shape.exponential ? "exponential" : "by type", tally.equal, tally.cases, tally.worst);
    all = all && (shape.proportional || tally.equal == tally.cases);
  }
  return all ? 0 : 1;
}

}  // namespace
}  // namespace hadar::answers

int main(int count, char** words) {
  return hadar::answers::run(count > 1 ? std::atoi(words[1]) : 10000);
}
