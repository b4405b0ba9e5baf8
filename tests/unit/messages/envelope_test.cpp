#include <gmock/gmock.h>

#include "messages/codec/envelope_codec.hpp"

namespace hadar {
namespace {

std::string refusal(const Envelope& envelope) {
  const auto decoded = decode_envelope(encode_envelope(envelope));
  return decoded ? "taken" : decoded.error().message;
}

const Envelope kRequest{MessageKind::kPlanRound, ActorKey::kPolicy, EnvelopeFlag::kRequest, 7, std::nullopt};

TEST(EnvelopeCodec, TakesRequestsAnswersErrorsAndOneWayMessages) {
  EXPECT_EQ(refusal(kRequest), "taken");
  EXPECT_EQ(refusal({MessageKind::kRoundPlanned, ActorKey::kNone, EnvelopeFlag::kReply, 7, std::nullopt}), "taken");
  EXPECT_EQ(refusal({MessageKind::kNone, ActorKey::kNone, EnvelopeFlag::kError, 7, Error{ErrorCode::kStale, "old"}}),
            "taken");
  EXPECT_EQ(refusal({MessageKind::kLinkPing, ActorKey::kNone, EnvelopeFlag::kOneway, 0, std::nullopt}), "taken");
}

TEST(EnvelopeCodec, RefusesKindsItDoesNotKnow) {
  auto envelope = kRequest;
  envelope.kind = static_cast<MessageKind>(999);
  EXPECT_EQ(refusal(envelope), "envelope.kind: 999, must be the number of a message");
  envelope.kind = MessageKind::kNone;
  EXPECT_EQ(refusal(envelope), "envelope.kind: 0, must be the number of a message");
}

TEST(EnvelopeCodec, RefusesTargetsAndFlagsOutsideTheirLists) {
  auto envelope = kRequest;
  envelope.target = static_cast<ActorKey>(static_cast<int>(ActorKey::kHealth) + 1);
  EXPECT_THAT(refusal(envelope), ::testing::StartsWith("envelope.target: "));
  envelope = kRequest;
  envelope.flag = static_cast<EnvelopeFlag>(4);
  EXPECT_THAT(refusal(envelope), ::testing::StartsWith("envelope.flag: 4"));
}

TEST(EnvelopeCodec, WantsACorrelationExactlyWhereAnAnswerIsDue) {
  auto envelope = kRequest;
  envelope.correlation = 0;
  EXPECT_THAT(refusal(envelope), ::testing::StartsWith("envelope.correlation: 0"));
  envelope.flag = EnvelopeFlag::kOneway;
  envelope.correlation = 7;
  EXPECT_THAT(refusal(envelope), ::testing::StartsWith("envelope.correlation: 7"));
}

TEST(EnvelopeCodec, WantsAnErrorExactlyWhereTheFlagSaysSo) {
  auto envelope = kRequest;
  envelope.error = Error{ErrorCode::kIo, "disk"};
  EXPECT_THAT(refusal(envelope), ::testing::StartsWith("envelope.error_code: 11"));
  envelope.flag = EnvelopeFlag::kError;
  EXPECT_EQ(refusal(envelope), "taken");
  envelope.error.reset();
  EXPECT_THAT(refusal(envelope), ::testing::StartsWith("envelope.error_code: 0"));
}

TEST(EnvelopeCodec, RefusesBytesThatAreNoEnvelope) {
  const std::vector<std::byte> noise(64, std::byte{0xa5});
  const auto decoded = decode_envelope(noise);
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace hadar
