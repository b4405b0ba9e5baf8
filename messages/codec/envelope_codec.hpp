// Codec of the envelope frame.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "messages/types/envelope.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// Never fails for an envelope that keeps the rules of decode_envelope(). Thread-safe.
std::vector<std::byte> encode_envelope(const Envelope& envelope);

// Rules: the kind is known, and is kNone only in an error; a one-way message has correlation 0, all others have one; an
// error is there exactly when the flag says so. Errors: kCorrupt (no frame), kInvalidArgument (a rule is broken). Never
// throws. Thread-safe.
Result<Envelope> decode_envelope(std::span<const std::byte> frame);

// Whether this build knows the kind.
bool is_known(MessageKind kind);

}  // namespace hadar
