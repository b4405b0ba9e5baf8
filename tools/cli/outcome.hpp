// How a command ends: an exit code, or an error and the exit code it stands for.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "messages/types/error.hpp"
#include "messages/types/result.hpp"

namespace hadar::cli {

// The documented exit codes of every command.
enum class ExitCode : int {
  kDone = 0,
  kFailed = 1,   // the operation failed or was refused
  kUsage = 2,    // usage, configuration or a malformed file
  kPartly = 3,   // done, some input skipped
  kUnknown = 4,  // the cluster cannot be reached or did not answer: the outcome is unknown
};

// The exit code an answer of the cluster stands for.
constexpr ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return ExitCode::kUsage;
    case ErrorCode::kUnreachable:
    case ErrorCode::kTimedOut: return ExitCode::kUnknown;
    default: return ExitCode::kFailed;
  }
}

struct Failure {
  Error error;
  ExitCode code = ExitCode::kFailed;
};

using CommandResult = tl::expected<ExitCode, Failure>;

// A command that ends with an error of the cluster.
[[nodiscard]] inline tl::unexpected<Failure> stop(Error error) {
  const auto code = exit_code_of(error.code);
  return tl::unexpected<Failure>(Failure{std::move(error), code});
}
// A command that ends since its own input (options, files) is wrong.
[[nodiscard]] inline tl::unexpected<Failure> stop_usage(Error error) {
  return tl::unexpected<Failure>(Failure{std::move(error), ExitCode::kUsage});
}

}  // namespace hadar::cli
