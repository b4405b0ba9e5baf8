#include "runtime/transport/outbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "messages/types/check.hpp"

namespace hadar {

Outbox::Outbox(std::size_t max_packets, std::size_t max_bytes, TransportCounters& counters)
    : max_packets_(max_packets),
      max_bytes_(max_bytes),
      counters_(counters),
      wake_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  HADAR_ENSURE(wake_fd_ >= 0);
}

Outbox::~Outbox() {
  ::close(wake_fd_);
}

bool Outbox::add(Command command) {
  waiting_.push_back(std::move(command));
  return std::exchange(asleep_, false);
}

void Outbox::ring() {
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then the reader is awake.
  (void)!::write(wake_fd_, &one, sizeof one);
}

Status Outbox::send(const std::string& peer, Outgoing packet) {
  const std::size_t bytes = packet.bytes();
  bool ring_it = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = gates_.find(peer);
    if (found == gates_.end()) {
      ++counters_.sends_unreachable;
      return fail(ErrorCode::kUnreachable, "send: no link to \"" + peer + "\" is up");
    }
    PeerGate& gate = *found->second;
    // An empty queue takes any packet, so that one larger than the byte bound still gets through.
    const bool full = gate.packets >= max_packets_ || (gate.bytes > 0 && gate.bytes + bytes > max_bytes_);
    if (full) {
      ++counters_.sends_overloaded;
      return fail(ErrorCode::kOverloaded, "send: " + std::to_string(gate.packets) + " packets (" +
                                              std::to_string(gate.bytes) + " bytes) already wait for \"" + peer +
                                              "\"; try again later");
    }
    gate.packets += 1;
    gate.bytes += bytes;
    packet.gate = found->second;
    ring_it = add(command::Send{peer, std::move(packet)});
  }
  if (ring_it) ring();
  return {};
}

void Outbox::push(Command command) {
  bool ring_it = false;
  {
    const std::lock_guard lock(mutex_);
    ring_it = add(std::move(command));
  }
  if (ring_it) ring();
}

void Outbox::take(std::vector<Command>& into) {
  HADAR_REQUIRE(into.empty());
  const std::lock_guard lock(mutex_);
  into.swap(waiting_);
}

bool Outbox::go_to_sleep() {
  const std::lock_guard lock(mutex_);
  asleep_ = waiting_.empty();
  return asleep_;
}

void Outbox::wake_up() {
  {
    const std::lock_guard lock(mutex_);
    // Still asleep: nobody rang.
    if (std::exchange(asleep_, false)) return;
  }
  std::uint64_t count = 0;
  (void)!::read(wake_fd_, &count, sizeof count);
}

GatePtr Outbox::open(const std::string& peer) {
  auto gate = std::make_shared<PeerGate>();
  const std::lock_guard lock(mutex_);
  gates_[peer] = gate;
  return gate;
}

void Outbox::close(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  gates_.erase(peer);
}

}  // namespace hadar
