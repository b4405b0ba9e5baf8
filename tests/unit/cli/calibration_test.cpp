#include "tools/report/calibration.hpp"

#include <gmock/gmock.h>

#include "tests/unit/cli/run_events.hpp"

namespace hadar::report {
namespace {

using End = LeaseEndReason;

// One job that waits, trains alone for `train_s` at `speed` inside a lease of `lease_s`, and completes.
std::vector<Event> one_job(double waited_s, double lease_s, double train_s, double speed,
                           const std::string& name = "a") {
  RunEvents run;
  const auto steps = static_cast<std::uint64_t>(train_s * speed);
  run.node("n1").at(10).submit(1, name, steps);
  run.at(10 + waited_s).grant({RunEvents::lease(1, 1, 0, "n1", steps)});
  run.at(10 + waited_s + lease_s).report(1, 1, 0, steps, train_s, End::kQuota);
  run.merge(1, 1, {RunEvents::in(1, 0, steps)}, steps).add(event::Completed{{1}, {}});
  return run.events;
}

TEST(Calibration, SaysWhereAJobsTimeWent) {
  const auto run = run_times(one_job(2, 10, 8, 5));
  ASSERT_EQ(run.jobs.size(), 1u);
  const auto& job = run.jobs.front();
  EXPECT_DOUBLE_EQ(job.jct_s.value(), 12);
  EXPECT_DOUBLE_EQ(job.waited_s, 2);
  EXPECT_DOUBLE_EQ(job.held_s, 10);
  EXPECT_DOUBLE_EQ(job.trained_s, 8);
  EXPECT_DOUBLE_EQ(job.speed(), 5);
  EXPECT_DOUBLE_EQ(job.training_part(), 0.8);
  EXPECT_DOUBLE_EQ(run.lost_per_lease_s, 2);
}

TEST(Calibration, CountsForksSideBySideOnceAsHeldAndTwiceAsLeased) {
  RunEvents run;
  run.node("n1").node("n2").submit(1, "a", 100);
  run.grant({RunEvents::lease(1, 1, 0, "n1", 50), RunEvents::lease(2, 1, 1, "n2", 50)});
  run.at(4).report(1, 1, 0, 50, 4, End::kQuota).at(6).report(2, 1, 0, 50, 6, End::kQuota);
  run.merge(1, 1, {RunEvents::in(1, 0, 50), RunEvents::in(2, 1, 50)}, 100).add(event::Completed{{1}, {}});
  const auto job = run_times(run.events).jobs.front();
  EXPECT_DOUBLE_EQ(job.held_s, 6);
  EXPECT_DOUBLE_EQ(job.leased_s, 10);
}

struct Cause {
  std::vector<Event> live, simulated;
  std::string cause;
};
class CalibrationCause : public testing::TestWithParam<Cause> {};

TEST_P(CalibrationCause, IsNamed) {
  const auto made = calibrate(GetParam().live, GetParam().simulated);
  ASSERT_EQ(made.jobs.size(), 1u);
  EXPECT_EQ(made.jobs.front().cause, GetParam().cause);
}
INSTANTIATE_TEST_SUITE_P(All, CalibrationCause,
                         testing::Values(Cause{one_job(1, 10, 10, 5), one_job(1, 10, 10, 5), ""},
                                         Cause{one_job(9, 10, 10, 5), one_job(1, 10, 10, 5), "waiting"},
                                         Cause{one_job(1, 20, 20, 5), one_job(1, 10, 10, 10), "speed"},
                                         Cause{one_job(1, 15, 10, 5), one_job(1, 10, 10, 5), "time outside steps"}));

TEST(Calibration, NamesJobsThatOnlyOneRunHas) {
  const auto made = calibrate(one_job(1, 1, 1, 5, "here"), one_job(1, 1, 1, 5, "there"));
  EXPECT_TRUE(made.jobs.empty());
  EXPECT_THAT(made.only_live, testing::ElementsAre("here"));
  EXPECT_THAT(made.only_simulated, testing::ElementsAre("there"));
}

}  // namespace
}  // namespace hadar::report
