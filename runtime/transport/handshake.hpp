// Who may have a link: pure rules and their texts. Private to this room.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "messages/types/link.hpp"
#include "runtime/transport/transport_options.hpp"

namespace hadar {

// Why a hello is turned down whoever else is linked: other protocol version, other cluster, our own name. Empty when
// nothing speaks against it.
std::optional<Error> refuse_hello(const TransportOptions& options, const LinkHello& hello);

// The text for a newcomer whose name a living process has.
Error name_in_use(const PeerInfo& holder, std::chrono::system_clock::time_point since);

// The reason told of a process whose name a newcomer took after it stopped answering.
Error name_taken_over(const PeerInfo& newcomer);

}  // namespace hadar
