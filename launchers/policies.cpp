#include "launchers/policies.hpp"

#include <algorithm>

#include "actors/policy/hadar/hadar.hpp"
#include "actors/policy/hadare/hadare.hpp"
#include "actors/policy/round_mechanism/shares_policy.hpp"
#include "actors/policy/themis/themis.hpp"
#include "actors/policy/tiresias/tiresias.hpp"
#include "actors/policy/yarn_cs/yarn_cs.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

// A rule's name as a template argument, so that each has a plain function for its factory.
template <std::size_t N>
struct Name {
  char text[N]{};
  constexpr Name(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT(google-explicit-constructor)
};

template <Name kName>
Result<std::unique_ptr<Policy>> make_of_rule(const PolicySettings& settings) {
  return make_shares_policy(*find_gavel_rule(kName.text), settings);
}

template <Name kName>
PolicyEntry rule(bool looks_at_progress = true) {
  const auto* found = find_gavel_rule(kName.text);
  HADAR_REQUIRE(found != nullptr);
  return {found->name, found->summary, make_of_rule<kName>, looks_at_progress, true, false};
}

}  // namespace

const std::vector<PolicyEntry>& policies() {
  static const std::vector<PolicyEntry> entries = {
      {"hadare", "jobs fork over nodes and merge; no node idles while work remains", make_hadare},
      {"hadar", "prices and payoffs; gangs over several GPU types", make_hadar},
      {"tiresias-las", "least attained service in priority queues, blind to GPU types", make_tiresias_las},
      {"tiresias-gittins", "the same, those likely to end soon first inside a queue", make_tiresias_gittins},
      {"themis", "finish-time fairness: an auction among the jobs worst off", make_themis},
      {"yarn-cs", "strict order of submission, any free GPUs, runs to completion", make_yarn_cs, false, false},
      rule<"gavel-las">(false),
      rule<"gavel-las-agnostic">(false),
      rule<"gavel-las-leximin">(false),
      rule<"gavel-hierarchical">(false),
      rule<"gavel-makespan">(),
      rule<"gavel-makespan-agnostic">(),
      rule<"gavel-ftf">(),
      rule<"gavel-ftf-agnostic">(),
      rule<"gavel-throughput">(false),
      rule<"gavel-cost">(false),
      rule<"gavel-cost-slo">(),
      rule<"gavel-cost-ratio">(),
      rule<"gavel-las-packed">(false),
      rule<"gavel-makespan-packed">(),
      rule<"gavel-ftf-packed">(),
      rule<"gavel-isolated">(false),
      rule<"gavel-proportional">(false),
      rule<"gavel-strategy-proof">(false),
      rule<"gavel-fifo">(false),
      rule<"gavel-fifo-packed">(false),
      rule<"gavel-sjf">(),
      rule<"allox">(false),
      rule<"gandiva">(false),
  };
  return entries;
}

const PolicyEntry* find_policy(const std::string& name) {
  const auto& all = policies();
  const auto found = std::find_if(all.begin(), all.end(), [&](const PolicyEntry& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Result<std::unique_ptr<Policy>> make_policy(const std::string& name, const PolicySettings& settings) {
  if (const auto* entry = find_policy(name)) return entry->make(settings);
  std::string names;
  for (const auto& entry : policies()) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return fail(ErrorCode::kNotFound, "policy \"" + name + "\": unknown, give one of " + names);
}

}  // namespace hadar
