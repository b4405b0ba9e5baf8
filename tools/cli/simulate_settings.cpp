#include "tools/cli/simulate_settings.hpp"

#include <algorithm>
#include <map>

#include "launchers/policies.hpp"
#include "runtime/config/process_config.hpp"

namespace hadar::cli {
namespace {

constexpr const char* kPrices = "prices";

tl::unexpected<Error> refused(const std::string& what, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, "--set " + what + ": " + why);
}

}  // namespace

Result<NamedSettings> parse_settings(const std::vector<std::string>& texts, const std::vector<std::string>& policies) {
  std::map<std::string, std::vector<std::string>> by_name;
  for (const auto& text : texts) {
    const auto dot = text.find('.');
    if (dot == std::string::npos || text.find('=', dot) == std::string::npos)
      return refused(text, "give POLICY.key=value or prices.key=value");
    const auto name = text.substr(0, dot);
    const bool runs = std::find(policies.begin(), policies.end(), name) != policies.end();
    if (name != kPrices && !runs) return refused(text, "neither a policy that is run nor prices");
    by_name[name].push_back((name == kPrices ? kPrices : "policy") + text.substr(dot));
  }
  NamedSettings named;
  for (const auto& [name, overrides] : by_name) {
    auto config = load_process_config("", overrides);
    if (!config) return refused(name, config.error().message);
    if (name == kPrices) {
      named.prices = config->prices;
      continue;
    }
    if (auto made = make_policy(name, config->policy); !made) return refused(name, made.error().message);
    named.of_policy[name] = std::move(config->policy);
  }
  return named;
}

}  // namespace hadar::cli
