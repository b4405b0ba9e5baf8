#include "messages/codec/envelope_codec.hpp"

#include "messages/codec/wire.hpp"
#include "messages/schema/envelope.capnp.h"

namespace hadar::wire {
namespace {

constexpr unsigned kLastActor = static_cast<unsigned>(ActorKey::kHealth);
constexpr unsigned kLastFlag = static_cast<unsigned>(EnvelopeFlag::kError);
constexpr unsigned kLastError = static_cast<unsigned>(ErrorCode::kInternal);

void check_envelope(const hadar::Envelope& envelope, const Where& at) {
  if (!is_known(envelope.kind) && !(envelope.kind == MessageKind::kNone && envelope.error))
    refuse(at / "kind", static_cast<std::uint64_t>(envelope.kind), "must be the number of a message");
  if ((envelope.flag == EnvelopeFlag::kOneway) != (envelope.correlation == 0))
    refuse(at / "correlation", envelope.correlation, "must be 0 in one-way messages and only there");
}

}  // namespace

static void build(Envelope::Builder out, const hadar::Envelope& in) {
  out.setKind(static_cast<std::uint16_t>(in.kind));
  out.setTarget(static_cast<std::uint16_t>(in.target));
  out.setFlag(static_cast<std::uint8_t>(in.flag));
  out.setCorrelation(in.correlation);
  if (!in.error) return;
  out.setErrorCode(static_cast<std::uint16_t>(in.error->code));
  out.setErrorText(text(in.error->message));
}

static hadar::Envelope read(Envelope::Reader in, const Where& at) {
  hadar::Envelope out;
  out.kind = static_cast<MessageKind>(in.getKind());
  out.target = read_enum<ActorKey>(in.getTarget(), 0, kLastActor, at / "target");
  out.flag = read_enum<EnvelopeFlag>(in.getFlag(), 0, kLastFlag, at / "flag");
  out.correlation = in.getCorrelation();
  const unsigned least_code = out.flag == EnvelopeFlag::kError ? 1 : 0;
  const unsigned last_code = out.flag == EnvelopeFlag::kError ? kLastError : 0;
  const auto code = read_enum<ErrorCode>(in.getErrorCode(), least_code, last_code, at / "error_code");
  if (out.flag == EnvelopeFlag::kError) out.error = Error{code, read_text(in.getErrorText(), at / "error_text")};
  check_envelope(out, at);
  return out;
}

}  // namespace hadar::wire

namespace hadar {

// Without a default, so that the compiler names a kind that is missing here.
bool is_known(MessageKind kind) {
  switch (kind) {
    case MessageKind::kNone: return false;
    case MessageKind::kLinkHello:
    case MessageKind::kLinkWelcome:
    case MessageKind::kLinkRefused:
    case MessageKind::kLinkPing:
    case MessageKind::kLinkPong:
    case MessageKind::kLinkBye:
    case MessageKind::kAck:
    case MessageKind::kNodeHello:
    case MessageKind::kNodeWelcome:
    case MessageKind::kPrepareLeases:
    case MessageKind::kLeasesPrepared:
    case MessageKind::kCommitLeases:
    case MessageKind::kRevokeLeases:
    case MessageKind::kExtendLease:
    case MessageKind::kLeaseEnded:
    case MessageKind::kOpenTerm:
    case MessageKind::kTermOpened:
    case MessageKind::kViewJobs:
    case MessageKind::kJobsViewed:
    case MessageKind::kRecordPlan:
    case MessageKind::kPlanRecorded:
    case MessageKind::kRecordExtension:
    case MessageKind::kCloseLeases:
    case MessageKind::kRecordNode:
    case MessageKind::kJobAdvanced:
    case MessageKind::kLeaseReport:
    case MessageKind::kReportAnswered:
    case MessageKind::kProgressSampled:
    case MessageKind::kStatBlob:
    case MessageKind::kBlobStat:
    case MessageKind::kPutBlobChunk:
    case MessageKind::kGetBlobChunk:
    case MessageKind::kBlobChunk:
    case MessageKind::kPlanRound:
    case MessageKind::kRoundPlanned:
    case MessageKind::kPriceRound:
    case MessageKind::kPriceBoard:
    case MessageKind::kQueryPrices:
    case MessageKind::kPriceHistory:
    case MessageKind::kSubmitJob:
    case MessageKind::kJobSubmitted:
    case MessageKind::kCommandJob:
    case MessageKind::kQueryJobs:
    case MessageKind::kJobList:
    case MessageKind::kQueryNodes:
    case MessageKind::kNodeList:
    case MessageKind::kCommandNode:
    case MessageKind::kQueryEvents:
    case MessageKind::kEventPage:
    case MessageKind::kQueryLog:
    case MessageKind::kLogPart:
    case MessageKind::kQueryHealth:
    case MessageKind::kClusterHealth:
    case MessageKind::kProcessHealth:
    case MessageKind::kTrainerHello:
    case MessageKind::kTrainerLeaseStart:
    case MessageKind::kTrainerLeaseExtend:
    case MessageKind::kTrainerSave:
    case MessageKind::kTrainerLeaseStop:
    case MessageKind::kTrainerExit:
    case MessageKind::kTrainerProgress:
    case MessageKind::kTrainerSaved: return true;
  }
  return false;
}

std::vector<std::byte> encode_envelope(const Envelope& envelope) {
  return wire::encode_body<wire::Envelope>(envelope);
}

Result<Envelope> decode_envelope(std::span<const std::byte> frame) {
  return wire::decode_body<wire::Envelope, Envelope>(frame, "envelope");
}

}  // namespace hadar
