// Links to other processes of the cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "messages/types/envelope.hpp"
#include "messages/types/link.hpp"
#include "messages/types/payload.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// One message: envelope, body bytes, optional payload.
struct Packet {
  Envelope envelope;
  Payload body;
  Payload payload;
};

// Callbacks run on the transport's own thread, one at a time; they must not block.
struct TransportEvents {
  std::function<void(const PeerInfo&)> on_up;                              // handshake done, in either direction
  std::function<void(const std::string& name, const Error& why)> on_down;  // silent too long, closed, or replaced
  std::function<void(const std::string& name, Packet)> on_packet;
  std::function<void(const std::string& endpoint, const Error& why)>
      on_refused;  // our hello was refused (text from the peer), or the endpoint can never work
  std::function<void(const PeerInfo&)> on_directory;  // an up peer announced a new directory
};

// A process's links. All methods may be called from any thread and never block for longer than a lock.
class Transport {
 public:
  virtual ~Transport() = default;

  // Keeps a link to whatever listens at `endpoint`, reconnecting until disconnect(). A refusal is final until then.
  virtual void connect(const std::string& endpoint) = 0;
  virtual void disconnect(const std::string& endpoint) = 0;

  // Queues a packet to a peer that is up. Errors: kUnreachable (not up), kOverloaded (its queue is full).
  virtual Status send(const std::string& peer, Packet packet) = 0;

  // Tells linked peers, and later ones in the handshake, which endpoint serves which role.
  virtual void set_directory(const std::map<std::string, std::string>& directory) = 0;

  // "frames_refused", "handshakes_refused", "peers_up", "packets_in", "packets_out", "peers_lost", "sends_overloaded"…
  virtual std::map<std::string, std::uint64_t> counters() const = 0;
};

}  // namespace hadar
