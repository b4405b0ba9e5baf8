// The trainer processes of one fork on this node, and the lease they work on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "messages/types/trainer.hpp"
#include "runtime/executor/executor.hpp"
#include "runtime/executor/output_reader.hpp"
#include "runtime/loop/event_loop.hpp"

namespace hadar {

// One trainer process.
struct CrewMember {
  pid_t pid = 0;
  std::string token;
  std::unique_ptr<OutputReader> output;
  bool greeted = false;               // said hello
  bool gone = false;                  // it and its whole tree
  std::optional<TrainerSaved> words;  // its last ones of the running lease
};

// How a lease ends when not by the trainers' own words.
struct CrewFailure {
  LeaseEndReason end = LeaseEndReason::kFailed;
  std::string detail;
  bool firm = true;  // false: a member's exit, should one come, says more
};

struct CrewLease {
  LeaseRun run;
  std::string result_path;  // prefix of the files its trainers write
  std::string rendezvous;   // of the gang; of our own making when the lease names none
  double asked_s = 0;       // when train_for_s began to count
  bool sent = false;        // its trainers know of it
  bool entered = false;     // the step loop was
  bool stopping = false;
  bool warm = false;     // given to trainers that were idle
  bool restart = false;  // they had gone just before: it starts again with new ones
  std::optional<CrewFailure> failure;
  std::set<std::string> handed_out;  // files that belong to the sink's owner now
  EventLoop::TimerId limit{};        // until it must be over; then the trainers are ended by force
};

struct Crew {
  std::uint64_t number = 0;
  ForkId fork;
  std::vector<std::uint32_t> gpus;
  std::uint32_t first_rank = 0;
  std::uint32_t world_size = 1;
  std::vector<CrewMember> members;
  std::optional<CrewLease> lease;
  bool retiring = false;         // takes no lease any more
  std::uint64_t idle_since = 0;  // rises with each lease that ended; for the oldest first
  EventLoop::TimerId limit{};    // of what it does without a lease: its hello, its exit

  [[nodiscard]] bool greeted() const {
    for (const auto& member : members)
      if (!member.greeted) return false;
    return true;
  }
  [[nodiscard]] bool gone() const {
    for (const auto& member : members)
      if (!member.gone) return false;
    return true;
  }
  // A gang over several nodes starts afresh each time: its members elsewhere may have.
  [[nodiscard]] bool reusable() const { return !retiring && world_size == members.size(); }
  [[nodiscard]] bool fits(const Lease& next, bool same_gpus) const {
    return !lease && reusable() && fork == next.fork && world_size == next.gang.world_size &&
           members.size() == next.gpus.size() && (!same_gpus || gpus == next.gpus);
  }
};

}  // namespace hadar
