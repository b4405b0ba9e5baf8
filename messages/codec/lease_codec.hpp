// Codecs: Leases, and what nodes report of them to the job-tracker.
#pragma once

#include "messages/codec/codec.hpp"
#include "messages/types/control.hpp"

namespace hadar {

template <>
struct Codec<LeaseReport> {
  static constexpr MessageKind kind = MessageKind::kLeaseReport;
  static Encoded encode(const LeaseReport& value);
  static Result<LeaseReport> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<ReportAnswered> {
  static constexpr MessageKind kind = MessageKind::kReportAnswered;
  static Encoded encode(const ReportAnswered& value);
  static Result<ReportAnswered> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<ProgressSampled> {
  static constexpr MessageKind kind = MessageKind::kProgressSampled;
  static Encoded encode(const ProgressSampled& value);
  static Result<ProgressSampled> decode(std::span<const std::byte> body, Payload payload = {});
};

}  // namespace hadar
