#include <gtest/gtest.h>

#include "actors/throughput/gpu_facts.hpp"
#include "actors/throughput/job_speeds.hpp"
#include "actors/throughput/speed_prior.hpp"
#include "actors/throughput/throughput_book.hpp"

namespace hadar {
namespace {

JobSpec spec_of(const std::string& model, std::uint32_t batch = 32, std::uint32_t gpus = 1) {
  JobSpec spec;
  spec.workload = "image";
  spec.model = model;
  spec.batch_size = batch;
  spec.gpus = gpus;
  return spec;
}

const ThroughputTable kTable = {
    {"m", 32, 1, "V100", Placement::kPacked, 100},   {"m", 32, 1, "K80", Placement::kPacked, 20},
    {"m", 32, 2, "V100", Placement::kPacked, 90},    {"m", 32, 2, "V100", Placement::kSpread, 60},
    {"other", 32, 1, "P100", Placement::kPacked, 9}, {"other", 32, 1, "ODD", Placement::kPacked, 9}};

ThroughputBook book_of(double time_scale = 1) {
  return ThroughputBook(kTable, time_scale);
}

const Estimate* find(const std::vector<Estimate>& estimates, const GpuType& type,
                     Placement placement = Placement::kPacked) {
  for (const auto& estimate : estimates)
    if (estimate.type == type && estimate.placement == placement) return &estimate;
  return nullptr;
}

TEST(ThroughputBook, DeclaredSpeedsCountTimesTheTimeScale) {
  const auto estimates = book_of(0.5).estimates_for(JobId{1}, spec_of("m"));
  ASSERT_NE(find(estimates, "V100"), nullptr);
  EXPECT_EQ(find(estimates, "V100")->steps_per_s, 50);
  EXPECT_EQ(find(estimates, "V100")->source, EstimateSource::kDeclared);
}

TEST(ThroughputBook, TheGangSizesOwnRowWinsAndSpreadIsKeptApart) {
  const auto estimates = book_of().estimates_for(JobId{1}, spec_of("m", 32, 2));
  EXPECT_EQ(find(estimates, "V100")->steps_per_s, 90);
  EXPECT_EQ(find(estimates, "V100", Placement::kSpread)->steps_per_s, 60);
  EXPECT_EQ(find(estimates, "K80")->steps_per_s, 20) << "one GPU's row when the gang's is missing";
}

TEST(ThroughputBook, ATypeWithFactsButNoRowGetsAPriorBetweenItsNeighbours) {
  const auto estimates = book_of().estimates_for(JobId{1}, spec_of("m"));
  ASSERT_NE(find(estimates, "P100"), nullptr);
  EXPECT_EQ(find(estimates, "P100")->source, EstimateSource::kPrior);
  EXPECT_GT(find(estimates, "P100")->steps_per_s, 20);
  EXPECT_LT(find(estimates, "P100")->steps_per_s, 100);
  EXPECT_EQ(find(estimates, "ODD"), nullptr) << "unknown, not slow";
}

TEST(ThroughputBook, AnUnknownModelStillGetsPriorsInTheOrderOfTheGpus) {
  const auto estimates = book_of().estimates_for(JobId{1}, spec_of("new", 64));
  EXPECT_GT(find(estimates, "V100")->steps_per_s, find(estimates, "P100")->steps_per_s);
  EXPECT_GT(find(estimates, "P100")->steps_per_s, find(estimates, "K80")->steps_per_s);
  EXPECT_DOUBLE_EQ(find(estimates, "V100")->steps_per_s,
                   calibrated_prior().steps_per_s(*facts_of("V100"), 64, Complexity::kModerate));
}

TEST(ThroughputBook, MeasurementWinsAndMovesHalfwayEachTime) {
  auto book = book_of();
  book.measured(JobId{1}, spec_of("m"), "V100", 800, 10);
  EXPECT_EQ(find(book.estimates_for(JobId{1}, spec_of("m")), "V100")->steps_per_s, 80);
  EXPECT_EQ(find(book.estimates_for(JobId{1}, spec_of("m")), "V100")->source, EstimateSource::kMeasured);
  book.measured(JobId{1}, spec_of("m"), "V100", 400, 10);
  EXPECT_EQ(find(book.estimates_for(JobId{1}, spec_of("m")), "V100")->steps_per_s, 60);
}

TEST(ThroughputBook, JobsOfOneModelLearnFromEachOther) {
  auto book = book_of();
  book.measured(JobId{1}, spec_of("m"), "V100", 800, 10);
  EXPECT_EQ(find(book.estimates_for(JobId{2}, spec_of("m")), "V100")->steps_per_s, 80);
  EXPECT_EQ(find(book.estimates_for(JobId{2}, spec_of("m", 64)), "V100")->source, EstimateSource::kPrior)
      << "another batch size is another model";
  book.forget(JobId{1});
  EXPECT_EQ(find(book.estimates_for(JobId{1}, spec_of("m")), "V100")->steps_per_s, 80);
}

TEST(ThroughputBook, AGangOverNodesIsMeasuredApart) {
  auto book = book_of();
  book.measured(JobId{1}, spec_of("m", 32, 2), "V100", 300, 10, Placement::kSpread);
  const auto estimates = book.estimates_for(JobId{1}, spec_of("m", 32, 2));
  EXPECT_EQ(find(estimates, "V100", Placement::kSpread)->steps_per_s, 30);
  EXPECT_EQ(find(estimates, "V100")->steps_per_s, 90);
}

TEST(ThroughputBook, NothingIsLearnedFromNothing) {
  auto book = book_of();
  book.measured(JobId{1}, spec_of("m"), "V100", 0, 10);
  book.measured(JobId{1}, spec_of("m"), "V100", 5, 0.001);
  EXPECT_EQ(find(book.estimates_for(JobId{1}, spec_of("m")), "V100")->source, EstimateSource::kDeclared);
}

TEST(ThroughputBook, ASleepJobsDeclarationIsItsOwn) {
  auto book = book_of(0.5);
  auto spec = spec_of("s");
  spec.workload = "sleep";
  spec.sleep.steps_per_s = {{"V100", 7}};
  EXPECT_EQ(find(book.estimates_for(JobId{1}, spec), "V100")->steps_per_s, 7) << "not scaled";
  book.measured(JobId{1}, spec, "V100", 60, 10);
  EXPECT_EQ(find(book.estimates_for(JobId{1}, spec), "V100")->steps_per_s, 6);
  EXPECT_EQ(find(book.estimates_for(JobId{2}, spec), "V100")->steps_per_s, 7) << "others declare for themselves";
}

TEST(GpuFacts, NamesAreMatchedHoweverTheyAreWritten) {
  for (const auto* name : {"RTX 3090", "rtx-3090", "NVIDIA GeForce RTX 3090", "RTX3090"})
    EXPECT_TRUE(facts_of(name)) << name;
  EXPECT_EQ(facts_of("Tesla V100-SXM2-16GB")->type, "V100");
  EXPECT_EQ(facts_of("T400 4GB")->type, "T400");
  EXPECT_EQ(facts_of("T4")->type, "T4");
  EXPECT_EQ(facts_of("A10G")->type, "A10G");
  EXPECT_FALSE(facts_of("V1000"));
  EXPECT_FALSE(facts_of("made up"));
  EXPECT_DOUBLE_EQ(performance_index(*facts_of("V100")), 1);
}

JobView view_of(std::vector<Estimate> estimates) {
  JobView job;
  job.estimates = std::move(estimates);
  return job;
}

TEST(JobSpeeds, TheBestSourceCountsWhateverTheOrder) {
  const JobSpeeds speeds(view_of({{"A", Placement::kPacked, 5, EstimateSource::kMeasured},
                                  {"A", Placement::kPacked, 9, EstimateSource::kDeclared},
                                  {"B", Placement::kPacked, 1, EstimateSource::kPrior},
                                  {"B", Placement::kPacked, 2, EstimateSource::kDeclared}}),
                         {"A", "B"});
  EXPECT_EQ(speeds.member(0), 5);
  EXPECT_EQ(speeds.member(1), 2);
  EXPECT_EQ(speeds.order(), (std::vector<std::uint32_t>{0, 1}));
}

TEST(JobSpeeds, AnUnknownTypeIsGuessedAtTheMeanOfTheKnown) {
  const JobSpeeds speeds(view_of({{"A", Placement::kPacked, 6, EstimateSource::kMeasured},
                                  {"B", Placement::kPacked, 2, EstimateSource::kMeasured}}),
                         {"A", "B", "C"});
  EXPECT_EQ(speeds.member(2), 4);
  EXPECT_TRUE(speeds.guessed(2));
  EXPECT_FALSE(speeds.guessed(0));
  EXPECT_EQ(JobSpeeds(view_of({}), {"A"}).member(0), 1);
}

TEST(JobSpeeds, TypesNotAllowedHaveNoSpeed) {
  auto job = view_of({{"A", Placement::kPacked, 6, EstimateSource::kMeasured}});
  job.gpu_types = {"B"};
  const JobSpeeds speeds(job, {"A", "B"});
  EXPECT_FALSE(speeds.allows(0));
  EXPECT_TRUE(speeds.allows(1));
  EXPECT_EQ(speeds.member(0), 0);
}

TEST(Pairs, AreAnsweredForTheWorkloadsAskedAboutEitherWayRound) {
  const PairTable table = {{{"lm", 20}, {"resnet", 64}, 1, "V100", 45, 24},
                           {{"lm", 20}, {"resnet", 64}, 1, "K80", 0, 0},
                           {{"resnet", 64}, {"resnet", 64}, 1, "V100", 13, 13},
                           {{"lm", 20}, {"resnet", 64}, 2, "V100", 90, 40}};
  const ThroughputBook book({}, 2, table);
  const auto spec = [](const char* model, std::uint32_t batch) {
    JobSpec job;
    job.model = model;
    job.batch_size = batch;
    return std::make_shared<const JobSpec>(job);
  };
  const auto lm = spec("lm", 20);
  const auto resnet = spec("resnet", 64);
  const auto other = spec("resnet", 32);
  EXPECT_EQ(book.declared_pair(*lm, *resnet, "V100"), (std::array<double, 2>{90, 48}));
  EXPECT_EQ(book.declared_pair(*resnet, *lm, "V100"), (std::array<double, 2>{48, 90}));
  EXPECT_EQ(book.declared_pair(*lm, *resnet, "K80"), (std::array<double, 2>{0, 0}));
  EXPECT_EQ(book.declared_pair(*lm, *other, "V100"), (std::array<double, 2>{0, 0}));
  const PairTable expected = {{{"lm", 20}, {"resnet", 64}, 1, "K80", 0, 0},
                              {{"lm", 20}, {"resnet", 64}, 1, "V100", 90, 48},
                              {{"resnet", 64}, {"resnet", 64}, 1, "V100", 26, 26}};
  EXPECT_EQ(book.pairs_of({resnet, other, lm, lm}), expected);
}

TEST(Pairs, ARowForAnyBatchSizeStandsInForTheOneThatIsMissing) {
  const ThroughputBook book({}, 1, {{{"a", 0}, {"b", 0}, 1, "V100", 3, 4}, {{"a", 8}, {"b", 16}, 1, "V100", 5, 6}});
  JobSpec a;
  a.model = "a";
  a.batch_size = 8;
  JobSpec b;
  b.model = "b";
  b.batch_size = 32;
  EXPECT_EQ(book.declared_pair(a, b, "V100"), (std::array<double, 2>{3, 4}));
  b.batch_size = 16;
  EXPECT_EQ(book.declared_pair(a, b, "V100"), (std::array<double, 2>{5, 6}));
}

}  // namespace
}  // namespace hadar
