// Nodes grouped by what is free on them: whatever is planned and undone, the groups tell the same as the counts.
#include "actors/policy/node_groups.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "actors/policy/free_nodes.hpp"
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

// Up to eight nodes of up to three GPUs of two types; one job per node and type that is there, some of them running.
RoundInput some_input() {
  auto input = input_of({});
  const auto nodes = *rc::gen::inRange(1, 8);
  for (int n = 0; n < nodes; ++n)
    input.nodes.push_back(node_of("n" + std::to_string(n), {{"A", *rc::gen::inRange<std::uint32_t>(1, 4)},
                                                            {"B", *rc::gen::inRange<std::uint32_t>(1, 4)}}));
  for (std::uint64_t id = 1; id <= 8; ++id) {
    auto job = job_of(id, 1, 1000, {});
    const auto node = static_cast<std::size_t>(*rc::gen::inRange(0, nodes));
    const auto idle = input.nodes[node].idle_gpus;
    if (*rc::gen::arbitrary<bool>() && !idle.empty())
      hold(input, job, 0, {{input.nodes[node].node, {idle.front()}}}, 100);
    add(input, job);
  }
  return input;
}

std::vector<std::uint32_t> counts_of(const PlanBuilder& plan, std::uint32_t node) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type) counts.push_back(plan.free(node, type));
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type) counts.push_back(plan.idle(node, type));
  return counts;
}

void expect_true_groups(const PlanBuilder& plan) {
  std::size_t grouped = 0;
  std::vector<std::vector<std::uint32_t>> kinds;
  for (const auto number : plan.groups().occupied()) {
    const auto& group = plan.groups().group(number);
    RC_ASSERT(!group.nodes.empty());
    grouped += group.nodes.size();
    kinds.push_back(group.counts);
    for (const auto node : group.nodes) {
      RC_ASSERT(plan.groups().of(node) == number);
      RC_ASSERT(counts_of(plan, node) == group.counts);
    }
  }
  RC_ASSERT(grouped == plan.cluster().nodes());
  std::sort(kinds.begin(), kinds.end());
  RC_ASSERT(std::adjacent_find(kinds.begin(), kinds.end()) == kinds.end());
}

// A random change of the plan; refused ones change nothing.
void change(PlanBuilder& plan) {
  const auto j = *rc::gen::inRange<std::size_t>(0, plan.jobs());
  const auto node = *rc::gen::inRange<std::uint32_t>(0, plan.cluster().nodes());
  const auto type = *rc::gen::inRange<std::uint32_t>(0, plan.cluster().types());
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      if (!plan.job(j).held.empty()) (void)plan.keep(j, 0);
      break;
    case 1: (void)plan.release(j, 0); break;
    default: (void)plan.allocate(j, 0, {{node, type, 1}}, 1);
  }
}

TEST(NodeGroups, TellTheSameAsTheCountsThroughAnyChange) {
  EXPECT_TRUE(rc::check([] {
    const auto input = some_input();
    auto plan = *PlanBuilder::make(input);
    expect_true_groups(plan);
    const auto start = plan.checkpoint();
    const auto changes = *rc::gen::inRange(1, 20);
    for (int i = 0; i < changes; ++i) change(plan);
    expect_true_groups(plan);
    plan.rollback(start);
    expect_true_groups(plan);
  }));
}

TEST(FreeNodes, AreTakenInTheOrderOfAPlainSort) {
  EXPECT_TRUE(rc::check([] {
    const auto input = some_input();
    auto plan = *PlanBuilder::make(input);
    for (int i = 0; i < 6; ++i) change(plan);
    using Types = std::vector<std::uint32_t>;
    const auto types = *rc::gen::element(Types{0}, Types{1}, Types{1, 0});
    const auto most = *rc::gen::inRange<std::uint32_t>(1, 20);
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t node = 0; node < plan.cluster().nodes(); ++node) nodes.push_back(node);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](auto a, auto b) { return free_on(plan, a, types) > free_on(plan, b, types); });
    Gang expected;
    std::uint32_t taken = 0;
    for (const auto node : nodes) taken += take_on(plan, node, types, most - taken, expected);
    Gang gang;
    RC_ASSERT(take_by_free(plan, types, most, gang) == taken);
    RC_ASSERT(gang == expected);
  }));
}

}  // namespace
}  // namespace hadar::testing
