// CAF's settings, and what differs between its errors and ours. CAF 0.17.6 is what this is tested with.
#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/error.hpp>
#include <cstddef>

#include "messages/types/error.hpp"

namespace hadar {

// The scheduler for live processes: `threads` workers that sleep on one shared queue. CAF's default steals work and
// wakes by timers instead, which costs an idle process CPU and delays lone requests. Before the actor system is made.
void use_live_scheduler(caf::actor_system_config& config, std::size_t threads);

// Our error inside CAF's: category "hadar", the code, the message as context. Thread-safe.
caf::error to_caf(const Error& error);

// The error inside, or what CAF's own mean to us: a request's time limit is kTimedOut; an actor that ended, or is not
// there, is kUnreachable; a message it does not take is kInvalidArgument; all else is kInternal. `error` must be one
// (not caf::none). Thread-safe.
Error to_error(const caf::error& error);

}  // namespace hadar
