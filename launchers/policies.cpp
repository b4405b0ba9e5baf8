#include "launchers/policies.hpp"

#include "actors/policy/hadar/hadar.hpp"
#include "actors/policy/hadare/hadare.hpp"
#include "actors/policy/themis/themis.hpp"
#include "actors/policy/tiresias/tiresias.hpp"
#include "actors/policy/yarn_cs/yarn_cs.hpp"

namespace hadar {

const std::vector<PolicyEntry>& policies() {
  static const std::vector<PolicyEntry> entries = {
      {"hadare", "jobs fork over nodes and merge; no node idles while work remains", make_hadare},
      {"hadar", "prices and payoffs; gangs over several GPU types", make_hadar},
      {"tiresias-las", "least attained service in priority queues, blind to GPU types", make_tiresias_las},
      {"tiresias-gittins", "the same, those likely to end soon first inside a queue", make_tiresias_gittins},
      {"themis", "finish-time fairness: an auction among the jobs worst off", make_themis},
      {"yarn-cs", "strict order of submission, any free GPUs, runs to completion", make_yarn_cs},
  };
  return entries;
}

Result<std::unique_ptr<Policy>> make_policy(const std::string& name, const PolicySettings& settings) {
  std::string names;
  for (const auto& entry : policies()) {
    if (entry.name == name) return entry.make(settings);
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return fail(ErrorCode::kNotFound, "policy \"" + name + "\": unknown, give one of " + names);
}

}  // namespace hadar
