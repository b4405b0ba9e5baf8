#include "tools/cli/event_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hadar::cli {
namespace {

constexpr std::size_t kLongestValue = 160;

std::string value_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  const auto text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() <= kLongestValue || !value.is_structured()) return text;
  return fmt::format("({} entries)", value.size());
}

}  // namespace

std::string event_line(const nlohmann::json& event) {
  std::string out = fmt::format("{:>10.3f}s  {:<16}", event.value("t_s", 0.0), event.value("kind", std::string("?")));
  for (const auto& [key, value] : event.items())
    if (key != "seq" && key != "t_s" && key != "kind") out += fmt::format("  {}={}", key, value_text(value));
  return out;
}

bool concerns_job(const nlohmann::json& event, std::uint64_t job) {
  const auto names = [job](const nlohmann::json& object) {
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
