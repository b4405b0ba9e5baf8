#include "tools/cli/command_line.hpp"

#include <gmock/gmock.h>
#include <regex>
#include <sstream>

namespace hadar::cli {
namespace {

std::string error_of(std::vector<const char*> words) {
  words.insert(words.begin(), "hadar");
  const auto command = parse_command_line(static_cast<int>(words.size()), words.data());
  return command ? "taken" : command.error().message;
}

using Words = std::vector<std::string>;

Result<Command> parse(const Words& words) {
  std::vector<const char*> argv = {"hadar"};
  for (const auto& word : words) argv.push_back(word.c_str());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

std::string help_of(Words command) {
  command.emplace_back("--help");
  testing::internal::CaptureStdout();
  (*parse(command))();
  return testing::internal::GetCapturedStdout();
}

// Every command that does something, as help lists them.
std::vector<Words> all_commands(const Words& under = {}) {
  std::istringstream help(help_of(under));
  std::vector<Words> found;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line == "Subcommands:") listed = true;
    std::smatch name;
    if (!listed || !std::regex_search(line, name, std::regex("^  ([a-z]+) "))) continue;
    auto command = under;
    command.push_back(name[1]);
    const auto below = all_commands(command);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found.empty() ? std::vector<Words>{under} : found;
}

// Its options that take a number, and whether that is a whole one.
std::vector<std::pair<std::string, bool>> numbers_of(const Words& command) {
  std::istringstream help(help_of(command));
  std::vector<std::pair<std::string, bool>> found;
  for (std::string line; std::getline(help, line);) {
    std::smatch parts;
    if (std::regex_search(line, parts, std::regex("^  (?:-[a-z],)?(--[a-z-]+) (UINT|INT|FLOAT)")))
      found.emplace_back(parts[1], parts[2] != "FLOAT");
  }
  return found;
}

TEST(CommandLine, EveryNumberOfEveryCommandIsChecked) {
  std::size_t checked = 0;
  for (const auto& command : all_commands())
    for (const auto& [option, whole] : numbers_of(command))
      for (const auto* value : {"-1", "nan", "-nan", "inf", "1e999", "99999999999999999999e9", "", " 1", "1x", "0x10",
                                "99999999999999999999", "1.5", "010"}) {
        const bool only_whole =
            std::string(value) == "99999999999999999999" || std::string(value) == "1.5" || std::string(value) == "010";
        if (only_whole && !whole) continue;
        auto words = command;
        words.insert(words.end(), {option, value});
        const auto parsed = parse(words);
        ASSERT_FALSE(parsed.has_value()) << testing::PrintToString(words);
        EXPECT_THAT(parsed.error().message, testing::AllOf(testing::HasSubstr(option), testing::HasSubstr("must be")))
            << testing::PrintToString(words);
        ++checked;
      }
  EXPECT_GT(checked, 100) << "help has another form than this test reads";
}

TEST(CommandLine, SeedsOfTracesHave64Bits) {
  for (const auto* most : {"0", "9223372036854775808", "18446744073709551615"}) {
    EXPECT_EQ(error_of({"trace", "generate", "--profile", "p", "--jobs", "1", "-o", "-", "--seed", most}), "taken");
    for (const auto* command : {"check", "stats"})
      EXPECT_EQ(error_of({"trace", command, "t.csv", "--seed", most}), "taken");
    for (const auto* command : {"import", "sample"})
      EXPECT_EQ(error_of({"trace", command, "t.csv", "-o", "-", "--seed", most}), "taken");
  }
  EXPECT_THAT(error_of({"trace", "check", "t.csv", "--seed", "18446744073709551616"}),
              testing::HasSubstr("must be a whole number from 0 to 18446744073709551615"));
}

TEST(CommandLine, OptionsOfMadeUpTracesHaveTheLimitsOfTheProfiles) {
  EXPECT_THAT(error_of({"trace", "generate", "--profile", "p", "--jobs", "1", "-o", "-", "--rate", "1000001"}),
              testing::HasSubstr("must be a number from 0 to 1e+06"));
  EXPECT_THAT(error_of({"trace", "generate", "--profile", "p", "--jobs", "10000001", "-o", "-"}),
              testing::HasSubstr("must be a whole number from 1 to 10000000"));
}

// Its options and arguments that take a text.
std::vector<std::string> texts_of(const Words& command) {
  std::istringstream help(help_of(command));
  std::vector<std::string> found;
  for (std::string line; std::getline(help, line);) {
    std::smatch parts;
    if (std::regex_search(line, parts, std::regex("^  (?:-[a-z],)?(--[a-z-]+|[A-Z.a-z]+) TEXT")))
      found.push_back(parts[1]);
  }
  return found;
}

TEST(CommandLine, AnEmptyTextIsNoChoice) {
  std::size_t checked = 0;
  for (const auto& command : all_commands())
    for (const auto& option : texts_of(command)) {
      auto words = command;
      if (option.starts_with("--")) words.push_back(option);
      words.emplace_back("");
      const auto parsed = parse(words);
      ASSERT_FALSE(parsed.has_value()) << testing::PrintToString(words);
      EXPECT_THAT(parsed.error().message,
                  testing::AnyOf(testing::HasSubstr(": got nothing, "), testing::HasSubstr("not in {")))
          << testing::PrintToString(words);
      if (option.starts_with("--")) {
        EXPECT_THAT(parsed.error().message, testing::StartsWith(option));
        EXPECT_THAT(error_of({command.front().c_str(), (option + "=").c_str(), "--next"}),
                    testing::StartsWith(option + ": got nothing"));
      }
      ++checked;
    }
  EXPECT_GT(checked, 60) << "help has another form than this test reads";
}

TEST(CommandLine, DoctorLooksAtThisMachineWithoutACluster) {
  for (const auto* name : {"HADAR_ENDPOINT", "HADAR_STATE", "HADAR_CLUSTER"}) unsetenv(name);
  for (const auto& words : {Words{"doctor"}, Words{"doctor", "--json"}}) {
    testing::internal::CaptureStdout();
    const auto ended = (*parse(words))();
    const auto printed = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(ended.has_value()) << ended.error().error.message;
    EXPECT_THAT(printed, testing::AllOf(testing::HasSubstr("open files"), testing::HasSubstr("give --endpoint")));
    EXPECT_THAT(printed, testing::Not(testing::HasSubstr("refused so far"))) << "nobody was asked";
    if (words.size() == 2) {
      EXPECT_THAT(printed, testing::HasSubstr("\"endpoint\": null"));
    }
  }
  EXPECT_FALSE((*parse({"doctor", "--cluster-id", "lab"}))().has_value()) << "where that cluster is remains open";
}

TEST(CommandLine, AnEmptyNameSaysWhatToGive) {
  for (const auto* command : {"cancel", "hold", "release", "show", "explain", "logs", "model"})
    EXPECT_THAT(error_of({command, ""}), testing::HasSubstr("must be a job's number or name")) << command;
  EXPECT_THAT(error_of({"events", "--job", ""}), testing::HasSubstr("must be a job's number or name"));
  EXPECT_THAT(error_of({"drain", "", "--reason", "r"}), testing::HasSubstr("must be a node's name"));
  for (const auto* command : {"undrain", "forget"})
    EXPECT_THAT(error_of({command, ""}), testing::HasSubstr("must be a node's name")) << command;
  const std::string huge(300, 'x');
  EXPECT_THAT(error_of({"show", huge.c_str()}), testing::HasSubstr("at most 256 bytes"));
  for (const auto* option : {"--endpoint", "--state", "--cluster-id"})
    EXPECT_THAT(error_of({"jobs", option, ""}), testing::HasSubstr(option)) << "an unset variable is no choice";
}

TEST(CommandLine, AReasonThatWouldHurtATerminalIsRefused) {
  for (const auto* reason : {"a\nb", "\x1b[31mred", "\x7f", "\t"})
    EXPECT_THAT(error_of({"drain", "n", "--reason", reason}),
                testing::AllOf(testing::HasSubstr("--reason"), testing::HasSubstr("free of control characters")));
  EXPECT_THAT(error_of({"drain", "n", "--reason", "\xff"}), testing::HasSubstr("must be UTF-8"));
  EXPECT_THAT(error_of({"drain", "n", "--reason", ""}), testing::HasSubstr("got nothing, must be why"));
  EXPECT_EQ(error_of({"drain", "n", "--reason", "fan 3, später"}), "taken");
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
