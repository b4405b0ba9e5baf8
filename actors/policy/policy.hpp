// The contract of every policy: what it is given, what it answers, what it may know.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>

#include "messages/types/result.hpp"
#include "messages/types/round.hpp"

namespace hadar {

// What a policy asks of the round around it.
struct PolicyTraits {
  bool needs_prices = false;  // wants a PriceBoard made for this round; otherwise the last one is passed on
  bool forks = false;         // may plan several forks of a job in one round
  bool shares_gpus = false;   // may plan two jobs on one GPU

  friend bool operator==(const PolicyTraits&, const PolicyTraits&) = default;
};

// Decides a round. Pure: no clock, no log, no wire, no state between calls beyond its settings. Same input, same plan,
// byte for byte, on every machine; whatever must outlive a round goes through RoundPlan::memory. Limits on effort count
// iterations, never time. Owned by one policy actor; called from one thread at a time.
class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  // Constant for the life of the object.
  [[nodiscard]] virtual PolicyTraits traits() const = 0;

  // The plan of one round: an outcome for every job of `input`, and the allocations to hold from now on.
  // Fails with kInvalidArgument when `input` contradicts itself.
  [[nodiscard]] virtual Result<RoundPlan> plan(const RoundInput& input) = 0;
};

// A policy's settings as its configuration file gives them.
using PolicySetting = std::variant<bool, double, std::string>;
using PolicySettings = std::map<std::string, PolicySetting>;

// Makes a policy. Fails with kInvalidArgument on a key the policy does not know or a value out of range.
using PolicyFactory = Result<std::unique_ptr<Policy>> (*)(const PolicySettings& settings);

}  // namespace hadar
