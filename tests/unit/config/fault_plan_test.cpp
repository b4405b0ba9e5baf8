#include "runtime/config/fault_plan.hpp"

#include <gmock/gmock.h>

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal_of(const std::string& text) {
  const auto plan = parse_faults(text, "f.toml");
  return plan ? "" : plan.error().message;
}

TEST(FaultPlan, ReadsEveryKind) {
  const auto plan = parse_faults(R"(
[[faults]]
kind = "crash"
at_s = 10
for_s = 5
node = "n1"
[[faults]]
kind = "restart"
at_s = 11
role = "job-tracker"
[[faults]]
kind = "slow"
at_s = 12
node = "n2"
factor = 0.5
[[faults]]
kind = "partition"
at_s = 13
for_s = 3
[[faults]]
kind = "delay"
at_s = 0
delay_s = 0.1
[[faults]]
kind = "loss"
at_s = 1
for_s = 2
part = 0.01
)",
                                 "f.toml");
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  const Fault crash{FaultKind::kCrash, 10, 5, "n1", FaultyRole::kNone, 0, 0, 0};
  const Fault restart{FaultKind::kRestart, 11, 0, "", FaultyRole::kJobTracker, 0, 0, 0};
  const Fault slow{FaultKind::kSlow, 12, 0, "n2", FaultyRole::kNone, 0.5, 0, 0};
  const Fault partition{FaultKind::kPartition, 13, 3, "", FaultyRole::kNone, 0, 0, 0};
  const Fault delay{FaultKind::kDelay, 0, 0, "", FaultyRole::kNone, 0, 0.1, 0};
  const Fault loss{FaultKind::kLoss, 1, 2, "", FaultyRole::kNone, 0, 0, 0.01};
  EXPECT_THAT(*plan, ElementsAre(crash, restart, slow, partition, delay, loss));
}

TEST(FaultPlan, NoFaultsArePlannedByAnEmptyList) {
  const auto plan = parse_faults("faults = []", "f.toml");
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(*plan, IsEmpty());
}

TEST(FaultPlan, RefusesWhatAKindDoesNotTakeOrLacks) {
  EXPECT_THAT(refusal_of("[[faults]]\nkind = \"crash\"\nat_s = 1\nnode = \"n\"\nfactor = 1"),
              testing::AllOf(HasSubstr("f.toml:5"), HasSubstr("factor")));
  EXPECT_THAT(refusal_of("[[faults]]\nkind = \"slow\"\nat_s = 1\nnode = \"n\""), HasSubstr("factor"));
  EXPECT_THAT(refusal_of("[[faults]]\nkind = \"crash\"\nnode = \"n\""), HasSubstr("at_s"));
  EXPECT_THAT(refusal_of("[[faults]]\nkind = \"crash\"\nat_s = 1"), HasSubstr("node"));
  EXPECT_THAT(refusal_of("[[faults]]\nkind = \"partition\"\nat_s = 1\nnode = \"n\""), HasSubstr("role"));
  EXPECT_THAT(refusal_of("[[faults]]\nkind = \"loss\"\nat_s = 1\npart = 1.5"), HasSubstr("part"));
}

TEST(FaultPlan, RefusesWhatWouldStopEverythingForEver) {
  EXPECT_THAT(refusal_of("[[faults]]\nkind = \"slow\"\nat_s = 1\nnode = \"n\"\nfactor = 0"), HasSubstr("for_s"));
  EXPECT_THAT(refusal_of("[[faults]]\nkind = \"loss\"\nat_s = 1\npart = 1"), HasSubstr("for_s"));
  EXPECT_TRUE(parse_faults("[[faults]]\nkind = \"loss\"\nat_s = 1\npart = 1\nfor_s = 5", "f.toml").has_value());
}

TEST(FaultPlan, NamesTheKindsThereAre) {
  EXPECT_THAT(refusal_of("[[faults]]\nkind = \"boom\"\nat_s = 1"),
              testing::AllOf(HasSubstr("\"boom\""), HasSubstr("crash"), HasSubstr("reordering")));
  EXPECT_THAT(refusal_of("[[fault]]\nkind = \"loss\""), HasSubstr("fault"));
}

}  // namespace
}  // namespace hadar
