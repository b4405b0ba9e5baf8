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

TEST(LoadTrace, OurFormKeepsLateArrivalsAndSaysWhatTheyMayBe) {
  for (const auto* late : {"999999999", "1000000000", "1e9", "4e9"}) {
    const auto loaded = read(std::string(kHeader) + "a," + late + ",m,1,1,5,1,0,,true\n");
    EXPECT_EQ(loaded.trace.jobs[0].arrival_s, std::stod(late)) << late;
    EXPECT_EQ(read(to_csv(loaded.trace)).trace, loaded.trace) << late;
    EXPECT_EQ(std::count_if(loaded.notes.begin(), loaded.notes.end(),
                            [](const auto& note) { return note.find("1e9 s") != std::string::npos; }),
              std::stod(late) >= 1e9 ? 1 : 0)
        << late;
  }
}

TEST(LoadTrace, DatesCountFromTheEarliestInEveryFormAndItIsSaid) {
  const auto dates = HasSubstr("times are dates: arrivals count from the earliest job");
  const auto ours = read(std::string(kHeader) +
                         "a,1970-01-02 00:00:00,m,1,1,5,1,0,,true\n"
                         "b,1970-01-02 00:00:09,m,1,1,5,1,0,,true\n");
  EXPECT_EQ(ours.trace.jobs[1].arrival_s, 9);
  EXPECT_THAT(ours.notes, Contains(dates));
  const auto foreign = read(std::string(kDurations) + "1500000000,5,1\n1500000007,5,1\n");
  EXPECT_EQ(foreign.trace.jobs[1].arrival_s, 7);
  EXPECT_THAT(foreign.notes, Contains(dates));
}

// Two rows of every form that takes dates, with `%` for their times.
const std::vector<std::pair<std::string, std::string>>& timed_rows() {
  static const std::vector<std::pair<std::string, std::string>> kRows{
      {kHeader, "ID,%,m,1,1,5,1,0,,true\n"},
      {kDurations, "%,5,1\n"},
      {"timestamp,duration,num_gpus\n", "%,5,1\n"},
      {"job_name,submit_s,V100_s\n", "ID,%,5\n"},
      {"name,time,application,num_replicas,batch_size\n", "ID,%,cifar10,1,128\n"},
      {"job_id,arrival_s,job_type,scale_factor,total_steps,priority_weight\n", "ID,%,LM,1,5,1\n"},
      {"model,batch_size,total_steps,num_gpus,priority_weight,arrival_s\n", "LM,5,10,1,1,%\n"},
      {"", "LM\tc\td\ts\t1\t5\t1\t1\t-1\t%\n"},
      {"job_name,organization,gpu_model,gpu_request,worker_num,submit_time,duration,job_type\n",
       "ID,o,A10,1,1,%,5,HP\n"},
      {testing::sample_of("helios").text.substr(0, testing::sample_of("helios").text.find('\n') + 1),
       "ID,u,v,1,1,1,COMPLETED,%,,,60,1\n"}};
  return kRows;
}

std::string timed(std::string row, const std::string& id, const std::string& time) {
  if (const auto at = row.find("ID"); at != std::string::npos) row.replace(at, 2, id);
  return row.replace(row.find('%'), 1, time);
}

TEST(LoadTrace, RefusesTimesOfAnotherKindThanTheFirstRows) {
  const std::string date = "2020-04-01 00:00:00";
  const std::string later = "2020-04-01 00:01:00";
  for (const auto& [header, row] : timed_rows()) {
    const auto after_dates = read(header + timed(row, "a", date) + timed(row, "b", "100") + timed(row, "c", later));
    ASSERT_EQ(after_dates.trace.jobs.size(), 2U) << row;
    EXPECT_EQ(after_dates.trace.jobs[1].arrival_s, 60) << row;
    EXPECT_THAT(text_of(after_dates.refused.at(0), "f"), HasSubstr("got '100', must be a date, as in the rows before"))
        << row;
    const auto after_numbers = read(header + timed(row, "a", "0") + timed(row, "b", date) + timed(row, "c", "60"));
    ASSERT_EQ(after_numbers.trace.jobs.size(), 2U) << row;
    EXPECT_EQ(after_numbers.trace.jobs[1].arrival_s, 60) << row;
    EXPECT_THAT(text_of(after_numbers.refused.at(0), "f"),
                HasSubstr("got '" + date + "', must be a number of seconds, as in the rows before"))
        << row;
  }
}

TEST(LoadTrace, ARefusedRowDoesNotSayOfWhichKindTimesAre) {
  const auto loaded = read(std::string(kHeader) + "bad,2020-04-01 00:00:00,m,1,0,5,1,0,,true\n" +
                           "a,0,m,1,1,5,1,0,,true\nb,9,m,1,1,5,1,0,,true\n");
  EXPECT_EQ(loaded.trace.jobs.size(), 2U);
  EXPECT_EQ(loaded.trace.jobs[1].arrival_s, 9);
}

TEST(LoadTrace, TimesOfOneRowAreOfOneKind) {
  const std::string pods = "name,num_gpu,gpu_milli,pod_phase,creation_time,deletion_time,scheduled_time\n";
  const auto loaded = read(pods + "a,1,1000,Succeeded,0,1000,10\nb,1,1000,Succeeded,5,2020-04-01 00:00:00,10\n");
  EXPECT_EQ(text_of(loaded.refused.at(0), "f"),
            "f:3: column 'deletion_time': got '2020-04-01 00:00:00', must be a number of seconds, as in the rows "
            "before");
  const auto first = parse_trace(pods + "a,1,1000,Succeeded,0,2020-04-01 00:00:00,10\n", "f");
  ASSERT_FALSE(first.has_value());
  EXPECT_THAT(first.error().message, HasSubstr("of the same kind as the row's other times"));
  const auto deadline = parse_trace(
      "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\n"
      "0,100,2011,cifar10,2020-04-01 00:00:00,4096,2,5644\n",
      "f");
  ASSERT_FALSE(deadline.has_value());
  EXPECT_THAT(deadline.error().message, HasSubstr("column 'ddl'"));
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
