#include "runtime/config/gavel_throughputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hadar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ThroughputFile read(const std::string& text) {
  auto file = parse_throughputs(text, "g");
  EXPECT_TRUE(file.has_value()) << file.error().message;
  return file ? *std::move(file) : ThroughputFile{};
}

std::string error_of(const std::string& text) {
  const auto file = parse_throughputs(text, "g");
  return file ? "" : file.error().message;
}

const ThroughputRow kAlone{"ResNet-18", 16, 1, "V100", Placement::kPacked, 32.25};

TEST(GavelThroughputs, ReadsTheOracle) {
  const auto file = read(R"json({
    "v100": {"('ResNet-18 (batch size 16)', 1)": {"null": 32.25, "('A3C', 1)": [20.5, 5],
                                                  "('LM (batch size 5)', 1)": [0.0, 0.0], "('A3C', 2)": [1, 1]},
             "('A3C', 1)": {"null": 7, "('ResNet-18 (batch size 16)', 1)": [5, 20.5]}},
    "k80_unconsolidated": {"('ResNet-50 (batch size 128)', 8)": {"null": 0.0},
                           "('LM (batch size 5)', 8)": {"null": 25.5}}})json");
  EXPECT_THAT(file.rows, ElementsAre(ThroughputRow{"LM", 5, 8, "K80", Placement::kSpread, 25.5},
                                     ThroughputRow{"A3C", 1, 1, "V100", Placement::kPacked, 7}, kAlone));
  EXPECT_THAT(file.unfit, ElementsAre(ThroughputRow{"ResNet-50", 128, 8, "K80", Placement::kSpread, 0}));
  EXPECT_THAT(file.shared,
              ElementsAre(SharedThroughputRow{{"A3C", 1, 1, "V100", Placement::kPacked, 5}, "ResNet-18", 16, 20.5},
                          SharedThroughputRow{{"LM", 5, 1, "V100", Placement::kPacked, 0}, "ResNet-18", 16, 0}))
      << "each pair once";
  EXPECT_THAT(file.notes, ElementsAre("1 pairs of unequal gang sizes are left out"));
}

TEST(GavelThroughputs, ReadsTheWideTable) {
  const auto file = read(
      "job_type,scale_factor,k80_steps_per_s,v100_steps_per_s,v100_unconsolidated_steps_per_s\n"
      "ResNet-18 (batch size 16),1,,32.25,31\nA3C,1,0.0,7,\n");
  EXPECT_THAT(file.rows, ElementsAre(kAlone, ThroughputRow{"ResNet-18", 16, 1, "V100", Placement::kSpread, 31},
                                     ThroughputRow{"A3C", 1, 1, "V100", Placement::kPacked, 7}));
  EXPECT_THAT(file.unfit, ElementsAre(ThroughputRow{"A3C", 1, 1, "K80", Placement::kPacked, 0}));
}

TEST(GavelThroughputs, ReadsPairsAlone) {
  const auto file = read(R"json({"job_types": ["A3C", "LM (batch size 5)"], "format": "x",
                                 "pairs": {"p100": {"2": [[0, 1, 3.5, 40], [1, 1, 0, 0]]}}})json");
  EXPECT_THAT(file.rows, IsEmpty());
  EXPECT_THAT(file.shared, ElementsAre(SharedThroughputRow{{"A3C", 1, 2, "P100", Placement::kPacked, 3.5}, "LM", 5, 40},
                                       SharedThroughputRow{{"LM", 5, 2, "P100", Placement::kPacked, 0}, "LM", 5, 0}));
}

TEST(GavelThroughputs, PairsOfAFileAreAPairTable) {
  const auto file = read(
      "model,batch_size,gpus,gpu_type,placement,steps_per_s,partner,partner_steps_per_s\n"
      "b,1,2,V100,packed,6,a (batch size 8),7\nb,1,2,V100,spread,1,a (batch size 8),2\nb,1,2,K80,packed,0,b,0\n");
  EXPECT_THAT(pair_table(file), ElementsAre(PairEstimate{{"a", 8}, {"b", 1}, 2, "V100", 7, 6},
                                            PairEstimate{{"b", 0}, {"b", 1}, 2, "K80", 0, 0}));
}

TEST(GavelThroughputs, SaysWhereItIsWrong) {
  EXPECT_THAT(error_of("{\"v100\": {\"('A3C', 1)\": {\"null\": -1}}}"), HasSubstr("g: v100: ('A3C', 1): null: got -1"));
  EXPECT_THAT(error_of("{\"v100\": {\"A3C\": {\"null\": 1}}}"), HasSubstr("g: v100: got 'A3C', must be like"));
  EXPECT_THAT(error_of("{\"v100\": {\"('A3C', 0)\": {}}}"), HasSubstr("('A3C', 0)"));
  EXPECT_THAT(error_of("{\"v100\": {\"('A3C', 1)\": {\"('A3C', 1)\": [1]}}}"), HasSubstr("must be two speeds"));
  EXPECT_THAT(error_of("{\"v100\": 1}"), HasSubstr("must be an object"));
  EXPECT_THAT(error_of("{\"v100\": "), HasSubstr("g: not JSON"));
  EXPECT_THAT(error_of("{\"job_types\": [\"A3C\"], \"pairs\": {\"k80\": {\"1\": [[0, 1, 2, 3]]}}}"),
              HasSubstr("got [0,1,2,3]"));
  EXPECT_THAT(error_of("job_type,scale_factor,v100\nA3C,1,2\n"), HasSubstr("column 'v100'"));
  EXPECT_THAT(error_of("job_type,scale_factor,v100_steps_per_s\nA3C,1,x\n"),
              HasSubstr("g:2: column 'v100_steps_per_s': got 'x'"));
  EXPECT_THAT(error_of("job_type,scale_factor,v100_steps_per_s\nA3C,1,2\nA3C,1,3\n"), HasSubstr("g:3"));
}

}  // namespace
}  // namespace hadar
