// Codecs: Rounds: what a policy is given and answers; prices.
#pragma once

#include "messages/codec/codec.hpp"
#include "messages/types/control.hpp"

namespace hadar {

template <>
struct Codec<PriceBoard> {
  static constexpr MessageKind kind = MessageKind::kPriceBoard;
  static Encoded encode(const PriceBoard& value);
  static Result<PriceBoard> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<PlanRound> {
  static constexpr MessageKind kind = MessageKind::kPlanRound;
  static Encoded encode(const PlanRound& value);
  static Result<PlanRound> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<RoundPlanned> {
  static constexpr MessageKind kind = MessageKind::kRoundPlanned;
  static Encoded encode(const RoundPlanned& value);
  static Result<RoundPlanned> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<PriceRound> {
  static constexpr MessageKind kind = MessageKind::kPriceRound;
  static Encoded encode(const PriceRound& value);
  static Result<PriceRound> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<QueryPrices> {
  static constexpr MessageKind kind = MessageKind::kQueryPrices;
  static Encoded encode(const QueryPrices& value);
  static Result<QueryPrices> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<PriceHistory> {
  static constexpr MessageKind kind = MessageKind::kPriceHistory;
  static Encoded encode(const PriceHistory& value);
  static Result<PriceHistory> decode(std::span<const std::byte> body, Payload payload = {});
};

// A round's input and a plan by themselves, as the files of recorded rounds hold them.
template <>
struct Codec<RoundInput> {
  static constexpr MessageKind kind = MessageKind::kPlanRound;
  static Encoded encode(const RoundInput& value);
  static Result<RoundInput> decode(std::span<const std::byte> body, Payload payload = {});
};

template <>
struct Codec<RoundPlan> {
  static constexpr MessageKind kind = MessageKind::kRoundPlanned;
  static Encoded encode(const RoundPlan& value);
  static Result<RoundPlan> decode(std::span<const std::byte> body, Payload payload = {});
};

}  // namespace hadar
