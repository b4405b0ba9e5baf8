// hadar repro: what it refuses before anything runs.
#include <gmock/gmock.h>

#include "tools/cli/command_line.hpp"
#include "tools/cli/commands.hpp"
#include "tools/repro/recipe.hpp"

namespace hadar::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ReproArgs args_for(std::string_view recipe) {
  ReproArgs args;
  args.recipe = recipe;
  return args;
}

std::string usage_of(const ReproArgs& args) {
  const auto ended = run_repro({}, args);
  if (ended) return "taken";
  EXPECT_EQ(ended.error().code, ExitCode::kUsage);
  return ended.error().error.message;
}

TEST(Repro, ListRefusesWhatItWouldIgnore) {
  const auto list = args_for("list");
  EXPECT_EQ(usage_of(list), "taken");
  const auto with = [&](auto change) {
    auto args = list;
    change(args);
    return usage_of(args);
  };
  EXPECT_THAT(with([](ReproArgs& a) { a.set = {"hadar.beta=1"}; }), HasSubstr("--set: repro list runs nothing"));
  EXPECT_THAT(with([](ReproArgs& a) { a.schemes = {"hadar"}; }), HasSubstr("--schemes"));
  EXPECT_THAT(with([](ReproArgs& a) { a.seeds = "1..2"; }), HasSubstr("--seeds"));
  EXPECT_THAT(with([](ReproArgs& a) { a.only = "x"; }), HasSubstr("--only"));
  EXPECT_THAT(with([](ReproArgs& a) { a.data = "/tmp"; }), HasSubstr("--data"));
  EXPECT_THAT(with([](ReproArgs& a) { a.threads = 2; }), HasSubstr("--threads"));
}

TEST(Repro, SchemesAreNamedOnceEach) {
  auto args = args_for("hadar-60gpu");
  for (const auto& schemes : {std::vector<std::string>{"hadar", "", "yarn-cs"}, {""}, {"hadar", ""}}) {
    args.schemes = schemes;
    EXPECT_THAT(usage_of(args), HasSubstr("--schemes: got an empty name"));
  }
  args.schemes = {"hadar", "yarn-cs", "hadar"};
  EXPECT_THAT(usage_of(args), HasSubstr("--schemes: hadar is there twice"));
}

TEST(Repro, NoNameBetweenCommasIsLost) {
  const auto says = [](const char* schemes) {
    const std::vector<const char*> words{"hadar", "repro", "hadar-60gpu", "--only", "nothing", "--schemes", schemes};
    const auto command = parse_command_line(static_cast<int>(words.size()), words.data());
    if (!command) return command.error().message;
    const auto ended = (*command)();
    return ended ? "taken" : ended.error().error.message;
  };
  for (const auto* schemes : {"hadar,", ",hadar", "hadar,,yarn-cs", ",", ""})
    EXPECT_THAT(says(schemes), HasSubstr("--schemes")) << schemes;
  EXPECT_THAT(says("hadar,yarn-cs"), HasSubstr("no experiment's name"));
}

TEST(Repro, DataIsRefusedByEveryRecipeThatReadsNone) {
  std::size_t with_data = 0;
  for (const auto& recipe : repro::recipes()) {
    auto args = args_for(recipe.name);
    args.data = "/nowhere";
    const auto text = usage_of(args);
    with_data += recipe.needs_data ? 1 : 0;
    if (recipe.needs_data)
      EXPECT_THAT(text, HasSubstr("/nowhere: no workloads"));
    else
      EXPECT_THAT(text, HasSubstr("--data: " + args.recipe + " reads none"));
  }
  EXPECT_EQ(with_data, 1U);
}

std::string refusal(std::vector<std::string> set) {
  auto args = args_for("hadar-60gpu");
  args.only = "nothing begins so";
  args.set = std::move(set);
  return usage_of(args);
}

TEST(Repro, SettingsAreNamedAsTyped) {
  EXPECT_THAT(refusal({"hadar.beta=nan"}), testing::StartsWith("--set hadar.beta=nan: hadar.beta: got nan"));
  EXPECT_THAT(refusal({"hadar.beta=1", "hadar.gamma=1"}),
              AllOf(testing::StartsWith("--set hadar.gamma=1: "), HasSubstr("unknown")));
  EXPECT_THAT(refusal({"hadar.quota.u=2"}), testing::StartsWith("--set hadar.quota.u=2: "));
  EXPECT_THAT(refusal({"hadar.=1"}), testing::StartsWith("--set hadar.=1: "));
  EXPECT_THAT(refusal({"prices.form=steep"}), testing::StartsWith("--set prices.form=steep: prices.form: got"));
  for (const auto& text : {refusal({"hadar.beta=nan"}), refusal({"hadar.=1"}), refusal({"prices.form=steep"})})
    EXPECT_EQ(text.find("--set", 1), std::string::npos) << text;
}

TEST(Repro, ASettingHasOneValue) {
  EXPECT_THAT(refusal({"hadar.beta=1", "hadar.window=8", "hadar.beta=2"}),
              AllOf(HasSubstr("--set hadar.beta=2"), HasSubstr("hadar.beta is 1 in another --set")));
  EXPECT_THAT(refusal({"prices.form=clearing", "prices.form=exponential"}), HasSubstr("prices.form is clearing"));
  EXPECT_THAT(refusal({"hadar.beta=1", "hadar.beta=1"}), HasSubstr("no experiment's name"));
}

}  // namespace
}  // namespace hadar::cli
