#include "actors/policy/queue_program.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "actors/policy/placing.hpp"
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

// The best sum over all ways to give each job one of its offers or nothing, in order.
double best_by_trying(PlanBuilder& plan, const Valuation& value, const std::vector<std::size_t>& jobs) {
  const std::function<double(std::size_t)> from = [&](std::size_t place) -> double {
    if (place == jobs.size()) return 0;
    double best = from(place + 1);
    for (const auto& offer : offers(plan, value, jobs[place])) {
      const auto point = plan.checkpoint();
      place_alone(plan, jobs[place], offer);
      best = std::max(best, offer.payoff() + from(place + 1));
      plan.rollback(point);
    }
    return best;
  };
  return from(0);
}

RoundInput random_input() {
  std::vector<NodeCapacity> nodes;
  const auto count = *rc::gen::inRange(1, 5);
  for (int n = 0; n < count; ++n)
    nodes.push_back(
        node_of("n" + std::to_string(n), {{n % 2 == 0 ? "A" : "B", *rc::gen::inRange<std::uint32_t>(1, 3)}}));
  auto input = input_of(nodes);
  const auto jobs = *rc::gen::inRange<std::uint64_t>(1, 6);
  for (std::uint64_t id = 1; id <= jobs; ++id) {
    const double a = *rc::gen::inRange(1, 20);
    const double b = *rc::gen::inRange(1, 20);
    add(input, job_of(id, *rc::gen::inRange<std::uint32_t>(1, 4), *rc::gen::inRange<std::uint64_t>(10, 1000),
                      {{"A", a}, {"B", b}}));
  }
  return input;
}

TEST(QueueProgram, FindsTheBestSumOfPayoffs) {
  EXPECT_TRUE(rc::check([] {
    const auto input = random_input();
    auto plan = *PlanBuilder::make(input);
    const Valuation value(plan, {});
    std::vector<std::size_t> jobs(input.jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j) jobs[j] = j;
    const double best = best_by_trying(plan, value, jobs);
    QueueProgram program(plan, value, jobs, {.priced = true, .budget = 100000});
    const double found = program.place();
    RC_ASSERT(program.exact());
    RC_ASSERT(found >= best - 1e-9);
    RC_ASSERT(found <= best + 1e-9);
  }));
}

TEST(QueueProgram, FollowsPricesThatRiseAsJobsArePlaced) {
  EXPECT_TRUE(rc::check([] {
    auto input = random_input();
    input.prices.exponential = true;
    for (const auto* type : {"A", "B"}) {
      input.prices.u_max[type] = *rc::gen::inRange(1, 100) / 100.0;
      input.prices.price[type] = input.prices.u_min[type] = input.prices.u_max[type] / *rc::gen::inRange(3, 300);
    }
    auto plan = *PlanBuilder::make(input);
    const Valuation value(plan, {});
    std::vector<std::size_t> jobs(input.jobs.size());
    for (std::size_t j = 0; j < jobs.size(); ++j) jobs[j] = j;
    const double best = best_by_trying(plan, value, jobs);
    const double found = QueueProgram(plan, value, jobs, {.priced = true, .budget = 100000}).place();
    RC_ASSERT(found >= best - 1e-9);
    RC_ASSERT(found <= best + 1e-9);
  }));
}

TEST(QueueProgram, TakesLikeNodesForOne) {
  std::vector<NodeCapacity> nodes;
  for (int n = 0; n < 9; ++n) nodes.push_back(node_of("n" + std::to_string(n), {{n < 5 ? "A" : "B", 1}}));
  auto input = input_of(nodes);
  std::vector<std::size_t> jobs;
  for (std::uint64_t id = 1; id <= 10; ++id) {
    add(input, job_of(id, 1, 100 * id, {{"A", 10.0}, {"B", static_cast<double>(id)}}));
    jobs.push_back(id - 1);
  }
  auto plan = *PlanBuilder::make(input);
  const Valuation value(plan, {});
  QueueProgram program(plan, value, jobs, {.priced = false, .budget = 100000});
  program.place();
  EXPECT_TRUE(program.exact());
  EXPECT_LE(program.states(), 200U) << "states are counts of free nodes per class, not sets of nodes";
}

TEST(QueueProgram, WithoutBudgetItStaysValidAndSaysItIsNotExact) {
  auto input = input_of({node_of("a", {{"A", 2}}), node_of("b", {{"B", 2}})});
  std::vector<std::size_t> jobs;
  for (std::uint64_t id = 1; id <= 6; ++id) {
    add(input, job_of(id, 1, 100 * id, {{"A", 10.0}, {"B", 5.0 + static_cast<double>(id)}}));
    jobs.push_back(id - 1);
  }
  auto plan = *PlanBuilder::make(input);
  const Valuation value(plan, {});
  QueueProgram program(plan, value, jobs, {.priced = false, .budget = 1});
  program.place();
  EXPECT_FALSE(program.exact());
  EXPECT_EQ(plan.free_of_type(0) + plan.free_of_type(1), 0U);
}

}  // namespace
}  // namespace hadar::testing
