// Endpoint texts and binding. Private to this room.
#pragma once

#include <string>
#include <zmq.hpp>

#include "messages/types/result.hpp"
#include "runtime/transport/transport_options.hpp"

namespace hadar {

// Binds every listening endpoint of `options` and returns the actual ones, with ports filled in, in the same order.
// Errors name the endpoint and the setting: kAlreadyExists (taken), kInvalidArgument (malformed, or an ipc path that is
// too long), kIo.
Result<std::vector<std::string>> bind_all(zmq::socket_t& router, const TransportOptions& options);

// The endpoint others use for an actual one: wildcard hosts become `advertise_host` or the machine's host name.
std::string reachable(const std::string& actual, const std::string& advertise_host);

}  // namespace hadar
