// What every registered policy must keep, over random clusters and jobs.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "launchers/policies.hpp"
#include "tests/rounds/plan_checks.hpp"
#include "tests/unit/policy/inputs.hpp"

namespace hadar::testing {
namespace {

const std::vector<GpuType> kTypes = {"A", "B", "C"};

std::vector<NodeCapacity> random_nodes() {
  std::vector<NodeCapacity> nodes;
  const auto count = *rc::gen::inRange(0, 6);
  for (int n = 0; n < count; ++n) {
    std::vector<GpuGroup> groups;
    for (const auto& type : kTypes)
      if (const auto gpus = *rc::gen::inRange<std::uint32_t>(0, 4); gpus > 0) groups.push_back({type, gpus});
    nodes.push_back(node_of("n" + std::to_string(n), groups));
    nodes.back().net_gb_s = *rc::gen::element(0.0, 1.0);
  }
  return nodes;
}

JobView random_job(std::uint64_t id) {
  JobView job;
  job.job = JobId{id};
  job.model = "m";
  job.gpus = *rc::gen::weightedElement<std::uint32_t>({{5, 1}, {2, 2}, {1, 3}, {1, 6}});
  job.forkable = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  job.proportional_batch = *rc::gen::weightedElement<bool>({{1, true}, {3, false}});
  job.weight = *rc::gen::element(0.5, 1.0, 3.0);
  job.steps_total = *rc::gen::element<std::uint64_t>(1, 7, 100, 5000, 1000000);
  job.steps_credited = *rc::gen::inRange<std::uint64_t>(0, job.steps_total);
  job.merge_s = *rc::gen::element(0.0, 0.2, 100.0);
  job.model_bytes = *rc::gen::element<std::uint64_t>(0, 5000000);
  job.merging = *rc::gen::weightedElement<bool>({{1, true}, {7, false}});
  if (*rc::gen::inRange(0, 4) == 0) job.gpu_types = {*rc::gen::element<GpuType>("A", "B", "Z")};
  for (const auto& type : kTypes)
    if (*rc::gen::inRange(0, 4) > 0)
      job.estimates.push_back({type, Placement::kPacked, *rc::gen::element(0.01, 1.0, 30.0, 1000.0),
                               *rc::gen::element(EstimateSource::kPrior, EstimateSource::kMeasured)});
  return job;
}

bool allows(const JobView& job, const GpuType& type) {
  return job.gpu_types.empty() || job.gpu_types.front() == type;
}

// Gives a job leases as an earlier plan could have: one gang that renews itself, or forks on single nodes.
void hold_some(RoundInput& input, JobView& job) {
  const bool forks = job.forkable && *rc::gen::inRange(0, 2) == 0;
  std::uint32_t fork = 0;
  for (auto& node : input.nodes) {
    const auto types = gpu_types_by_index(node.gpus);
    GpuSlice slice{node.node, {}};
    for (const auto gpu : node.idle_gpus)
      if (allows(job, types[gpu]) && slice.gpus.size() < job.gpus) slice.gpus.push_back(gpu);
    const auto unissued = job.steps_unissued();
    if (slice.gpus.size() < job.gpus || unissued == 0) continue;
    const auto quota = forks ? *rc::gen::inRange<std::uint64_t>(0, unissued) + 1 : unissued;
    hold(input, job, fork++, {slice}, quota, forks);
    if (!forks || *rc::gen::inRange(0, 2) == 0) return;
  }
}

RoundInput random_input() {
  auto input = input_of(random_nodes());
  input.early = *rc::gen::weightedElement<bool>({{1, true}, {2, false}});
  input.window_s = input.early ? *rc::gen::element(0.01, 0.7, 4.0, 9.9) : input.round_s;
  input.now_s = 1000;
  const auto jobs = *rc::gen::inRange<std::uint64_t>(0, 9);
  for (std::uint64_t id = 1; id <= jobs; ++id) {
    auto job = random_job(2 * id);
    if (*rc::gen::inRange(0, 3) == 0) hold_some(input, job);
    add(input, job);
  }
  if (*rc::gen::inRange(0, 2) == 0)
    for (const auto& type : kTypes) input.prices.price[type] = *rc::gen::element(0.0, 0.1, 50.0);
  input.memory = *rc::gen::element<std::string>("", "waits 1\n2 600\n", "spread\nwaits 1\n4 3\n", "\x01garbage");
  return input;
}

class EveryPolicy : public ::testing::TestWithParam<PolicyEntry> {
 protected:
  [[nodiscard]] std::unique_ptr<Policy> fresh() const { return *make_policy(std::string(GetParam().name)); }
};

TEST_P(EveryPolicy, KeepsTheRulesOnAnyInput) {
  EXPECT_TRUE(rc::check([&] {
    const auto input = random_input();
    const auto policy = fresh();
    const auto plan = policy->plan(input);
    RC_ASSERT(plan.has_value());
    const auto found = faults(input, *plan, policy->traits());
    if (!found.empty()) RC_FAIL(found.front());
  }));
}

TEST_P(EveryPolicy, SameInputSamePlanWhateverItPlannedBefore) {
  EXPECT_TRUE(rc::check([&] {
    const auto first = random_input();
    const auto other = random_input();
    const auto policy = fresh();
    const auto plan = policy->plan(first);
    RC_ASSERT(policy->plan(other).has_value());
    RC_ASSERT(*policy->plan(first) == *plan);
    RC_ASSERT(*fresh()->plan(first) == *plan);
  }));
}

TEST_P(EveryPolicy, AnInputThatContradictsItselfIsRefused) {
  auto input = input_of({node_of("b", {{"A", 1}}), node_of("a", {{"A", 1}})});
  const auto plan = fresh()->plan(input);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
}

TEST_P(EveryPolicy, AnUnknownSettingIsRefused) {
  const auto made = make_policy(std::string(GetParam().name), {{"no_such_setting", 1.0}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(made.error().message.find("no_such_setting"), std::string::npos);
}

TEST_P(EveryPolicy, HasANameAndASummary) {
  EXPECT_FALSE(GetParam().name.empty());
  EXPECT_FALSE(GetParam().summary.empty());
}

TEST_P(EveryPolicy, MemoryStaysBoundedOverManyJobs) {
  auto input = input_of({node_of("a", {{"A", 1}})});
  std::uint64_t jobs = 3000;
  if (GetParam().name == "gavel-strategy-proof") jobs = 60;  // it solves once per job
  for (std::uint64_t id = 1; id <= jobs; ++id) add(input, job_of(id, 1, 1000, {{"A", 10}}));
  const auto policy = fresh();
  for (int round = 0; round < 3; ++round) {
    const auto plan = policy->plan(input);
    ASSERT_TRUE(plan);
    EXPECT_LE(plan->memory.size(), 1U << 20);
    input.memory = plan->memory;
  }
}

// The same round, a while later in its leases.
RoundInput further_on(const RoundInput& input) {
  auto later = input;
  for (auto& shared : later.jobs) {
    auto job = *shared;
    for (auto& held : job.held) {
      const auto done = held.quota_steps / 2;
      held.quota_steps -= done;
      job.steps_issued -= done;
      job.steps_credited += done;
      job.attained_service_gpu_s += 3.0 * job.gpus;
    }
    shared = std::make_shared<const JobView>(std::move(job));
  }
  return later;
}

// A plan but for the quotas of what goes on, which are steps left.
RoundPlan without_quotas(RoundPlan plan) {
  for (auto& allocation : plan.allocations) allocation.quota_steps = 0;
  for (auto& outcome : plan.outcomes) outcome.reason = {};
  return plan;
}

TEST_P(EveryPolicy, LooksAtTheProgressOfRunningJobsOnlyIfItSaysSo) {
  if (GetParam().looks_at_progress) return;
  EXPECT_TRUE(rc::check([&] {
    const auto input = random_input();
    const auto policy = fresh();
    const auto plan = policy->plan(input);
    const auto later = policy->plan(further_on(input));
    RC_ASSERT(plan.has_value() && later.has_value());
    RC_ASSERT(without_quotas(*plan) == without_quotas(*later));
  }));
}

std::string name_of_case(const ::testing::TestParamInfo<PolicyEntry>& info) {
  std::string name(info.param.name);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryPolicy, ::testing::ValuesIn(policies()), name_of_case);

// Which policies promise that no GPU idles while a whole gang of a waiting job is free.
class WorkConserving : public ::testing::TestWithParam<std::string> {};

TEST_P(WorkConserving, NoGangIsLeftFreeBesideAWaitingJob) {
  EXPECT_TRUE(rc::check([&] {
    auto input = random_input();
    input.early = false;
    input.window_s = input.round_s;
    const auto plan = (*make_policy(GetParam()))->plan(input);
    RC_ASSERT(plan.has_value());
    const auto idle = left_idle(input, *plan);
    for (std::size_t i = 0; i < input.jobs.size(); ++i) {
      const auto& job = *input.jobs[i];
      if (plan->outcomes[i].kind != OutcomeKind::kWaiting || plan->outcomes[i].reason.code == "waiting_merging")
        continue;
      std::uint32_t free = 0;
      for (const auto& [type, count] : idle)
        if (allows(job, type)) free += count;
      RC_ASSERT(free < job.gpus);
    }
  }));
}

INSTANTIATE_TEST_SUITE_P(All, WorkConserving, ::testing::Values("hadar", "hadare"));

TEST(Policies, AnUnknownNameListsTheKnownOnes) {
  const auto made = make_policy("fastest");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kNotFound);
  EXPECT_NE(made.error().message.find("yarn-cs"), std::string::npos);
}

}  // namespace
}  // namespace hadar::testing
