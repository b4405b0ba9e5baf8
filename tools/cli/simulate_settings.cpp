#include "tools/cli/simulate_settings.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "launchers/policies.hpp"
#include "launchers/share_rules.hpp"
#include "runtime/config/process_config.hpp"

namespace hadar::cli {
namespace {

constexpr const char* kPrices = "prices";

tl::unexpected<Error> refused(const std::string& what, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, "--set " + what + ": " + why);
}

// One --set: "NAME.key=value".
struct Setting {
  std::string text;  // as typed
  std::string name;  // of a policy, or prices
  std::string key;
  std::string value;
  // As a process's configuration has it, whose section is called policy whatever the policy's name.
  [[nodiscard]] std::string section() const { return name == kPrices ? name : "policy"; }
  [[nodiscard]] std::string override_text() const { return section() + "." + key + "=" + value; }
};

Result<Setting> parse_setting(const std::string& text, const std::vector<std::string>& policies) {
  const auto dot = text.find('.');
  const auto equal = dot == std::string::npos ? dot : text.find('=', dot);
  if (equal == std::string::npos) return refused(text, "give POLICY.key=value or prices.key=value");
  Setting setting{text, text.substr(0, dot), text.substr(dot + 1, equal - dot - 1), text.substr(equal + 1)};
  const bool runs = std::find(policies.begin(), policies.end(), setting.name) != policies.end();
  if (setting.name != kPrices && !runs) return refused(text, "neither a policy that is run nor prices");
  const auto config = load_process_config("", std::vector{setting.override_text()});
  if (config) return setting;
  auto why = config.error().message;
  if (const auto prefix = "--set " + setting.override_text() + ": "; why.starts_with(prefix))
    why.erase(0, prefix.size());
  if (why.starts_with(setting.section() + ".")) why.replace(0, setting.section().size(), setting.name);
  return refused(text, why);
}

Status check_twice(const std::vector<Setting>& settings, const Setting& next) {
  for (const auto& before : settings)
    if (before.name == next.name && before.key == next.key && before.value != next.value)
      return refused(next.text, next.name + "." + next.key + " is " + before.value + " in another --set, give it once");
  return {};
}

// The one that a policy's complaint is about; of none in particular, the policy's name.
std::string blamed(const std::vector<Setting>& settings, const std::string& name, const std::string& complaint) {
  for (const auto& setting : settings)
    if (setting.name == name && complaint.find("setting \"" + setting.key + "\"") != std::string::npos)
      return setting.text;
  return name;
}

bool uses_prices(const std::string& policy) {
  const auto made = make_policy(policy);
  return made && (*made)->traits().needs_prices;
}

// What by-name settings may name.
struct Names {
  std::set<std::string> types;
  std::set<std::string> users;
};

Names names_of(const SimulationOptions& base, const std::vector<TraceJob>& workload) {
  Names names;
  for (const auto& node : base.nodes)
    for (const auto& group : node.gpus) names.types.insert(group.type);
  for (const auto& job : workload) names.users.insert(job.spec.user);
  return names;
}

// Why a policy's setting changes nothing; empty when it may.
std::string why_unused(const std::string& policy, const std::string& key, const Names& names) {
  const auto dot = key.find('.');
  const auto about = key.substr(0, dot);
  const auto name = dot == std::string::npos ? "" : key.substr(dot + 1);
  const auto rule = share_rule(policy);
  if (about == "price" && rule && !(*rule)->needs_prices) return "policy " + policy + " weighs no costs, leave it out";
  if (about == "price" && !names.types.contains(name)) return "the cluster has no GPU of type " + name;
  const bool of_entities = about == "entity_weight" || about == "entity_rule";
  if (of_entities && policy != "gavel-hierarchical") return "only gavel-hierarchical has entities, leave it out";
  if ((about == "entity_weight" || about == "quota") && !names.users.contains(name))
    return "the trace has no job of a user " + name;
  return "";
}

}  // namespace

Result<NamedSettings> parse_settings(const std::vector<std::string>& texts, const std::vector<std::string>& policies) {
  std::vector<Setting> settings;
  std::map<std::string, std::vector<std::string>> by_name;
  for (const auto& text : texts) {
    auto setting = parse_setting(text, policies);
    if (!setting) return fail(std::move(setting));
    if (auto once = check_twice(settings, *setting); !once) return fail(std::move(once));
    by_name[setting->name].push_back(setting->override_text());
    settings.push_back(*std::move(setting));
    if (settings.back().name == kPrices && std::none_of(policies.begin(), policies.end(), uses_prices))
      return refused(text, "no policy that is run uses prices, leave it out");
  }
  NamedSettings named;
  for (const auto& [name, overrides] : by_name) {
    auto config = load_process_config("", overrides);
    if (!config) return refused(name, config.error().message);
    if (name == kPrices) {
      named.prices = config->prices;
      continue;
    }
    if (auto made = make_policy(name, config->policy); !made)
      return refused(blamed(settings, name, made.error().message), made.error().message);
    named.of_policy[name] = std::move(config->policy);
  }
  return named;
}

Status check_used(const std::vector<std::string>& texts, const SimulationOptions& base,
                  const std::vector<TraceJob>& workload) {
  const auto names = names_of(base, workload);
  for (const auto& text : texts) {
    const auto dot = text.find('.');
    const auto key = text.substr(dot + 1, text.find('=', dot) - dot - 1);
    if (const auto why = why_unused(text.substr(0, dot), key, names); !why.empty()) return refused(text, why);
  }
  return {};
}

}  // namespace hadar::cli
