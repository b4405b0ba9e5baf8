// What the round mechanism carries from plan to plan: shares, and how far everyone is behind them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/policy/round_mechanism/received_time.hpp"
#include "actors/policy/round_mechanism/share_history.hpp"
#include "actors/policy/shares.hpp"

namespace hadar {

struct FairRow {
  Combination what;
  std::vector<double> share;     // by type; of wall time
  std::vector<double> behind_s;  // by type; time promised so far minus time received

  friend bool operator==(const FairRow&, const FairRow&) = default;
};

// A combination that had GPUs of a type after the last plan.
struct FairPlace {
  Combination what;
  std::uint32_t type = 0;

  friend bool operator==(const FairPlace&, const FairPlace&) = default;
};

struct FairState {
  double at_s = 0;                 // of the last plan
  double asked_s = 0;              // when shares were last asked for
  std::uint64_t question = 0;      // fingerprint of what was asked; 0 = never
  std::uint64_t types = 0;         // fingerprint of the types the columns stand for
  std::vector<FairRow> rows;       // rising combinations; only those with a share
  std::vector<std::string> notes;  // of the answer: fallbacks taken, one sentence each
  std::vector<FairPlace> placed;
  std::map<JobId, ShareHistory> histories;  // of rules that want them

  friend bool operator==(const FairState&, const FairState&) = default;
};

// Counts the time since the last plan: shares promised it, places received it. Nobody gets further ahead than one round
// (what GPUs nobody else wanted gave is forgotten) or further behind than eight.
void settle_time(FairState& state, double now_s, double round_s);

// Forgets rows, places and histories of jobs that are not in `jobs` (rising).
void forget_gone(FairState& state, const std::vector<JobId>& jobs);

// Takes a rule's answer, of its notes the first eight, cut to 200 bytes. Rows that lose their share on a type lose
// their claim there; others keep what they are behind.
void take_shares(FairState& state, const ShareProblem& problem, const TimeShares& shares);

// At most 1 MiB: when it is more, claims are left out, then shares, which are then asked for again.
[[nodiscard]] std::string write_memory(const FairState& state);
// A fresh state when the bytes are none of ours or of other types.
[[nodiscard]] FairState read_fair_state(const std::string& memory, const std::vector<GpuType>& types);

}  // namespace hadar
