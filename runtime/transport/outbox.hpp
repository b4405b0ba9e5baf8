// The way from any thread to the transport's own: one locked queue, swapped out in batches, and a wake-up descriptor.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "messages/types/payload.hpp"
#include "messages/types/result.hpp"
#include "runtime/transport/counters.hpp"

namespace hadar {

// What waits for one peer during one of its ups. A new up has a new gate, so nothing queued for the old one is sent.
struct PeerGate {
  std::atomic<std::size_t> packets{0};
  std::atomic<std::size_t> bytes{0};
};
using GatePtr = std::shared_ptr<PeerGate>;

// A packet in its wire form. `gate` is null for link-level messages.
struct Outgoing {
  Payload envelope;
  Payload body;
  Payload payload;
  GatePtr gate;

  [[nodiscard]] std::size_t bytes() const { return envelope.size() + body.size() + payload.size(); }
};

namespace command {
struct Send {
  std::string peer;
  Outgoing packet;
};
struct Connect {
  std::string endpoint;
};
struct Disconnect {
  std::string endpoint;
};
struct SetDirectory {
  std::map<std::string, std::string> directory;
};
struct Stop {};
}  // namespace command
using Command =
    std::variant<command::Send, command::Connect, command::Disconnect, command::SetDirectory, command::Stop>;

// Thread-safe. open() and close() belong to the transport's thread.
class Outbox {
 public:
  Outbox(std::size_t max_packets, std::size_t max_bytes, TransportCounters& counters);
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // Becomes readable when a command comes in while the loop sleeps.
  [[nodiscard]] int wake_fd() const { return wake_fd_; }

  // Queues a packet. Errors: kUnreachable (no open gate), kOverloaded.
  Status send(const std::string& peer, Outgoing packet);
  // Queues any other command; never refused.
  void push(Command command);

  // Moves all waiting commands into `into`, which must be empty.
  void take(std::vector<Command>& into);
  // Announces that the loop is about to sleep; false when commands wait already, and then it must not.
  bool go_to_sleep();
  // The loop is awake again: senders need not wake it, which would cost them a system call.
  void wake_up();

  // Packets to `peer` are accepted from now on.
  GatePtr open(const std::string& peer);
  // No more packets to `peer`.
  void close(const std::string& peer);

 private:
  // Adds a command under the lock; returns whether the loop must be woken.
  bool add(Command command);
  void ring();

  const std::size_t max_packets_;
  const std::size_t max_bytes_;
  TransportCounters& counters_;
  int wake_fd_ = -1;
  std::mutex mutex_;
  std::unordered_map<std::string, GatePtr> gates_;
  std::vector<Command> waiting_;
  bool asleep_ = false;
};

}  // namespace hadar
