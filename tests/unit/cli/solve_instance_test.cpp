// Instances of `hadar solve`: what is read, and that everything wrong is refused by its key in one line.
#include "tools/cli/solve_instance.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/temp_dir.hpp"
#include "tools/cli/commands.hpp"

namespace hadar::cli {
namespace {

using testing::HasSubstr;

constexpr auto kSound = R"({
  "id": "two", "seed": 7, "kind": "test", "num_jobs": 2, "cluster": {"v100": 2, "k80": 1}, "worker_types": ["k80", "v100"],
  "instance_costs": {"k80": 0.1, "v100": 1}, "throughputs": [[1, 4], [2, 3]],
  "jobs": [{"id": 0, "job_type": "A", "scale_factor": 1, "priority_weight": 2.0, "steps_remaining": 100,
            "time_since_start_s": 5, "slo_remaining_s": null},
           {"id": 4, "job_type": "B", "scale_factor": 1, "priority_weight": 1, "steps_remaining": 50, "slo_remaining_s": -3,
            "placed_on": "v100"}],
  "pair_throughputs": [[1, 0, [0.5, 0.25], [3, 2]]],
  "entities": {"jobs": {"e": [4], "f": [0]}, "weights": {"e": 3, "f": 1}, "mixed_policies": {"e": "fifo", "f": "fairness"}},
  "results": {"anything": [1, 2]}
})";

class InstanceFile : public testing::Test {
 protected:
  std::string write(const std::string& text, const std::string& name = "i.json") {
    const auto file = (folder_ / name).string();
    std::ofstream(file) << text;
    return file;
  }
  // The sound instance with one piece of text changed.
  std::string error_with(const std::string& from, const std::string& to) {
    std::string text = kSound;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    const auto loaded = load_instance(write(text.replace(at, from.size(), to)));
    if (loaded) return "taken";
    EXPECT_EQ(loaded.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(loaded.error().message.find('\n'), std::string::npos);
    return loaded.error().message;
  }

 private:
  test::TempDir folder_;
};

TEST_F(InstanceFile, IsReadWhole) {
  const auto instance = load_instance(write(kSound));
  ASSERT_TRUE(instance) << instance.error().message;
  const auto& problem = instance->problem;
  EXPECT_EQ(problem.types, (std::vector<GpuType>{"k80", "v100"}));
  EXPECT_EQ(problem.gpus, (std::vector<double>{1, 2}));
  EXPECT_EQ(problem.price_per_gpu_hour, (std::vector<double>{0.1, 1}));
  EXPECT_EQ(problem.seed, 7U);
  ASSERT_EQ(problem.jobs.size(), 2U);
  EXPECT_EQ(problem.jobs[0].age_s, 5);
  EXPECT_FALSE(problem.jobs[0].time_to_deadline_s);
  EXPECT_EQ(problem.jobs[1].job, JobId{4});
  EXPECT_EQ(problem.jobs[1].time_to_deadline_s, -3);
  EXPECT_EQ(problem.jobs[1].placed_on, 1U);
  EXPECT_EQ(problem.jobs[1].steps_per_s, (std::vector<double>{2, 3}));
  ASSERT_EQ(problem.entities.size(), 2U);
  EXPECT_EQ(problem.entities[problem.jobs[1].entity].rule, EntityRule::kFifo);
  ASSERT_EQ(problem.pairs.size(), 1U);
  EXPECT_EQ(problem.pairs[0].a, 0U);
  EXPECT_EQ(problem.pairs[0].steps_per_s[1], (std::array<double, 2>{2, 3}));
}

TEST_F(InstanceFile, WrongValuesAreRefusedByTheirKey) {
  EXPECT_THAT(error_with("\"seed\": 7", "\"sead\": 7"), HasSubstr("key \"sead\" is unknown"));
  EXPECT_THAT(error_with("\"v100\": 2", "\"v100\": -2"), HasSubstr("cluster.v100"));
  EXPECT_THAT(error_with("\"v100\": 2", "\"v100\": 1e30"), HasSubstr("cluster.v100"));
  EXPECT_THAT(error_with("\"v100\": 2", "\"v100\": 99999999999"), HasSubstr("cluster.v100"));
  EXPECT_THAT(error_with("\"v100\": 2,", "\"v100\": 2, \"a100\": 1,"), HasSubstr("a100"));
  EXPECT_THAT(error_with("[\"k80\", \"v100\"]", "[]"), HasSubstr("worker_types"));
  EXPECT_THAT(error_with("[\"k80\", \"v100\"]", "[\"k80\", \"k80\"]"), HasSubstr("worker_types[1]"));
  EXPECT_THAT(error_with("[[1, 4], [2, 3]]", "[[1, 4], [2]]"), HasSubstr("throughputs[1]"));
  EXPECT_THAT(error_with("[[1, 4], [2, 3]]", "[[1, 4]]"), HasSubstr("throughputs"));
  EXPECT_THAT(error_with("[[1, 4], [2, 3]]", "[[1, 4], [2, -3]]"), HasSubstr("throughputs[1][1]"));
  EXPECT_THAT(error_with("[[1, 4], [2, 3]]", "[[1, 4], [2, \"3\"]]"), HasSubstr("throughputs[1][1]"));
  EXPECT_THAT(error_with("[[1, 4], [2, 3]]", "[[1, 4], [2, 1e-155]]"), HasSubstr("must be 0 or a number from 1e-09"));
  EXPECT_THAT(error_with("[0.5, 0.25]", "[0.5, 1e-12]"), HasSubstr("pair_throughputs[0][2]"));
  EXPECT_THAT(error_with("\"num_jobs\": 2", "\"num_jobs\": 3"), HasSubstr("num_jobs"));
  EXPECT_THAT(error_with("\"scale_factor\": 1", "\"scale_factor\": 0"), HasSubstr("jobs[0].scale_factor"));
  EXPECT_THAT(error_with("\"scale_factor\": 1", "\"scale_factor\": 1.5"), HasSubstr("jobs[0].scale_factor"));
  for (const auto* weight : {"0", "1e-10", "1e-300", "1e13"})
    EXPECT_THAT(error_with("\"priority_weight\": 2.0", std::string("\"priority_weight\": ") + weight),
                HasSubstr("jobs[0].priority_weight"));
  EXPECT_THAT(error_with("\"steps_remaining\": 100,", ""), HasSubstr("key \"jobs[0].steps_remaining\" is missing"));
  EXPECT_THAT(error_with("\"id\": 4", "\"id\": 0"), HasSubstr("jobs[1].id"));
  EXPECT_THAT(error_with("\"placed_on\": \"v100\"", "\"placed_on\": \"a100\""), HasSubstr("jobs[1].placed_on"));
  EXPECT_THAT(error_with("[1, 0, [", "[1, 1, ["), HasSubstr("pair_throughputs[0]"));
  EXPECT_THAT(error_with("[1, 0, [", "[1, 2, ["), HasSubstr("pair_throughputs[0][1]"));
  EXPECT_THAT(error_with("[0.5, 0.25]", "[0.5]"), HasSubstr("pair_throughputs[0][2]"));
  EXPECT_THAT(error_with("\"e\": [4]", "\"e\": []"), HasSubstr("job 4 is in no entity"));
  EXPECT_THAT(error_with("\"e\": [4]", "\"e\": [4, 9]"), HasSubstr("entities.jobs.e[1]"));
  EXPECT_THAT(error_with("\"e\": \"fifo\"", "\"e\": \"lifo\""), HasSubstr("entities.mixed_policies.e"));
  EXPECT_THAT(error_with("\"weights\": {\"e\": 3", "\"weights\": {\"g\": 3"), HasSubstr("entities.weights.e"));
}

TEST_F(InstanceFile, WhatIsNoJsonIsRefusedWithItsLine) {
  EXPECT_THAT(error_with("[[1, 4], [2, 3]]", "[[1, NaN], [2, 3]]"), HasSubstr("i.json:3"));
  EXPECT_THAT(error_with("[[1, 4], [2, 3]]", "[[1, 1e999], [2, 3]]"), HasSubstr("i.json"));
  EXPECT_THAT(error_with("\"seed\": 7", "\"seed\": 7, \"seed\": 8"), HasSubstr("twice"));
  EXPECT_EQ(load_instance(write("")).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(load_instance(write("[]")).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(load_instance(write(std::string(100000, '['))).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(load_instance("/nowhere/i.json").error().code, ErrorCode::kNotFound);
}

TEST_F(InstanceFile, TakesPairSpeedsFromATableUnlessItHasItsOwn) {
  const auto table =
      write(R"({"job_types": ["A", "B"], "pairs": {"v100": {"1": [[0, 1, 1.5, 2.5]]}, "p100": {}}})", "t.json");
  auto with_own = load_instance(write(kSound));
  ASSERT_TRUE(with_own);
  ASSERT_TRUE(add_pairs(*with_own, table));
  EXPECT_EQ(with_own->problem.pairs.size(), 1U);
  std::string text = kSound;
  const std::string own = "\"pair_throughputs\": [[1, 0, [0.5, 0.25], [3, 2]]],";
  auto without = load_instance(write(text.replace(text.find(own), own.size(), "")));
  ASSERT_TRUE(without);
  ASSERT_TRUE(add_pairs(*without, table));
  ASSERT_EQ(without->problem.pairs.size(), 1U);
  EXPECT_EQ(without->problem.pairs[0].steps_per_s[1], (std::array<double, 2>{1.5, 2.5}));
  const auto broken = write(R"({"job_types": ["A"], "pairs": {"v100": {"1": [[0, 1, 1.5, 2.5]]}}})", "b.json");
  auto again = load_instance(write(text));
  const auto refused = add_pairs(*again, broken);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("b.json"));
}

TEST_F(InstanceFile, NamesCannotBreakALine) {
  EXPECT_THAT(error_with("[\"k80\", \"v100\"]", R"(["a\nb", "v100"])"), HasSubstr("cluster.a?b"));
  EXPECT_THAT(error_with("\"seed\": 7", R"("se\ned": 7)"), HasSubstr("se?ed"));
  EXPECT_THAT(error_with("\"seed\": 7", R"("\u001b[31m": 7)"), HasSubstr("?[31m"));
  EXPECT_THAT(error_with("\"seed\": 7", R"("a\tb": 7, "a\tb": 7)"), HasSubstr("a?b"));
  EXPECT_THAT(error_with("\"placed_on\": \"v100\"", R"("placed_on": "v\n100")"), HasSubstr("v?100"));
  EXPECT_THAT(error_with("{\"e\": [4], \"f\": [0]}", R"({"e": [4], "f\n": [0]})"), HasSubstr("f?"));
}

TEST_F(InstanceFile, SpeedsOfPairsThatNobodyReadsAreSaidToBeSo) {
  const auto table = write("model,batch_size,gpus,gpu_type,placement,steps_per_s\nA,1,1,k80,packed,3\n", "t.csv");
  for (const auto* policy : {"hadar", "yarn-cs", "gavel-las", "gavel-cost"}) {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const auto ended = run_solve({write(kSound), policy, table});
    testing::internal::GetCapturedStdout();
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::AllOf(HasSubstr("--throughputs"), HasSubstr(policy)));
    EXPECT_TRUE(ended.has_value()) << policy;
  }
}

TEST_F(InstanceFile, SolveEndsWithTheDocumentedExitCodes) {
  const auto solve = [](const std::string& file, const std::string& policy) {
    testing::internal::CaptureStdout();
    const auto result = run_solve({file, policy, ""});
    const auto printed = testing::internal::GetCapturedStdout();
    EXPECT_EQ(printed.empty(), !result.has_value());
    return result ? static_cast<int>(*result) : static_cast<int>(result.error().code);
  };
  const auto file = write(kSound);
  EXPECT_EQ(solve(file, "gavel-las"), 0);
  EXPECT_EQ(solve(file, "allox"), 0);
  EXPECT_EQ(solve(file, "hadar"), 0);
  EXPECT_EQ(solve(file, "gavel"), 2);
  EXPECT_EQ(solve("/nowhere/i.json", "gavel-las"), 2);
  EXPECT_EQ(solve(write("{}"), "gavel-las"), 2);
}

// Which GPUs each job of a printed plan got, and who waits.
TEST_F(InstanceFile, PoliciesThatPlaceWholeGpusPrintAPlan) {
  const auto file = write(R"({"worker_types": ["p100", "v100"], "cluster": {"p100": 1, "v100": 2},
    "throughputs": [[1, 4], [2, 3], [1, 1]],
    "jobs": [{"id": 0, "scale_factor": 1, "priority_weight": 1, "steps_remaining": 9999.5, "time_since_start_s": 9},
             {"id": 3, "scale_factor": 1, "priority_weight": 1, "steps_remaining": 9999},
             {"id": 4, "scale_factor": 1, "priority_weight": 1, "steps_remaining": 9999}]})");
  for (const std::string policy : {"yarn-cs", "hadar", "hadare", "tiresias-las", "tiresias-gittins", "themis"}) {
    SCOPED_TRACE(policy);
    testing::internal::CaptureStdout();
    ASSERT_TRUE(run_solve({file, policy, ""}));
    const auto printed = nlohmann::json::parse(testing::internal::GetCapturedStdout());
    EXPECT_EQ(printed["policy"], policy);
    EXPECT_FALSE(printed.contains("allocation"));
    std::map<std::string, int> used;
    for (const auto& row : printed["plan"])
      for (const auto& [type, count] : row["gpus"].items()) used[type] += count.get<int>();
    EXPECT_EQ(used, (std::map<std::string, int>{{"p100", 1}, {"v100", 2}})) << printed.dump();
    for (const auto& row : printed["waiting"]) EXPECT_NE(row["text"], "");
  }
}

}  // namespace
}  // namespace hadar::cli
