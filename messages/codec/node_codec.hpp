// Codecs: Node worker ↔ scheduler (membership, lease_keeper).
#pragma once

#include "messages/codec/codec.hpp"
#include "messages/types/control.hpp"

namespace hadar {

template <>
struct Codec<NodeHello> {
  static constexpr MessageKind kind = MessageKind::kNodeHello;
  static Encoded encode(const NodeHello& value);
  static Result<NodeHello> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<NodeWelcome> {
  static constexpr MessageKind kind = MessageKind::kNodeWelcome;
  static Encoded encode(const NodeWelcome& value);
  static Result<NodeWelcome> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<PrepareLeases> {
  static constexpr MessageKind kind = MessageKind::kPrepareLeases;
  static Encoded encode(const PrepareLeases& value);
  static Result<PrepareLeases> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<LeasesPrepared> {
  static constexpr MessageKind kind = MessageKind::kLeasesPrepared;
  static Encoded encode(const LeasesPrepared& value);
  static Result<LeasesPrepared> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<CommitLeases> {
  static constexpr MessageKind kind = MessageKind::kCommitLeases;
  static Encoded encode(const CommitLeases& value);
  static Result<CommitLeases> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<RevokeLeases> {
  static constexpr MessageKind kind = MessageKind::kRevokeLeases;
  static Encoded encode(const RevokeLeases& value);
  static Result<RevokeLeases> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<ExtendLease> {
  static constexpr MessageKind kind = MessageKind::kExtendLease;
  static Encoded encode(const ExtendLease& value);
  static Result<ExtendLease> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<LeaseEnded> {
  static constexpr MessageKind kind = MessageKind::kLeaseEnded;
  static Encoded encode(const LeaseEnded& value);
  static Result<LeaseEnded> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<Ack> {
  static constexpr MessageKind kind = MessageKind::kAck;
  static Encoded encode(const Ack& value);
  static Result<Ack> decode(std::span<const std::byte> body, Payload payload = {});
};

}  // namespace hadar
