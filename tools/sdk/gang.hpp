// The members of a gang among themselves: a star over TCP around rank 0, which decides for all when a step begins and
// when the lease ends, so that every rank does the same number of steps. Used by one thread of the trainer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "messages/types/lease.hpp"
#include "messages/types/result.hpp"

namespace hadar::sdk {

// Sleeps until one of the sockets has news or the node worker has, and takes the node worker's messages in. False: give
// up what you wait for.
using GangWait = std::function<bool(std::span<const int> sockets)>;

class Gang {
 public:
  // Rank 0 listens at `rendezvous` ("host:port"), the others connect; returns when all are there. kTimedOut after 30 s,
  // kRefused when `wait` gave up.
  static Result<std::unique_ptr<Gang>> join(std::uint32_t rank, std::uint32_t world_size, const std::string& rendezvous,
                                            double pace_steps_per_s, const GangWait& wait);
  ~Gang();
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;

  // Rank 0: the slowest member's pace; 0 when none has one.
  [[nodiscard]] double pace() const { return pace_; }

  // Ranks above 0: this rank is ready for its next step. `wants_end`: its node worker asked for the end.
  Status say_ready(bool wants_end);
  // Ranks above 0: what rank 0 decided; kRunning: do the step. kRefused when `wait` gave up.
  Result<LeaseEndReason> await_decision(const GangWait& wait);

  // Rank 0: waits until all others are ready; true when one of them was asked to end. kRefused when `wait` gave up.
  Result<bool> await_ready(const GangWait& wait);
  // Rank 0: tells all; kRunning: do the step.
  Status decide(LeaseEndReason end);

  // Sums over all ranks in rank order, in place: the same bits everywhere. Must be called by all ranks alike. kTimedOut
  // after 30 s of silence, kUnreachable when a member is gone, kInvalidArgument when the counts differ.
  Status all_reduce(std::span<float> values);

 private:
  struct Frame;
  Gang(std::uint32_t rank, std::uint32_t world_size)
      : rank_(rank), world_size_(world_size), peers_(rank == 0 ? world_size : 1, -1) {}

  Status gather(int listener, const GangWait& wait);
  Status welcome(int socket);
  Status call(const std::string& rendezvous, double pace, const GangWait& wait);
  Status send(std::size_t peer, const Frame& frame, std::span<const float> values = {});
  Result<Frame> receive(std::size_t peer);
  Status reduce_at_root(std::span<float> values);
  Error gone(std::size_t peer, const std::string& how) const;

  std::uint32_t rank_;
  std::uint32_t world_size_;
  std::vector<int> peers_;  // sockets: at rank 0 by rank (its own is -1), else the one to rank 0
  double pace_ = 0;
};

}  // namespace hadar::sdk
