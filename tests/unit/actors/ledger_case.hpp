// A ledger with an open term, and short words for what tests ask of it.
#pragma once

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "actors/tracker/ledger.hpp"
#include "tests/unit/actors/values.hpp"

namespace hadar {

class LedgerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ledger_.start(0, "").has_value());
    term_ = ledger_.open_term({"test", 60}, 0).term;
  }

  JobId submit(const JobSpec& spec, const std::string& key = "") {
    auto submitted = ledger_.submit({spec, key, false}, now_s_);
    EXPECT_TRUE(submitted.has_value()) << submitted.error().message;
    return submitted->job;
  }

  Status record_node(EventBody fact, double now_s) {
    return ledger_.record_node({std::move(fact), term_, ++last_fact_}, now_s);
  }

  Result<PlanRecorded> record(std::vector<Lease> leases, std::uint64_t round = 1) {
    RecordPlan plan;
    plan.term = term_;
    plan.round = RoundId{round};
    plan.policy = "test";
    plan.leases = std::move(leases);
    return ledger_.record_plan(plan, now_s_);
  }

  Lease grant(Lease lease) {
    auto recorded = record({std::move(lease)});
    EXPECT_TRUE(recorded.has_value());
    EXPECT_THAT(recorded->leases, testing::SizeIs(1)) << recorded->refused.front().reason;
    return recorded->leases.front();
  }

  Result<ForksSettled> settle(JobId job, const ModelVersion& base, std::vector<event::MergedFork> forks,
                              const std::string& weights = "") {
    SettleForks request;
    request.job = job;
    request.base = base;
    request.weights = BlobRef{weights, weights.size()};
    request.forks = std::move(forks);
    return ledger_.settle(request, now_s_);
  }

  const LedgerJob& job(JobId id) { return *ledger_.state().find(id); }

  Ledger ledger_{LedgerOptions{"test", 3}};
  Term term_;
  std::uint64_t last_fact_ = 0;
  double now_s_ = 1;
};

}  // namespace hadar
