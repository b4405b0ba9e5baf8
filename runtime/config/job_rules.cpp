#include "runtime/config/job_rules.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "messages/codec/utf8.hpp"
#include "runtime/config/job_file.hpp"
#include "runtime/config/text.hpp"
#include "runtime/config/toml_tree.hpp"

namespace hadar {
namespace {

using Broken = std::optional<BrokenRule>;

constexpr std::size_t kMostNameBytes = 256;
constexpr std::size_t kMostArguments = 1024;
constexpr std::size_t kMostArgumentBytes = 65536;
constexpr std::uint32_t kMostBatch = std::uint32_t{1} << 20;  // of the bundled trainer, which holds it in memory
constexpr std::uint64_t kMostCheckpointBytes = std::uint64_t{1} << 32;  // the same
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 53;            // exact in every JSON reader

BrokenRule got(const std::string& key, const std::string& what, const std::string& must) {
  return {key, "got " + what + ", must be " + must};
}

// A text that ends up in tables, JSON and log lines.
Broken check_word(const std::string& key, const std::string& text) {
  if (text.size() > kMostNameBytes)
    return got(key, std::to_string(text.size()) + " bytes", "at most " + std::to_string(kMostNameBytes));
  if (!is_utf8(text)) return got(key, "bytes that are not UTF-8", "UTF-8");
  if (has_control(text)) return got(key, quote_toml(text), "free of control characters");
  return {};
}

// Users name a job by name or id, and its logs lie in files of its name.
Broken check_name(const std::string& name) {
  if (name.empty()) return got("name", "nothing", "a name");
  if (auto broken = check_word("name", name)) return broken;
  if (name.find('/') != std::string::npos || name.starts_with('-') || name.starts_with('.'))
    return got("name", quote_toml(name), "without '/' and not start with '-' or '.'");
  if (parse_count(name)) return got("name", quote_toml(name), "more than a number, which would read as a job's id");
  return {};
}

Broken check_number(const std::string& key, double value, double low) {
  if (std::isfinite(value) && value >= low && value <= kMostNumber) return {};
  return got(key, number_text(value),
             "a number at least " + number_text(low) + " and at most " + number_text(kMostNumber));
}

Broken check_what_runs(const JobSpec& spec) {
  if (spec.workload.empty() == spec.command.empty())
    return got("workload", spec.command.empty() ? "neither workload nor command" : "both workload and command",
               "exactly one of the two");
  if (spec.workload.empty()) {
    if (spec.command.front().empty()) return got("command", "an empty program", "a program and its arguments");
    if (spec.command.size() > kMostArguments)
      return got("command", std::to_string(spec.command.size()) + " arguments",
                 "at most " + std::to_string(kMostArguments));
    for (const auto& argument : spec.command)
      if (argument.size() > kMostArgumentBytes || argument.find('\0') != std::string::npos || !is_utf8(argument))
        return got("command", "an argument of " + std::to_string(argument.size()) + " bytes",
                   "UTF-8 without zero bytes, at most " + std::to_string(kMostArgumentBytes) + " bytes each");
    return {};
  }
  const auto& known = known_workloads();
  if (std::find(known.begin(), known.end(), spec.workload) != known.end()) return {};
  const auto near = nearest(spec.workload, known);
  return got("workload", quote_toml(spec.workload), any_of_text(known) + (near ? " (nearest: " + *near + ")" : ""));
}

Broken check_gpu_types(const JobSpec& spec) {
  std::set<GpuType> seen;
  for (const auto& type : spec.gpu_types) {
    if (type.empty()) return got("gpu_types", "an empty type", "named types");
    if (auto broken = check_word("gpu_types", type)) return broken;
    if (!seen.insert(type).second) return got("gpu_types", quote_toml(type) + " twice", "each type once");
  }
  return {};
}

Broken check_sleep(const JobSpec& spec) {
  const auto& sleep = spec.sleep;
  if (spec.workload != "sleep") {
    if (sleep == SleepSpec{}) return {};
    return got("sleep", "a [sleep] table", "left out unless workload is \"sleep\"");
  }
  if (sleep.steps_per_s.empty()) return got("sleep.steps_per_s", "no speed", "a speed per GPU type, like {V100 = 100}");
  for (const auto& [type, speed] : sleep.steps_per_s) {
    if (type.empty()) return got("sleep.steps_per_s", "an empty type", "named types");
    if (auto broken = check_word("sleep.steps_per_s", type)) return broken;
    if (auto broken = check_number("sleep.steps_per_s." + type, speed, kLeastRate)) return broken;
  }
  for (const auto& type : spec.gpu_types)
    if (!sleep.steps_per_s.contains(type))
      return got("sleep.steps_per_s", "no speed for " + quote_toml(type), "given for every type in gpu_types");
  if (sleep.checkpoint_bytes > kMostCheckpointBytes)
    return got("sleep.checkpoint_bytes", std::to_string(sleep.checkpoint_bytes),
               "at most " + std::to_string(kMostCheckpointBytes));
  return check_number("sleep.log_bytes_per_s", sleep.log_bytes_per_s, 0);
}

Broken check_counts(const JobSpec& spec) {
  if (spec.batch_size == 0) return got("batch_size", "0", "at least 1");
  if (spec.batch_size > kMostBatch && !spec.workload.empty())  // a command's samples may be tokens
    return got("batch_size", std::to_string(spec.batch_size),
               "at most " + std::to_string(kMostBatch) + " for a bundled workload");
  if (spec.gpus == 0 || spec.gpus > kMostGangGpus)
    return got("gpus", std::to_string(spec.gpus), "from 1 to " + std::to_string(kMostGangGpus));
  if (spec.total_steps == 0 || spec.total_steps > kMostSteps)
    return got("total_steps", std::to_string(spec.total_steps), "from 1 to 2^53");
  if (spec.seed > kMostSteps) return got("seed", std::to_string(spec.seed), "at most 2^53");
  if (auto broken = check_number("weight", spec.weight, kLeastRate)) return broken;
  if (auto broken = check_number("deadline_s", spec.deadline_s, 0)) return broken;
  return check_number("checkpoint_every_s", spec.checkpoint_every_s, 0);
}

Broken check_target(const JobSpec& spec) {
  if (auto broken = check_word("target.metric", spec.target.metric)) return broken;
  return check_number("target", spec.target.value, -kMostNumber);
}

}  // namespace

const std::vector<std::string>& known_workloads() {
  static const std::vector<std::string> kKnown{"image", "recommendation", "sleep", "weather"};
  return kKnown;
}

std::optional<BrokenRule> broken_rule(const JobSpec& spec) {
  if (auto broken = check_name(spec.name)) return broken;
  if (auto broken = check_what_runs(spec)) return broken;
  if (auto broken = check_counts(spec)) return broken;
  if (auto broken = check_word("model", spec.model)) return broken;
  if (auto broken = check_word("user", spec.user)) return broken;
  if (auto broken = check_gpu_types(spec)) return broken;
  if (auto broken = check_target(spec)) return broken;
  return check_sleep(spec);
}

Status validate_job(const JobSpec& spec) {
  const auto broken = broken_rule(spec);
  if (!broken) return {};
  return fail(ErrorCode::kInvalidArgument, broken->key + ": " + broken->text);
}

}  // namespace hadar
