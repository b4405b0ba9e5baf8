#include "tools/cli/command_line.hpp"

#include <gmock/gmock.h>

namespace hadar::cli {
namespace {

std::string error_of(std::vector<const char*> words) {
  words.insert(words.begin(), "hadar");
  const auto command = parse_command_line(static_cast<int>(words.size()), words.data());
  return command ? "taken" : command.error().message;
}

TEST(CommandLine, TakesEveryDocumentedForm) {
  const std::vector<std::vector<const char*>> forms = {
      {"submit", "j.toml", "--key", "k", "--wait", "--keep-infeasible"},
      {"cancel", "3"},
      {"hold", "a"},
      {"release", "a"},
      {"jobs", "--all", "--json"},
      {"show", "3", "--json"},
      {"explain", "3"},
      {"logs", "3", "-f", "--fork", "2"},
      {"watch"},
      {"nodes", "--endpoint", "tcp://127.0.0.1:7"},
      {"drain", "n1", "--reason", "fan", "--deadline", "5"},
      {"drain", "n1", "--reason", "fan", "--no-wait"},
      {"undrain", "n1"},
      {"forget", "n1"},
      {"prices", "--rounds", "3"},
      {"events", "-f", "--job", "3", "--after", "9"},
      {"model", "3", "-o", "m.safetensors"},
      {"replay", "12", "--policy", "hadar", "--state", "d"},
      {"solve", "i.json", "--policy", "gavel-las", "--throughputs", "t.json", "--json"},
      {"config", "check", "f.toml"},
      {"config", "show"},
      {"policies"},
      {"doctor"},
      {"version"},
      {"trace", "import", "t.csv", "-o", "o.csv", "--format", "helios", "--throughputs", "g.json", "--seed", "7",
       "--json"},
      {"trace", "check", "t.csv", "--cluster", "c.toml", "--redraw-models"},
      {"trace", "stats", "t.csv", "--json"},
      {"trace", "sample", "t.csv", "--jobs", "5", "--from", "10", "--to", "20", "--seed", "1", "-o", "-"},
      {"trace", "generate", "--profile", "philly", "--jobs", "10", "--rate", "5.5", "--seed", "1", "-o", "t.csv"},
      {"trace", "formats"},
      {"report", "a.jsonl", "b.jsonl", "-o", "r.html", "--json", "-"}};
  for (const auto& form : forms) EXPECT_EQ(error_of(form), "taken") << form.front();
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(error_of({"bogus"}), testing::HasSubstr("no command is called bogus"));
  EXPECT_THAT(error_of({"jobs", "--al"}), testing::HasSubstr("--al"));
  EXPECT_THAT(error_of({"jobs", "more"}), testing::HasSubstr("more"));
  EXPECT_THAT(error_of({"version", "--state", "d"}), testing::HasSubstr("--state")) << "it would be ignored";
}

TEST(CommandLine, RefusesNumbersOutsideTheirRange) {
  for (const auto* value : {"nan", "inf", "-1", "1e9", "5s", ""})
    EXPECT_THAT(error_of({"drain", "n1", "--reason", "r", "--deadline", value}), testing::HasSubstr("--deadline"))
        << value;
  EXPECT_NE(error_of({"logs", "1", "--fork", "-1"}), "taken");
  EXPECT_NE(error_of({"prices", "--rounds", "0"}), "taken");
  EXPECT_NE(error_of({"trace", "check", "t.csv", "--seed", "-1"}), "taken");
  EXPECT_NE(error_of({"trace", "sample", "t.csv", "-o", "-", "--from", "nan"}), "taken");
  EXPECT_NE(error_of({"trace", "generate", "--profile", "uniform", "--jobs", "1e3", "-o", "-"}), "taken");
  EXPECT_NE(error_of({"jobs", "--timeout", "0"}), "taken");
}

TEST(CommandLine, MissingPartsAreNamedInOneLine) {
  for (const auto& text : {error_of({"submit"}), error_of({"drain", "n1"}), error_of({"replay", "3"}), error_of({})}) {
    EXPECT_NE(text, "taken");
    EXPECT_THAT(text, testing::HasSubstr("--help"));
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace hadar::cli
