// Result<T>: a value or an Error. Nothing expected to fail throws.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "messages/types/error.hpp"

namespace hadar {

template <class T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

// An error ready to be returned from any function that gives a Result.
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

// Passes the error of another result on.
template <class T>
[[nodiscard]] tl::unexpected<Error> fail(Result<T>&& failed) {
  return tl::unexpected<Error>(std::move(failed.error()));
}

}  // namespace hadar
