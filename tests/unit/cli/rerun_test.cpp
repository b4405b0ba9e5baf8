// hadar rerun: everything in a result that says how it was made is read, or named.
#include <gmock/gmock.h>

#include "tests/unit/cli/simulate_fixture.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Rerun : public SimulateTest {
 protected:
  void SetUp() override {
    SimulateTest::SetUp();
    args_.policies = "hadar";
    args_.seeds = "1";
    ASSERT_TRUE(run_simulate(args_).has_value());
    good_ = result();
  }
  // What rerun says of the result with its header changed.
  template <class Change>
  std::string refusal(Change change) {
    auto changed = good_;
    change(changed["provenance"]);
    write("result.json", changed.dump());
    const auto refused = run_rerun({}, {path("result.json"), 1});
    if (refused) return "taken";
    EXPECT_EQ(refused.error().code, ExitCode::kUsage);
    return refused.error().error.message;
  }
  [[nodiscard]] auto key(const std::string& name) const {
    return StartsWith(path("result.json") + ": key provenance." + name);
  }

  Json good_;
};

TEST_F(Rerun, UnknownKeysAreRefused) {
  EXPECT_THAT(refusal([](Json& p) { p["options"]["bogus"] = 1; }), key("options.bogus: is unknown"));
  EXPECT_THAT(refusal([](Json& p) { p["bogus"] = 1; }), key("bogus: is unknown"));
  EXPECT_THAT(refusal([](Json& p) { p["inputs"][1]["bogus"] = 1; }), key("inputs[1].bogus: is unknown"));
}

TEST_F(Rerun, WhatContradictsItselfIsRefused) {
  EXPECT_THAT(refusal([](Json& p) { p["inputs"][1]["bytes"] = 5; }), key("inputs[1].bytes: is 5, "));
  EXPECT_THAT(refusal([](Json& p) { p["seeds"] = "1..9"; }), key("seeds: is \"1..9\", "));
}

TEST_F(Rerun, OptionsOutOfRangeAreNamedByFileAndKey) {
  EXPECT_THAT(refusal([](Json& p) { p["options"]["noise"] = -5; }), key("options.noise: got -5, must be from 0"));
  EXPECT_THAT(refusal([](Json& p) { p["options"]["round_s"] = 0; }), key("options.round_s: got 0"));
  EXPECT_THAT(refusal([](Json& p) { p["options"]["limit_s"] = -1; }), key("options.limit_s: got -1"));
  EXPECT_THAT(refusal([](Json& p) { p["options"]["set"] = {"hadar.gamma=1"}; }), key("options.set: hadar.gamma=1: "));
  EXPECT_THAT(refusal([](Json& p) { p["options"]["gpu_costs"] = {"V100"}; }), key("options.gpu_costs: got \"V100\""));
  EXPECT_THAT(refusal([](Json& p) { p["options"]["policy"] = "fifo9"; }),
              AllOf(HasSubstr("fifo9"), HasSubstr(path("result.json") + " names it")));
  EXPECT_EQ(run_rerun({}, {path("cluster.toml"), 1}).error().code, ExitCode::kUsage);
}

TEST_F(Rerun, OneRunIsNotSpokenOfAsMany) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_rerun({}, {path("result.json"), 1}).value(), ExitCode::kDone);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), StartsWith("1 run, equal to what version "));
}

}  // namespace
}  // namespace hadar::cli
