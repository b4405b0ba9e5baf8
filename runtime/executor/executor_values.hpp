// Small values the executor makes for itself.
#pragma once

#include <string>

#include "runtime/executor/executor.hpp"

namespace hadar::executor_values {

// Monotonic, in seconds.
double now_s();

// "10 s", "0.25 s"
std::string seconds_text(double seconds);

// 128 random bits in hex.
std::string new_token();

// "127.0.0.1:PORT" with a port nobody listens at now; empty when there is none.
std::string free_rendezvous();

// The end of a lease that brings nothing.
executor_event::Ended ended_without(LeaseId lease, LeaseEndReason end, std::string detail);

}  // namespace hadar::executor_values
