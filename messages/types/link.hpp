// What two processes say to each other about their link itself. Handled by the transport, never seen by actors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "messages/types/error.hpp"

namespace hadar {

// The version of the frames and the handshake. Two processes that differ refuse each other.
inline constexpr std::uint32_t kProtocolVersion = 1;

// Who we are, or who the other side is. Names are unique in a cluster: "scheduler", "n1", "client-4711-8c2f".
struct PeerInfo {
  std::string name;
  std::vector<std::string>
      roles;  // "scheduler", "price-oracle", "job-tracker", "gateway", "policy", "node-worker", "client"
  std::uint64_t incarnation = 0;  // new at each start of a process
  std::string endpoint;           // where it listens, as others reach it; empty for clients
  std::uint64_t pid = 0;
  std::map<std::string, std::string> directory;  // role → endpoint, as far as this process knows them

  friend bool operator==(const PeerInfo&, const PeerInfo&) = default;
};

// First message of the side that connects.
struct LinkHello {
  std::string cluster_id;
  std::uint32_t protocol_version = kProtocolVersion;
  PeerInfo self;

  friend bool operator==(const LinkHello&, const LinkHello&) = default;
};

// The listening side takes the hello; the link is up.
struct LinkWelcome {
  std::uint32_t protocol_version = kProtocolVersion;
  PeerInfo self;

  friend bool operator==(const LinkWelcome&, const LinkWelcome&) = default;
};

// The listening side turns the hello down; `text` says why and what would be right.
struct LinkRefused {
  std::string text;
  ErrorCode code = ErrorCode::kRefused;

  friend bool operator==(const LinkRefused&, const LinkRefused&) = default;
};

// Sent over a silent link; answered with a pong of the same nonce.
struct LinkPing {
  std::uint64_t nonce = 0;

  friend bool operator==(const LinkPing&, const LinkPing&) = default;
};

struct LinkPong {
  std::uint64_t nonce = 0;

  friend bool operator==(const LinkPong&, const LinkPong&) = default;
};

// The sender closes the link on purpose and says why.
struct LinkBye {
  std::string text;

  friend bool operator==(const LinkBye&, const LinkBye&) = default;
};

}  // namespace hadar
