// Codecs: Scheduler ↔ job-tracker.
#pragma once

#include "messages/codec/codec.hpp"
#include "messages/types/control.hpp"

namespace hadar {

template <>
struct Codec<OpenTerm> {
  static constexpr MessageKind kind = MessageKind::kOpenTerm;
  static Encoded encode(const OpenTerm& value);
  static Result<OpenTerm> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<TermOpened> {
  static constexpr MessageKind kind = MessageKind::kTermOpened;
  static Encoded encode(const TermOpened& value);
  static Result<TermOpened> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<ViewJobs> {
  static constexpr MessageKind kind = MessageKind::kViewJobs;
  static Encoded encode(const ViewJobs& value);
  static Result<ViewJobs> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<JobsViewed> {
  static constexpr MessageKind kind = MessageKind::kJobsViewed;
  static Encoded encode(const JobsViewed& value);
  static Result<JobsViewed> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<RecordPlan> {
  static constexpr MessageKind kind = MessageKind::kRecordPlan;
  static Encoded encode(const RecordPlan& value);
  static Result<RecordPlan> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<PlanRecorded> {
  static constexpr MessageKind kind = MessageKind::kPlanRecorded;
  static Encoded encode(const PlanRecorded& value);
  static Result<PlanRecorded> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<RecordExtension> {
  static constexpr MessageKind kind = MessageKind::kRecordExtension;
  static Encoded encode(const RecordExtension& value);
  static Result<RecordExtension> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<CloseLeases> {
  static constexpr MessageKind kind = MessageKind::kCloseLeases;
  static Encoded encode(const CloseLeases& value);
  static Result<CloseLeases> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<RecordNode> {
  static constexpr MessageKind kind = MessageKind::kRecordNode;
  static Encoded encode(const RecordNode& value);
  static Result<RecordNode> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<JobAdvanced> {
  static constexpr MessageKind kind = MessageKind::kJobAdvanced;
  static Encoded encode(const JobAdvanced& value);
  static Result<JobAdvanced> decode(std::span<const std::byte> body, Payload payload = {});
};

}  // namespace hadar
