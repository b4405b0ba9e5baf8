#include "runtime/weights/weighted_sum.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/weights/half.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/weights/weight_files.hpp"

namespace hadar {
namespace {

using test::a_tensor;
using test::OwnedTensor;
using test::TempDir;
using test::values_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

class MergeWeights : public testing::Test {
 protected:
  void SetUp() override { settings_.durability = Durability::kCached; }

  // Adds a copy made of these tensors.
  void copy(double coefficient, const std::vector<OwnedTensor>& tensors, const TensorMetadata& metadata = {}) {
    const auto key = "fork " + std::to_string(copies_.size());
    test::write_weights(dir_ / key, tensors, metadata);
    copies_.push_back({key, dir_ / key, coefficient, 1});
  }

  MergeReport merge() {
    auto report = merge_weights(copies_, output(), settings_);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : MergeReport{};
  }

  Error refusal() {
    const auto report = merge_weights(copies_, output(), settings_);
    EXPECT_FALSE(report);
    EXPECT_FALSE(std::filesystem::exists(output()));
    return report ? Error{} : report.error();
  }

  [[nodiscard]] std::filesystem::path output() const { return dir_ / "merged"; }

  TempDir dir_;
  std::vector<WeightedCopy> copies_;
  MergeSettings settings_;
};

std::vector<std::uint16_t> halves(std::vector<double> values, std::uint16_t (*narrow)(double)) {
  std::vector<std::uint16_t> out;
  for (const double value : values) out.push_back(narrow(value));
  return out;
}

TEST_F(MergeWeights, AveragesExactlyByDtype) {
  const double steps[] = {100, 300, 600};
  const std::vector<std::vector<double>> brains = {{1.0, -3.5, 1e30}, {2.0, 0.25, -1e30}, {1.0078125, 7e-40, 3e30}};
  for (int i = 0; i < 3; ++i) {
    const auto base = static_cast<float>(2 * i);
    copy(steps[i],
         {a_tensor<float>("w", Dtype::kF32, {2}, {base + 1, base + 2}),
          a_tensor("h", Dtype::kF16, {2}, halves({60000, 60000}, f16_from_double)),
          a_tensor("b", Dtype::kBf16, {3}, halves(brains[static_cast<std::size_t>(i)], bf16_from_double)),
          a_tensor<std::int64_t>("n", Dtype::kI64, {}, {std::int64_t{10} << i})},
         {{"who", std::to_string(i)}});
  }
  const auto report = merge();
  EXPECT_THAT(report.used, ElementsAre(0, 1, 2));
  EXPECT_THAT(report.left_out, SizeIs(0));
  EXPECT_THAT(report.share, ElementsAre(testing::DoubleEq(0.1), testing::DoubleEq(0.3), testing::DoubleEq(0.6)));
  EXPECT_THAT(values_of<float>(output(), "w"), ElementsAre(4.0F, 5.0F));
  EXPECT_THAT(values_of<std::uint16_t>(output(), "h"), ElementsAre(f16_from_double(60000), f16_from_double(60000)));
  EXPECT_THAT(values_of<std::int64_t>(output(), "n"), ElementsAre(40));
  const auto merged = SafetensorsFile::open(output()).value();
  EXPECT_EQ(merged.metadata(), (TensorMetadata{{"who", "2"}}));
  EXPECT_EQ(merged.find("n")->shape, TensorShape{});
  const auto b = values_of<std::uint16_t>(output(), "b");
  for (std::size_t k = 0; k < 3; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += report.share[i] * double_from_bf16(bf16_from_double(brains[i][k]));
    EXPECT_EQ(b[k], bf16_from_double(sum)) << k;
  }
}

TEST_F(MergeWeights, OneCopyComesOutBitForBit) {
  copy(7,
       {a_tensor<float>("w", Dtype::kF32, {4}, {-0.0F, 1e-45F, 3.4028235e38F, -1.5F}),
        a_tensor<double>("d", Dtype::kF64, {2}, {-0.0, 1.7e308}), a_tensor<float>("c", Dtype::kC64, {1}, {1.0F, -2.0F}),
        a_tensor<std::uint8_t>("f8", Dtype::kF8E4m3, {2}, {1, 255}),
        a_tensor<std::uint8_t>("flag", Dtype::kBool, {2}, {1, 0})});
  merge();
  EXPECT_EQ(test::bytes_of_file(output()), test::bytes_of_file(copies_[0].file));
}

TEST_F(MergeWeights, DoesNotDependOnTheOrderOfArrival) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 5; ++i) {
    std::vector<double> values(5000);
    for (auto& value : values) value = normal(random) * std::pow(10.0, i * 3 - 6);
    copy(1.0 / (i + 3), {a_tensor("w", Dtype::kF64, {5000}, values)});
  }
  merge();
  const auto first = test::bytes_of_file(output());
  for (int turn = 0; turn < 5; ++turn) {
    std::shuffle(copies_.begin(), copies_.end(), random);
    merge();
    EXPECT_EQ(test::bytes_of_file(output()), first);
  }
}

TEST_F(MergeWeights, AgreesWithADoubleReferenceOverManyChunks) {
  settings_.chunk_bytes = 4096 + 4;  // not a multiple of the block
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  const std::size_t count = 20'011;
  std::vector<std::vector<float>> values(3, std::vector<float>(count));
  for (auto& one : values)
    for (auto& value : one) value = normal(random);
  for (std::size_t i = 0; i < 3; ++i)
    copy(static_cast<double>(i) + 1, {a_tensor("w", Dtype::kF32, {count}, values[i])});
  const auto report = merge();
  const auto merged = values_of<float>(output(), "w");
  ASSERT_THAT(merged, SizeIs(count));
  for (std::size_t k = 0; k < count; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += report.share[i] * static_cast<double>(values[i][k]);
    ASSERT_EQ(merged[k], static_cast<float>(sum)) << k;
  }
  EXPECT_EQ(report.bytes_read, 3 * count * 4);  // one pass
  EXPECT_EQ(report.bytes_written, count * 4);
}

TEST_F(MergeWeights, TakesTheLargestIntegerPerElementAndTheHeaviestCopysFlags) {
  copy(1,
       {a_tensor<std::int8_t>("i8", Dtype::kI8, {2}, {-5, 7}), a_tensor<std::uint8_t>("u8", Dtype::kU8, {2}, {200, 1}),
        a_tensor<std::uint64_t>("u64", Dtype::kU64, {1}, {~0ULL}),
        a_tensor<std::uint8_t>("flag", Dtype::kBool, {2}, {1, 1})});
  copy(3,
       {a_tensor<std::int8_t>("i8", Dtype::kI8, {2}, {-9, 9}), a_tensor<std::uint8_t>("u8", Dtype::kU8, {2}, {100, 2}),
        a_tensor<std::uint64_t>("u64", Dtype::kU64, {1}, {1}),
        a_tensor<std::uint8_t>("flag", Dtype::kBool, {2}, {0, 1})});
  merge();
  EXPECT_THAT(values_of<std::int8_t>(output(), "i8"), ElementsAre(-5, 9));
  EXPECT_THAT(values_of<std::uint8_t>(output(), "u8"), ElementsAre(200, 2));
  EXPECT_THAT(values_of<std::uint64_t>(output(), "u64"), ElementsAre(~0ULL));
  EXPECT_THAT(values_of<std::uint8_t>(output(), "flag"), ElementsAre(0, 1));
}

TEST_F(MergeWeights, LeavesOutEveryCopyWithNanOrInfinityAndRenormalises) {
  copy(1, {a_tensor<float>("w", Dtype::kF32, {2}, {1, 2})});
  copy(5, {a_tensor<float>("w", Dtype::kF32, {2}, {1, kNan})});
  copy(1, {a_tensor<float>("w", Dtype::kF32, {2}, {3, 4})});
  copy(5, {a_tensor<float>("w", Dtype::kF32, {2}, {-kInf, 0})});
  const auto report = merge();
  EXPECT_THAT(report.used, ElementsAre(0, 2));
  EXPECT_THAT(report.share, ElementsAre(0.5, 0, 0.5, 0));
  ASSERT_THAT(report.left_out, SizeIs(2));
  EXPECT_EQ(report.left_out[0].index, 1U);
  EXPECT_EQ(report.left_out[1].index, 3U);
  EXPECT_THAT(report.left_out[0].reason, HasSubstr("'w' holds NaN or infinity"));
  EXPECT_THAT(values_of<float>(output(), "w"), ElementsAre(2.0F, 3.0F));
}

TEST_F(MergeWeights, SeesNonFiniteHalvesAndComplexParts) {
  const std::uint16_t infinite_half = 0x7C00;
  const std::uint16_t nan_brain = 0x7FC0;
  const auto tensors = [](std::uint16_t half, std::uint16_t brain, float imaginary, double wide) {
    return std::vector<OwnedTensor>{a_tensor<std::uint16_t>("h", Dtype::kF16, {1}, {half}),
                                    a_tensor<std::uint16_t>("b", Dtype::kBf16, {1}, {brain}),
                                    a_tensor<float>("c", Dtype::kC64, {1}, {0, imaginary}),
                                    a_tensor<double>("d", Dtype::kF64, {1}, {wide})};
  };
  copy(1, tensors(0, 0, 0, 0));
  copy(1, tensors(infinite_half, 0, 0, 0));
  copy(1, tensors(0, nan_brain, 0, 0));
  copy(1, tensors(0, 0, kNan, 0));
  copy(1, tensors(0, 0, 0, -std::numeric_limits<double>::infinity()));
  const auto report = merge();
  EXPECT_THAT(report.used, ElementsAre(0));
  ASSERT_THAT(report.left_out, SizeIs(4));
  EXPECT_THAT(report.left_out[0].reason, HasSubstr("'h'"));
  EXPECT_THAT(report.left_out[1].reason, HasSubstr("'b'"));
  EXPECT_THAT(report.left_out[2].reason, HasSubstr("'c'"));
  EXPECT_THAT(report.left_out[3].reason, HasSubstr("'d'"));
}

TEST_F(MergeWeights, LeavesOutOtherNamesShapesDtypesAndUnreadableFiles) {
  const auto w = a_tensor<float>("w", Dtype::kF32, {2}, {1, 2});
  copy(2, {w});
  copy(1, {w});
  copy(1, {a_tensor<float>("v", Dtype::kF32, {2}, {1, 2})});
  copy(1, {a_tensor<float>("w", Dtype::kF32, {1, 2}, {1, 2})});
  copy(1, {a_tensor<std::int32_t>("w", Dtype::kI32, {2}, {1, 2})});
  copy(1, {w, a_tensor<float>("extra", Dtype::kF32, {}, {1})});
  copy(0, {w});
  copies_.push_back({"fork 7", dir_ / "missing", 1, 1});
  const auto report = merge();
  EXPECT_THAT(report.used, ElementsAre(0, 1));
  ASSERT_THAT(report.left_out, SizeIs(6));
  EXPECT_THAT(report.left_out[0].reason, HasSubstr("'w' is missing"));
  EXPECT_THAT(report.left_out[1].reason, HasSubstr("'w' is F32[1,2] where the others have F32[2]"));
  EXPECT_THAT(report.left_out[2].reason, HasSubstr("'w' is I32[2]"));
  EXPECT_THAT(report.left_out[3].reason, HasSubstr("'extra' is not in the others"));
  EXPECT_THAT(report.left_out[4].reason, HasSubstr("coefficient is 0"));
  EXPECT_THAT(report.left_out[5].reason, HasSubstr("missing: cannot be opened"));
}

TEST_F(MergeWeights, TheBaseVersionsLayoutIsTheLaw) {
  test::write_weights(dir_ / "base", {a_tensor<float>("w", Dtype::kF32, {1}, {0})});
  settings_.base = dir_ / "base";
  copy(100, {a_tensor<float>("v", Dtype::kF32, {1}, {9})});
  copy(1, {a_tensor<float>("w", Dtype::kF32, {1}, {3})});
  const auto report = merge();
  EXPECT_THAT(report.used, ElementsAre(1));
  EXPECT_FALSE(report.outer_applied);
  EXPECT_THAT(values_of<float>(output(), "w"), ElementsAre(3.0F));
}

TEST_F(MergeWeights, WhenNoCopyIsLeftNothingIsWrittenAndEachIsNamed) {
  copy(1, {a_tensor<float>("w", Dtype::kF32, {1}, {kNan})});
  copy(1, {a_tensor<float>("w", Dtype::kF32, {1}, {kInf})});
  copy(0, {a_tensor<float>("w", Dtype::kF32, {1}, {1})});
  const auto error = refusal();
  EXPECT_EQ(error.code, ErrorCode::kCorrupt);
  EXPECT_THAT(error.message, HasSubstr("none of 3 copies"));
  for (const char* key : {"'fork 0'", "'fork 1'", "'fork 2'"}) EXPECT_THAT(error.message, HasSubstr(key));
}

TEST_F(MergeWeights, RefusesWrongArguments) {
  EXPECT_THAT(refusal().message, HasSubstr("no copies"));
  copy(1, {a_tensor<float>("w", Dtype::kF32, {1}, {1})});
  copies_.push_back(copies_[0]);
  EXPECT_THAT(refusal().message, HasSubstr("key 'fork 0' is given twice"));
  copies_.pop_back();
  for (const double wrong : {-1.0, std::nan(""), HUGE_VAL}) {
    copies_[0].coefficient = wrong;
    const auto error = refusal();
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.message, HasSubstr("coefficient of 'fork 0'"));
  }
}

TEST_F(MergeWeights, StopsWhenAsked) {
  copy(1, {a_tensor<float>("w", Dtype::kF32, {1}, {1})});
  std::stop_source source;
  source.request_stop();
  settings_.stop = source.get_token();
  EXPECT_EQ(refusal().code, ErrorCode::kTimedOut);
}

// A process whose memory may not grow by a tenth of one copy.
TEST_F(MergeWeights, MergesCopiesFarLargerThanItsMemory) {
  constexpr std::uint64_t kBytes = std::uint64_t{64} << 20;
  const std::string header = R"({"w":{"dtype":"F32","shape":[16777216],"data_offsets":[0,67108864]}})";
  for (const std::string key : {"fork 0", "fork 1"}) {
    test::write_raw(dir_ / key, header);
    std::filesystem::resize_file(dir_ / key, 8 + header.size() + kBytes);  // zeros that take no room on the disk
    copies_.push_back({key, dir_ / key, 1, 1});
  }
  const auto merge_in_little_memory = [this] {
    std::ifstream sizes("/proc/self/statm");
    std::uint64_t pages = 0;
    sizes >> pages;
    const rlim_t most = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + kBytes / 10;
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_AS, &limit);
    ::_exit(merge_weights(copies_, output(), settings_) ? 0 : 1);
  };
  EXPECT_EXIT(merge_in_little_memory(), testing::ExitedWithCode(0), "");
  EXPECT_GT(std::filesystem::file_size(output()), kBytes);
}

TEST_F(MergeWeights, HugeCoefficientsDoNotOverflow) {
  copy(1e308, {a_tensor<float>("w", Dtype::kF32, {1}, {1})});
  copy(1e308, {a_tensor<float>("w", Dtype::kF32, {1}, {3})});
  merge();
  EXPECT_THAT(values_of<float>(output(), "w"), ElementsAre(2.0F));
}

TEST_F(MergeWeights, MergesFilesWithoutTensors) {
  copy(1, {});
  copy(1, {});
  EXPECT_THAT(merge().used, ElementsAre(0, 1));
}

}  // namespace
}  // namespace hadar
