// What all forms have in common: ids, order, drawn models, notes, our CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/config/throughput_csv.hpp"
#include "tests/unit/tools/traces/samples.hpp"
#include "tools/traces/measured_speeds.hpp"
#include "tools/traces/random.hpp"

namespace hadar::traces {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr const char* kHeader = "job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable\n";
constexpr const char* kDurations = "submit_s,duration_s,num_gpus\n";

LoadedTrace read(const std::string& text, const LoadOptions& options = {}) {
  auto loaded = parse_trace(text, "t.csv", options);
  EXPECT_TRUE(loaded.has_value()) << loaded.error().message;
  return loaded ? *std::move(loaded) : LoadedTrace{};
}

TEST(LoadTrace, SortsByArrivalAndSaysSo) {
  const auto loaded =
      read(std::string(kHeader) + "late,9,m,1,1,5,1,0,,true\na,1,m,1,1,5,1,0,,true\nb,1,m,1,1,5,1,0,,true\n");
  EXPECT_THAT(loaded.trace.jobs, ElementsAre(Field(&TraceJob::job_id, "a"), Field(&TraceJob::job_id, "b"),
                                             Field(&TraceJob::job_id, "late")));
  EXPECT_THAT(loaded.notes, Contains(HasSubstr("out of order: sorted")));
}

TEST(LoadTrace, KeepsAFirstArrivalAboveZero) {
  EXPECT_EQ(read(std::string(kHeader) + "a,1e6,m,1,1,5,1,0,,true\n").trace.jobs[0].arrival_s, 1e6);
}

TEST(LoadTrace, RefusesASecondRowOfAnId) {
  const auto loaded = read(std::string(kHeader) + "a,0,m,1,1,5,1,0,,true\na,1,m,1,1,5,1,0,,true\n");
  EXPECT_EQ(loaded.trace.jobs.size(), 1U);
  EXPECT_EQ(text_of(loaded.refused.at(0), "t.csv"),
            "t.csv:3: column 'job_id': got 'a', must be the id of one row only");
}

TEST(LoadTrace, RefusesGangsLargerThanTheCluster) {
  LoadOptions options;
  options.gpus_most = 4;
  const auto loaded = read(std::string(kHeader) + "a,0,m,1,4,5,1,0,,true\nb,1,m,1,5,5,1,0,,true\n", options);
  EXPECT_EQ(loaded.trace.jobs.size(), 1U);
  EXPECT_EQ(text_of(loaded.refused.at(0), "t.csv"),
            "t.csv:3: column 'gpus': got '5', must be at most the GPUs of the cluster");
}

TEST(LoadTrace, DrawsModelsThatRunOnTheGangSizeAtTheirV100Speed) {
  LoadOptions options;
  options.throughputs = {
      {"one", 8, 1, "K80", Placement::kPacked, 1000}, {"one", 8, 1, "P100", Placement::kPacked, 2000},
      {"one", 8, 1, "V100", Placement::kPacked, 10},  {"two", 16, 2, "V100", Placement::kPacked, 30},
      {"two", 16, 2, "V100", Placement::kSpread, 99}, {"old", 4, 2, "K80", Placement::kPacked, 2},
      {"old", 4, 2, "P100", Placement::kPacked, 5}};
  std::string text = kDurations;
  for (int i = 0; i < 200; ++i) text += std::to_string(i) + ",100,2\n";
  std::map<std::string, int> seen;
  const auto loaded = read(text + "200,100,1\n", options);
  for (const auto& job : loaded.trace.jobs) {
    ++seen[job.model];
    if (job.model == "one") {
      EXPECT_EQ(job.total_steps, 1000U);
    } else {
      EXPECT_EQ(job.total_steps, job.model == "two" ? 3000U : 500U) << "fastest type where V100 has none";
      EXPECT_EQ(job.batch_size, job.model == "two" ? 16U : 4U);
    }
  }
  EXPECT_EQ(seen["one"], 1);
  EXPECT_GT(seen["two"], 50);
  EXPECT_GT(seen["old"], 50);
  EXPECT_EQ(loaded.drawn, 201U);
  EXPECT_THAT(loaded.notes, Contains(HasSubstr("201 jobs with a duration and no usable model")));
}

TEST(LoadTrace, DrawsBySeedAndNameAlone) {
  std::string text = kDurations;
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + ",1000,1\n";
  LoadOptions other;
  other.seed = 1;
  EXPECT_EQ(read(text).trace, read(text).trace);
  EXPECT_NE(read(text).trace, read(text, other).trace);
  const auto whole = read(text).trace;
  EXPECT_EQ(read(text + "99,5,1\n").trace.jobs[7], whole.jobs[7]) << "more rows do not change a job";
}

TEST(LoadTrace, UsesOneGpuSpeedsWhereNoGangOfThatSizeIsMeasured) {
  LoadOptions options;
  options.throughputs = {{"one", 8, 1, "V100", Placement::kPacked, 10}};
  const auto loaded = read(std::string(kDurations) + "0,100,24\n", options);
  EXPECT_EQ(loaded.trace.jobs[0].total_steps, 1000U);
  EXPECT_THAT(loaded.notes, Contains(HasSubstr("no model is measured on their gang size")));
}

TEST(LoadTrace, CountsModelsWithoutASpeedAndRedrawsThemOnRequest) {
  const auto text = testing::sample_of("tiresias").text;
  EXPECT_THAT(read(text).notes, Contains(HasSubstr("2 rows: their model and batch size have no speed")));
  LoadOptions options;
  options.redraw = true;
  const auto loaded = read(text, options);
  EXPECT_EQ(loaded.drawn, 2U);
  EXPECT_NE(loaded.trace.jobs[0].model, "vgg11");
}

TEST(LoadTrace, TheBuiltInTableIsTheShippedOne) {
  const auto file = load_throughputs(std::string(HADAR_SOURCE_DIR) + "/configs/throughputs/gavel.csv");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(gavel_throughput_file().rows, *file);
}

TEST(LoadTrace, ReadsColumnsInAnyOrderAndNotesUnusedOnesOfForeignForms) {
  EXPECT_EQ(read("gpus,total_steps,job_id,model,arrival_s\n2,5,a,m,1\n").trace.jobs[0],
            (TraceJob{"a", 1, "m", 1, 2, 5, 1, 0, "", true}));
  EXPECT_THAT(read("num_gpus,extra,submit_s,duration_s\n1,x,0,5\n").notes,
              Contains(HasSubstr("columns not read: 'extra'")));
}

std::string random_word(Random& random) {
  static const std::vector<std::string> kParts{"a", "B", "7", " ", ",", "\"", "'", "ü", "\t", "-", "(", "%", "€"};
  std::string word = "x";
  for (auto n = random.below(12); n > 0; --n) word += kParts[random.below(kParts.size())];
  for (auto& c : word)
    if (c == '\t') c = '_';
  return word;
}

double random_number(Random& random, double most) {
  return random.below(2) == 0 ? static_cast<double>(random.below(1000)) : random.uniform(1e-9, most);
}

TEST(OurCsv, ReadsBackEqual) {
  Random random(42);
  for (int run = 0; run < 200; ++run) {
    Trace trace;
    double now = 0;
    for (std::uint64_t i = random.below(20) + 1; i > 0; --i) {
      if (random.below(3) > 0) now += random_number(random, 1e5);
      TraceJob job;
      job.job_id = std::to_string(i) + random_word(random);
      job.arrival_s = now;
      job.model = random_word(random);
      job.batch_size = static_cast<std::uint32_t>(random.below(1'000'000'000) + 1);
      job.gpus = static_cast<std::uint32_t>(random.below(65536) + 1);
      job.total_steps = random.below(std::uint64_t{1} << 53) + 1;
      job.weight = random_number(random, 1e9) + 0.1;
      job.deadline_s = random_number(random, 1e7);
      job.user = random.below(2) == 0 ? "" : random_word(random) + "x";
      job.forkable = random.below(2) == 0;
      trace.jobs.push_back(std::move(job));
    }
    const auto csv = to_csv(trace);
    const auto loaded = read(csv);
    EXPECT_EQ(loaded.trace, trace) << csv;
    EXPECT_EQ(to_csv(loaded.trace), csv);
  }
}

}  // namespace
}  // namespace hadar::traces
