// Codecs: Clients → gateway, and from there to the actor that knows.
#pragma once

#include "messages/codec/codec.hpp"
#include "messages/types/control.hpp"

namespace hadar {

template <>
struct Codec<SubmitJob> {
  static constexpr MessageKind kind = MessageKind::kSubmitJob;
  static Encoded encode(const SubmitJob& value);
  static Result<SubmitJob> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<JobSubmitted> {
  static constexpr MessageKind kind = MessageKind::kJobSubmitted;
  static Encoded encode(const JobSubmitted& value);
  static Result<JobSubmitted> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<CommandJob> {
  static constexpr MessageKind kind = MessageKind::kCommandJob;
  static Encoded encode(const CommandJob& value);
  static Result<CommandJob> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<QueryJobs> {
  static constexpr MessageKind kind = MessageKind::kQueryJobs;
  static Encoded encode(const QueryJobs& value);
  static Result<QueryJobs> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<JobList> {
  static constexpr MessageKind kind = MessageKind::kJobList;
  static Encoded encode(const JobList& value);
  static Result<JobList> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<QueryNodes> {
  static constexpr MessageKind kind = MessageKind::kQueryNodes;
  static Encoded encode(const QueryNodes& value);
  static Result<QueryNodes> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<NodeList> {
  static constexpr MessageKind kind = MessageKind::kNodeList;
  static Encoded encode(const NodeList& value);
  static Result<NodeList> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<CommandNode> {
  static constexpr MessageKind kind = MessageKind::kCommandNode;
  static Encoded encode(const CommandNode& value);
  static Result<CommandNode> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<QueryEvents> {
  static constexpr MessageKind kind = MessageKind::kQueryEvents;
  static Encoded encode(const QueryEvents& value);
  static Result<QueryEvents> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<EventPage> {
  static constexpr MessageKind kind = MessageKind::kEventPage;
  static Encoded encode(const EventPage& value);
  static Result<EventPage> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<QueryLog> {
  static constexpr MessageKind kind = MessageKind::kQueryLog;
  static Encoded encode(const QueryLog& value);
  static Result<QueryLog> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<LogPart> {
  static constexpr MessageKind kind = MessageKind::kLogPart;
  static Encoded encode(const LogPart& value);
  static Result<LogPart> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<QueryHealth> {
  static constexpr MessageKind kind = MessageKind::kQueryHealth;
  static Encoded encode(const QueryHealth& value);
  static Result<QueryHealth> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<ProcessHealth> {
  static constexpr MessageKind kind = MessageKind::kProcessHealth;
  static Encoded encode(const ProcessHealth& value);
  static Result<ProcessHealth> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<ClusterHealth> {
  static constexpr MessageKind kind = MessageKind::kClusterHealth;
  static Encoded encode(const ClusterHealth& value);
  static Result<ClusterHealth> decode(std::span<const std::byte> body, Payload payload = {});
};

}  // namespace hadar
