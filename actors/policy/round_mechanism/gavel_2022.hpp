// The round mechanism as the public Gavel code of January 2022 has it, oddities included: what `--compat gavel-2022`
// runs. Nothing here is meant to be good; it is meant to be equal.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "actors/policy/round_mechanism/received_time.hpp"
#include "actors/policy/round_mechanism/share_history.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct Gavel2022Settings {
  double round_s = 360;
  double reset_gap_s = 1920;          // least time between two sets of shares
  bool zero_shares_run = true;        // GPUs left over go to combinations without share; not under FIFO
  bool shuffle_types = false;         // the order of types is drawn each round; for policies blind to types
  bool packs = false;                 // pairs are candidates
  std::uint64_t seed = 0;             // of the draw; Gavel's simulator seed
  std::vector<std::uint32_t> gpus{};  // by type, types in rising order of name
};

// A job as it arrives; `gpus` > 0, `total_steps` > 0.
struct Gavel2022Job {
  JobId job;
  std::uint32_t gpus = 1;
  double arrival_s = 0;
  std::uint64_t total_steps = 0;

  friend bool operator==(const Gavel2022Job&, const Gavel2022Job&) = default;
};

struct Gavel2022Active {
  Gavel2022Job job;
  std::uint64_t steps_done = 0;
  std::uint32_t failures = 0;  // in a row
  ShareHistory history;

  friend bool operator==(const Gavel2022Active&, const Gavel2022Active&) = default;
};

// What a combination does in a round. Workers are numbered through the types in rising order of name.
struct Gavel2022Task {
  Combination what;
  std::uint32_t type = 0;
  std::vector<std::uint32_t> workers;
  std::array<std::uint64_t, 2> steps{};  // of a and b
  double finish_s = 0;                   // of a pair the later one

  friend bool operator==(const Gavel2022Task&, const Gavel2022Task&) = default;
};

// Everything that outlives a round.
struct Gavel2022State {
  double now_s = 0;
  double round_start_s = 0;  // the end of the last round in which anything ran
  std::optional<double> round_end_s;
  double last_reset_s = 0;  // 0 also means: reset at the next change without waiting
  bool needs_shares = true;
  std::uint64_t rounds = 0;
  JobId last_admitted;
  ReceivedTime time;
  std::vector<Gavel2022Active> active;  // rising ids
  std::vector<Gavel2022Task> running;   // in the order of dispatch

  friend bool operator==(const Gavel2022State&, const Gavel2022State&) = default;
};

struct Gavel2022Ended {
  JobId job;
  double at_s = 0;
  bool dropped = false;  // given up after five failures in a row
};

// One combination's shares by type.
struct CombinationShares {
  Combination what;
  std::vector<double> share;
};

// What the mechanism asks of the world around it. `speeds`: steps/s of both jobs of a combination on a type (of one for
// a job alone); 0 = cannot run. `shares`: called with the active jobs when shares are due; rows it does not name
// are "not in the allocation". It may change the histories.
struct Gavel2022World {
  std::function<std::array<double, 2>(const Combination&, std::size_t type)> speeds;
  std::function<Result<std::vector<CombinationShares>>(std::vector<Gavel2022Active>&, double now_s)> shares;
};

class Gavel2022 {
 public:
  static constexpr std::uint32_t kMostFailures = 5;

  // `world` must outlive the object.
  Gavel2022(Gavel2022Settings settings, const Gavel2022World& world, Gavel2022State state = {});

  // Ends the round under way, admits what has arrived by then, and starts the next round. `jobs`: rising ids and
  // arrivals, those known to come included; ones admitted before are passed over. `more_later`: others may follow.
  // When nothing ran, time goes on to the next arrival in `jobs`. Fails when `shares` does.
  [[nodiscard]] Status next_round(const std::vector<Gavel2022Job>& jobs, bool more_later);

  [[nodiscard]] const Gavel2022State& state() const { return state_; }
  // For a caller that knows better what a job has done.
  [[nodiscard]] Gavel2022State& state() { return state_; }
  // The first job of `jobs` not admitted yet, or nothing.
  [[nodiscard]] const Gavel2022Job* next_arrival(const std::vector<Gavel2022Job>& jobs) const;
  // The jobs that ended when the last round did.
  [[nodiscard]] const std::vector<Gavel2022Ended>& ended() const { return ended_; }
  // Forgets a job and its pairs; shares are due.
  void remove(JobId job);

 private:
  [[nodiscard]] const Gavel2022Active& active(JobId job) const;
  [[nodiscard]] bool can_run(std::size_t row, std::size_t type) const;
  void end_round();
  void end_task(const Gavel2022Task& task);
  void admit(const std::vector<Gavel2022Job>& jobs);
  Status reset_shares();
  [[nodiscard]] std::vector<std::size_t> type_order() const;
  [[nodiscard]] std::vector<std::vector<std::size_t>> choose() const;  // rows by type
  [[nodiscard]] std::vector<Gavel2022Task> place(const std::vector<std::vector<std::size_t>>& chosen) const;
  void dispatch(Gavel2022Task& task) const;

  Gavel2022Settings settings_;
  const Gavel2022World& world_;
  Gavel2022State state_;
  std::vector<Gavel2022Ended> ended_;
};

}  // namespace hadar
