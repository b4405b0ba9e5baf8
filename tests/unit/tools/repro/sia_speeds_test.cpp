#include "tools/repro/sia_speeds.hpp"

#include <fstream>
#include <gmock/gmock.h>

#include "tests/support/temp_dir.hpp"

namespace hadar::repro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "local_bsz,step_time,sync_time,placement\n";

class SiaSpeeds : public testing::Test {
 protected:
  void write(const std::string& application, const std::string& cluster, const std::string& rows) {
    const auto folder = dir_.path() / "traces" / application;
    fs::create_directories(folder);
    std::ofstream(folder / ("placements-" + cluster + ".csv")) << kHeader << rows;
  }

  // Seconds of a step of one gang member; 0 = no such row.
  double step_s(const SiaJobType& job, const GpuType& type, Placement placement = Placement::kPacked) {
    const auto table = sia_speeds(dir_.path(), {job}).value();
    for (const auto& row : table)
      if (row.type == type && row.placement == placement && row.gpus == job.gpus) return 1 / row.steps_per_s;
    return 0;
  }

  hadar::test::TempDir dir_;
};

TEST_F(SiaSpeeds, AreTheMeasuredOnesWhereThereAreSome) {
  write("bert", "aws", "4,0.5,0.1,1\n8,0.9,0.1,1\n4,0.7,0.2,11\n4,0.6,0.2,2\n");
  EXPECT_NEAR(step_s({"bert", 4, 1}, "T4"), 0.5, 1e-12);
  EXPECT_NEAR(step_s({"bert", 4, 2}, "T4"), 0.6, 1e-12);
  EXPECT_NEAR(step_s({"bert", 4, 2}, "T4", Placement::kSpread), 0.7, 1e-12);
}

TEST_F(SiaSpeeds, LieBetweenMeasuredBatchSizesAndAccumulateBeyondTheLargest) {
  write("bert", "rtx", "4,0.5,0.1,1\n8,0.9,0.1,1\n");
  EXPECT_NEAR(step_s({"bert", 6, 1}, "RTX2080Ti"), 0.7, 1e-12);
  EXPECT_NEAR(step_s({"bert", 20, 1}, "RTX2080Ti"), 3 * 0.9, 1e-12) << "three steps of 8 hold 20";
  EXPECT_NEAR(step_s({"bert", 1, 1}, "RTX2080Ti"), 0.5, 1e-12);
}

TEST_F(SiaSpeeds, OfAGangOnFewerNodesAndOfTheNextSmallerOne) {
  write("bert", "dgx-ext", "4,0.5,0.1,1\n4,0.9,0.1,1111\n4,0.8,0.1,22\n");
  EXPECT_NEAR(step_s({"bert", 4, 4}, "A100", Placement::kSpread), 0.8, 1e-12) << "two nodes rather than four";
  EXPECT_NEAR(step_s({"bert", 4, 6}, "A100", Placement::kSpread), 0.8, 1e-12);
}

TEST_F(SiaSpeeds, NameTheLineThatIsWrong) {
  write("bert", "aws", "4,0.5,0.1,1\n4,fast,0.1,1\n");
  const auto table = sia_speeds(dir_.path(), {{"bert", 4, 1}});
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message, testing::AllOf(testing::HasSubstr("placements-aws.csv:3"),
                                                    testing::HasSubstr("step_time"), testing::HasSubstr("fast")));
}

TEST_F(SiaSpeeds, SayWhatIsMissing) {
  const auto table = sia_speeds(dir_.path(), {{"bert", 4, 1}});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace hadar::repro
