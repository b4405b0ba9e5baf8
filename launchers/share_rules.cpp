#include "launchers/share_rules.hpp"

namespace hadar {

Result<const GavelRule*> share_rule(const std::string& name) {
  if (const auto* rule = find_gavel_rule(name)) return rule;
  std::string names;
  for (const auto& rule : gavel_rules()) names += (names.empty() ? "" : ", ") + std::string(rule.name);
  return fail(ErrorCode::kNotFound, "policy \"" + name + "\": answers no share problem, give one of " + names);
}

}  // namespace hadar
