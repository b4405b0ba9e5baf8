// The rules that answer one share problem, for tools: the same list the policies are made of.
#pragma once

#include <string>

#include "actors/policy/gavel/gavel_rules.hpp"
#include "actors/policy/shares.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// A rule by its policy's name. kNotFound lists the names there are.
[[nodiscard]] Result<const GavelRule*> share_rule(const std::string& name);

}  // namespace hadar
