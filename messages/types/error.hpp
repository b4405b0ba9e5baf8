// The closed list of error codes and the error value every fallible function returns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hadar {

// A code exists only because some caller reacts to it in its own way. Numbers go over the wire and are never reused.
enum class ErrorCode : std::uint16_t {
  kInvalidArgument = 1,  // the input breaks a rule: fix the input
  kNotFound = 2,         // no such job, node, blob, file
  kAlreadyExists = 3,    // the name or key is taken by something else
  kInfeasible = 4,       // this cluster can never do it
  kRefused = 5,          // a rule of the cluster forbids it now (wrong state, wrong cluster, no right)
  kStale = 6,            // an old term, epoch, version or settled lease: the sender must let go
  kOverloaded = 7,       // a queue is full: try again later
  kUnreachable = 8,      // the peer is down; the request was not carried out
  kTimedOut = 9,         // no answer within the limit; the outcome is unknown
  kCorrupt = 10,         // bytes that break their format or checksum
  kIo = 11,              // the operating system refused: disk, socket, process
  kInternal = 12,        // a fault of ours, reported instead of hidden
};

// What went wrong, where, and what would be right; one line without a line break.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

// The snake_case name of a code, as shown to users. Never empty.
constexpr std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid_argument";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kAlreadyExists: return "already_exists";
    case ErrorCode::kInfeasible: return "infeasible";
    case ErrorCode::kRefused: return "refused";
    case ErrorCode::kStale: return "stale";
    case ErrorCode::kOverloaded: return "overloaded";
    case ErrorCode::kUnreachable: return "unreachable";
    case ErrorCode::kTimedOut: return "timed_out";
    case ErrorCode::kCorrupt: return "corrupt";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kInternal: return "internal";
  }
  return "unknown";
}

}  // namespace hadar
