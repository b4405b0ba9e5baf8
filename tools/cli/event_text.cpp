#include "tools/cli/event_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kNone = 0;

std::string scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool says_nothing(const Json& value) {
  return value.is_null() || value == "" || (value.is_structured() && value.empty());
}

std::string lease_text(const Json& lease) {
  return fmt::format("\n{:>31}lease {} job {} fork {} on {}{} quota {} base v{}", "", lease.value("lease", kNone),
                     lease.value("job", kNone), lease.value("fork", kNone), lease.value("node", ""),
                     lease.value("gpus", Json::array()).dump(), lease.value("quota", kNone),
                     lease.value("base", Json::object()).value("version", kNone));
}

std::string forks_text(const Json& forks) {
  std::string out;
  for (const auto& fork : forks)
    out += fmt::format("{}{}:{}{}", out.empty() ? "" : ",", fork.value("fork", kNone), fork.value("steps", kNone),
                       fork.value("in", false) ? "" : "(out: " + fork.value("reason", "") + ")");
  return out;
}

// A plain object of numbers or texts, one level deep.
std::string object_text(const Json& object) {
  std::string out;
  for (const auto& [key, value] : object.items())
    if (!value.is_structured() && !says_nothing(value))
      out += fmt::format("{}{}={}", out.empty() ? "" : " ", key, scalar_text(value));
  return out;
}

std::string gpus_text_of(const Json& gpus) {
  std::string out;
  for (const auto& group : gpus)
    if (group.is_object())
      out += fmt::format("{}{}×{}", out.empty() ? "" : "+", group.value("count", kNone), group.value("type", ""));
  return out;
}

std::string member_text(const std::string& key, const Json& value) {
  if (key == "leases") {
    std::string out;
    for (const auto& lease : value) out += lease_text(lease);
    return out;
  }
  if (key == "forks" && value.is_array()) return "  forks=" + forks_text(value);
  if (key == "gpus" && value.is_array()) return "  gpus=" + gpus_text_of(value);
  if (key == "base" && value.is_object()) return fmt::format("  base=v{}", value.value("version", kNone));
  if (key == "reason" && value.is_object())
    return value.value("code", "").empty() ? ""
                                           : fmt::format("  {}: {}", value.value("code", ""), value.value("text", ""));
  if (key == "spec" && value.is_object())
    return fmt::format("  {} of {} on {}", value.value("name", ""),
                       count_text(value.value("total_steps", kNone), "step"),
                       count_text(value.value("gpus", kNone), "GPU"));
  if (value.is_object()) return fmt::format("  {}{{{}}}", key, object_text(value));
  return fmt::format("  {}={}", key, scalar_text(value));
}

}  // namespace

std::string event_line(const Json& event) {
  static const std::set<std::string> kLeftOut = {"seq",     "t_s",   "kind",  "weights",
                                                 "samples", "epoch", "final", "world_size"};
  std::string out = fmt::format("{:>10.3f}s  {:<16}", event.value("t_s", 0.0), event.value("kind", std::string("?")));
  for (const auto& [key, value] : event.items())
    if (kLeftOut.count(key) == 0 && !says_nothing(value)) out += member_text(key, value);
  return out;
}

bool concerns_job(const Json& event, std::uint64_t job) {
  const auto names = [job](const Json& object) {
    const auto found = object.find("job");
    return found != object.end() && found->is_number_unsigned() && found->get<std::uint64_t>() == job;
  };
  if (names(event)) return true;
  const auto leases = event.find("leases");
  return leases != event.end() && leases->is_array() &&
         std::any_of(leases->begin(), leases->end(),
                     [&](const auto& lease) { return lease.is_object() && names(lease); });
}

}  // namespace hadar::cli
