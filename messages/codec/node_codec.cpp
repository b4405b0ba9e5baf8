#include "messages/codec/node_codec.hpp"

#include "messages/codec/cluster_wire.hpp"
#include "messages/codec/lease_wire.hpp"
#include "messages/schema/node.capnp.h"

namespace hadar::wire {

static void build(NodeHello::Builder out, const hadar::NodeHello& in) {
  build(out.initInventory(), in.inventory);
  out.setIncarnation(in.incarnation);
  out.setEpoch(in.epoch.value);
  build_list(in.held, [&](auto size) { return out.initHeld(size); });
}

static hadar::NodeHello read(NodeHello::Reader in, const Where& at) {
  hadar::NodeHello out;
  out.inventory = read(in.getInventory(), at / "inventory");
  out.incarnation = in.getIncarnation();
  out.epoch = Epoch{in.getEpoch()};
  out.held = read_list(in.getHeld(), at / "held");
  return out;
}

static void build(NodeWelcome::Builder out, const hadar::NodeWelcome& in) {
  out.setTerm(in.term.value);
  out.setEpoch(in.epoch.value);
  out.setRoundS(in.round_s);
  out.setOutageGraceS(in.outage_grace_s);
  build_list(in.adopt, [&](auto size) { return out.initAdopt(size); });
  build_list(in.discard, [&](auto size) { return out.initDiscard(size); });
}

static hadar::NodeWelcome read(NodeWelcome::Reader in, const Where& at) {
  hadar::NodeWelcome out;
  out.term = Term{in.getTerm()};
  out.epoch = Epoch{in.getEpoch()};
  out.round_s = not_negative(in.getRoundS(), at / "round_s");
  out.outage_grace_s = not_negative(in.getOutageGraceS(), at / "outage_grace_s");
  out.adopt = read_ids<LeaseId>(in.getAdopt(), at / "adopt");
  out.discard = read_ids<LeaseId>(in.getDiscard(), at / "discard");
  return out;
}

static void build(PrepareLeases::Builder out, const hadar::PrepareLeases& in) {
  out.setTerm(in.term.value);
  out.setEpoch(in.epoch.value);
  build_list(in.leases, [&](auto size) { return out.initLeases(size); });
}

static hadar::PrepareLeases read(PrepareLeases::Reader in, const Where& at) {
  hadar::PrepareLeases out;
  out.term = Term{in.getTerm()};
  out.epoch = Epoch{in.getEpoch()};
  out.leases = read_list(in.getLeases(), at / "leases");
  return out;
}

static void build(LeasesPrepared::Builder out, const hadar::LeasesPrepared& in) {
  build_list(in.accepted, [&](auto size) { return out.initAccepted(size); });
  build_list(in.refused, [&](auto size) { return out.initRefused(size); });
}

static hadar::LeasesPrepared read(LeasesPrepared::Reader in, const Where& at) {
  hadar::LeasesPrepared out;
  out.accepted = read_list(in.getAccepted(), at / "accepted");
  out.refused = read_list(in.getRefused(), at / "refused");
  return out;
}

static void build(CommitLeases::Builder out, const hadar::CommitLeases& in) {
  out.setTerm(in.term.value);
  out.setEpoch(in.epoch.value);
  build_list(in.leases, [&](auto size) { return out.initLeases(size); });
}

static hadar::CommitLeases read(CommitLeases::Reader in, const Where& at) {
  hadar::CommitLeases out;
  out.term = Term{in.getTerm()};
  out.epoch = Epoch{in.getEpoch()};
  out.leases = read_list(in.getLeases(), at / "leases");
  return out;
}

static void build(RevokeLeases::Builder out, const hadar::RevokeLeases& in) {
  out.setTerm(in.term.value);
  out.setEpoch(in.epoch.value);
  build_list(in.leases, [&](auto size) { return out.initLeases(size); });
  out.setReason(text(in.reason));
}

static hadar::RevokeLeases read(RevokeLeases::Reader in, const Where& at) {
  hadar::RevokeLeases out;
  out.term = Term{in.getTerm()};
  out.epoch = Epoch{in.getEpoch()};
  out.leases = read_ids<LeaseId>(in.getLeases(), at / "leases");
  out.reason = read_text(in.getReason(), at / "reason");
  return out;
}

static void build(ExtendLease::Builder out, const hadar::ExtendLease& in) {
  out.setTerm(in.term.value);
  out.setEpoch(in.epoch.value);
  out.setLease(in.lease.value);
  out.setQuotaSteps(in.quota_steps);
  out.setTrainForS(in.train_for_s);
}

static hadar::ExtendLease read(ExtendLease::Reader in, const Where& at) {
  hadar::ExtendLease out;
  out.term = Term{in.getTerm()};
  out.epoch = Epoch{in.getEpoch()};
  out.lease = read_id<LeaseId>(in.getLease(), at / "lease");
  out.quota_steps = at_least_one(in.getQuotaSteps(), at / "quota_steps");
  out.train_for_s = not_negative(in.getTrainForS(), at / "train_for_s");
  return out;
}

static void build(LeaseEnded::Builder out, const hadar::LeaseEnded& in) {
  out.setLease(in.lease.value);
  out.setNode(text(in.node));
  out.setEpoch(in.epoch.value);
  out.setEnd(static_cast<LeaseEndReason>(in.end));
  out.setDetail(text(in.detail));
  out.setReported(in.reported);
}

static hadar::LeaseEnded read(LeaseEnded::Reader in, const Where& at) {
  hadar::LeaseEnded out;
  out.lease = read_id<LeaseId>(in.getLease(), at / "lease");
  out.node = read_name(in.getNode(), at / "node");
  out.epoch = Epoch{in.getEpoch()};
  out.end = read_enum<hadar::LeaseEndReason>(in.getEnd(), 0, 5, at / "end");
  out.reported = in.getReported();
  out.detail = read_text(in.getDetail(), at / "detail");
  return out;
}

static void build(Ack::Builder, const hadar::Ack&) {}

static hadar::Ack read(Ack::Reader, const Where&) {
  return {};
}

}  // namespace hadar::wire

namespace hadar {

HADAR_DEFINE_CODEC(NodeHello, "node_hello")
HADAR_DEFINE_CODEC(NodeWelcome, "node_welcome")
HADAR_DEFINE_CODEC(PrepareLeases, "prepare_leases")
HADAR_DEFINE_CODEC(LeasesPrepared, "leases_prepared")
HADAR_DEFINE_CODEC(CommitLeases, "commit_leases")
HADAR_DEFINE_CODEC(RevokeLeases, "revoke_leases")
HADAR_DEFINE_CODEC(ExtendLease, "extend_lease")
HADAR_DEFINE_CODEC(LeaseEnded, "lease_ended")
HADAR_DEFINE_CODEC(Ack, "ack")

}  // namespace hadar
