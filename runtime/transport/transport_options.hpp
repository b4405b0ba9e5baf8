// What a process's transport must know before it starts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "messages/types/link.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// Plain values with defaults for a cluster on one machine or one local network. The transport keeps a copy.
struct TransportOptions {
  // Must be equal on both sides of a link. Empty only for a client (role "client", listens nowhere): any cluster.
  std::string cluster_id;
  // Our name, roles, incarnation, pid, directory. An empty endpoint is filled in from the first listening one.
  PeerInfo self;

  // "tcp://HOST:PORT" (IPv4, "[IPv6]", "*" for every address) or "ipc://PATH". Port 0 or "*" picks a free one. None:
  // this process only connects.
  std::vector<std::string> listen;
  // The setting that errors about `listen` name.
  std::string listen_setting = "listen";
  // Host that others reach us by, in place of "*" in self.endpoint; empty: the machine's host name.
  std::string advertise_host;

  // Only tests set another one.
  std::uint32_t protocol_version = kProtocolVersion;

  // Packets and bytes waiting for one peer before send() says kOverloaded. Bytes count until the kernel has them.
  std::size_t queue_packets = 4096;
  std::size_t queue_bytes = std::size_t{256} << 20;

  // Larger frames are refused and counted.
  std::size_t max_envelope_bytes = std::size_t{64} << 10;
  std::size_t max_body_bytes = std::size_t{64} << 20;
  std::size_t max_payload_bytes = std::size_t{64} << 20;

  // A link that was silent for `ping_interval` is pinged as often; one silent for `silence_limit` is down.
  std::chrono::milliseconds ping_interval{1000};
  std::chrono::milliseconds silence_limit{5000};

  // A hello is repeated each `hello_interval` until answered; after `handshake_limit` over a fresh connection.
  std::chrono::milliseconds hello_interval{250};
  std::chrono::milliseconds handshake_limit{5000};
  // How long the holder of a name has to answer before a newcomer of that name takes its place.
  std::chrono::milliseconds name_check_limit{1000};

  // How long unsent bytes may hold up the destructor; at most 500 ms.
  std::chrono::milliseconds linger{200};
  // Pause between attempts to connect; grows from min to max.
  std::chrono::milliseconds reconnect_min{100};
  std::chrono::milliseconds reconnect_max{2000};
};

// Whether the options keep their rules. Errors: kInvalidArgument naming the field.
Status check_options(const TransportOptions& options);

}  // namespace hadar
