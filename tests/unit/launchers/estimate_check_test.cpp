#include "launchers/estimate_check.hpp"

#include <gtest/gtest.h>

#include "tools/traces/measured_speeds.hpp"

namespace hadar {
namespace {

TEST(EstimateCheck, TheCalibratedPriorIsTheFitToTheMeasuredTable) {
  const auto check = check_estimates(traces::gavel_throughput_file(), {});
  ASSERT_TRUE(check.has_value());
  const auto known = calibrated_prior();
  EXPECT_NEAR(check->prior.log_scale, known.log_scale, 1e-3);
  EXPECT_NEAR(check->prior.batch, known.batch, 1e-3);
  EXPECT_NEAR(check->prior.complexity, known.complexity, 1e-3);
  EXPECT_EQ(check->models.size(), 7U);
  EXPECT_EQ(check->columns_left_out, 0U);
}

TEST(EstimateCheck, SideBySideAFewPairsSayMoreThanTheMean) {
  double error = 0;
  double error_of_mean = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EstimateCheckOptions options;
    options.seed = seed;
    const auto check = check_estimates(traces::gavel_throughput_file(), options);
    ASSERT_TRUE(check.has_value());
    EXPECT_EQ(check->colocation.job_types, 10U);
    error += check->colocation.mean_error;
    error_of_mean += check->colocation.mean_error_of_mean;
  }
  EXPECT_LT(error, error_of_mean);
}

TEST(EstimateCheck, RefusesATableThatIsTooSmall) {
  ThroughputFile file;
  EXPECT_EQ(check_estimates(file, {}).error().code, ErrorCode::kInvalidArgument);
  file.rows = traces::gavel_throughput_file().rows;
  EXPECT_EQ(check_estimates(file, {}).error().code, ErrorCode::kInvalidArgument) << "no pairs";
}

}  // namespace
}  // namespace hadar
