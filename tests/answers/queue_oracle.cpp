// queue_oracle [CASES]: the dynamic program over the queue against an integer program over every gang of every job:
// small rounds exactly, larger ones by their distance from the linear program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "actors/policy/queue_program.hpp"
#include "tests/answers/integer_program.hpp"
#include "tests/answers/random_rounds.hpp"

namespace hadar::answers {
namespace {

Packing packing_of(const PlanBuilder& plan, const Valuation& value) {
  Packing packing;
  const auto types = plan.cluster().types();
  packing.groups = plan.jobs();
  for (std::uint32_t node = 0; node < plan.cluster().nodes(); ++node)
    for (std::uint32_t type = 0; type < types; ++type) packing.capacity.push_back(plan.free(node, type));
  for (std::size_t j = 0; j < plan.jobs(); ++j) {
    if (!plan.plannable(j)) continue;
    for (const auto& gang : every_gang(plan, j)) {
      const auto offer = value.offer(j, gang);
      if (offer.payoff() <= 0) continue;
      Column column{j, offer.payoff(), {}};
      for (const auto& part : offer.gang) column.uses.emplace_back(part.node * types + part.type, part.count);
      packing.columns.push_back(std::move(column));
    }
  }
  return packing;
}

struct Tally {
  int cases = 0;
  int equal = 0;
  int unproven = 0;
  double worst = 0;
  double sum = 0;

  void add(double missed) {
    ++cases;
    equal += missed <= 1e-9 ? 1 : 0;
    worst = std::max(worst, missed);
    sum += missed;
  }
};

double play(const RoundInput& input, const QueueSettings& settings, Packing& packing) {
  auto plan = *PlanBuilder::make(input);
  const Valuation value(plan, {});
  packing = packing_of(plan, value);
  std::vector<std::size_t> jobs;
  for (std::size_t j = 0; j < plan.jobs(); ++j)
    if (plan.plannable(j)) jobs.push_back(j);
  std::stable_sort(jobs.begin(), jobs.end(), [&](auto a, auto b) { return value.density(a) > value.density(b); });
  return QueueProgram(plan, value, jobs, settings).place();
}

int run(int cases) {
  Tally small;
  Tally large;
  for (int i = 0; i < cases; ++i) {
    Packing packing;
    const auto seed = static_cast<std::uint64_t>(i);
    const double got =
        play(random_round(seed, {3, 2, 10, 4}), {.priced = true, .budget = 10000000, .exact = true}, packing);
    const auto best = pack_whole(packing);
    if (!best) {
      ++small.unproven;
      continue;
    }
    small.add(*best > 0 ? (*best - got) / *best : 0);
  }
  std::printf(
      "up to 10 jobs, exact: %d of %d equal the integer optimum, %d unproven; missed %.3g at worst, %.3g on "
      "average\n",
      small.equal, small.cases, small.unproven, small.worst, small.sum / std::max(1, small.cases));
  for (int i = 0; i < cases / 10; ++i) {
    Packing packing;
    const double got = play(random_round(1000000 + static_cast<std::uint64_t>(i), {6, 4, 40, 4}),
                            {.priced = true, .budget = 1000}, packing);
    const auto relaxed = pack_parts(packing);
    if (!relaxed) return 1;
    large.add(*relaxed > 0 ? (*relaxed - got) / *relaxed : 0);
  }
  std::printf(
      "up to 40 jobs, 1000 states: %d of %d reach the linear program's bound; below it by %.3g at worst, %.3g on "
      "average\n",
      large.equal, large.cases, large.worst, large.sum / std::max(1, large.cases));
  return small.equal == small.cases && small.unproven == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hadar::answers

int main(int count, char** words) {
  return hadar::answers::run(count > 1 ? std::atoi(words[1]) : 500);
}
