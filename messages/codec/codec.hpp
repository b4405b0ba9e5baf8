// The one shape of every codec: value ↔ body frame (+ payload frame). Specialised in the *_codec.hpp files beside it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "messages/types/envelope.hpp"
#include "messages/types/payload.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// A message ready for the wire. `payload` is empty for all kinds but blob chunks.
struct Encoded {
  std::vector<std::byte> body;
  Payload payload;
};

// For each message type T, a specialisation gives
//   static constexpr MessageKind kind;
//   static Encoded encode(const T&);                                  never fails for a value that keeps T's rules
//   static Result<T> decode(std::span<const std::byte>, Payload = {}); kCorrupt or kInvalidArgument, never throws
// Both are thread-safe.
template <class T>
struct Codec;

}  // namespace hadar
