// Codecs: The link itself: handshake and liveness. Handled by the transport, never seen by actors.
#pragma once

#include "messages/codec/codec.hpp"
#include "messages/types/link.hpp"

namespace hadar {

template <>
struct Codec<LinkHello> {
  static constexpr MessageKind kind = MessageKind::kLinkHello;
  static Encoded encode(const LinkHello& value);
  static Result<LinkHello> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<LinkWelcome> {
  static constexpr MessageKind kind = MessageKind::kLinkWelcome;
  static Encoded encode(const LinkWelcome& value);
  static Result<LinkWelcome> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<LinkRefused> {
  static constexpr MessageKind kind = MessageKind::kLinkRefused;
  static Encoded encode(const LinkRefused& value);
  static Result<LinkRefused> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<LinkPing> {
  static constexpr MessageKind kind = MessageKind::kLinkPing;
  static Encoded encode(const LinkPing& value);
  static Result<LinkPing> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<LinkPong> {
  static constexpr MessageKind kind = MessageKind::kLinkPong;
  static Encoded encode(const LinkPong& value);
  static Result<LinkPong> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<LinkBye> {
  static constexpr MessageKind kind = MessageKind::kLinkBye;
  static Encoded encode(const LinkBye& value);
  static Result<LinkBye> decode(std::span<const std::byte> body, Payload payload = {});
};

}  // namespace hadar
