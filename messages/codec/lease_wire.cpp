#include "messages/codec/lease_wire.hpp"

#include "messages/codec/common_wire.hpp"
#include "messages/codec/job_wire.hpp"

namespace hadar::wire {

void build(GangSlot::Builder out, const hadar::GangSlot& in) {
  out.setRank(in.rank);
  out.setWorldSize(in.world_size);
  out.setRendezvous(text(in.rendezvous));
}

hadar::GangSlot read(GangSlot::Reader in, const Where& at) {
  hadar::GangSlot out;
  out.rank = in.getRank();
  out.world_size = gang_size(in.getWorldSize(), at / "world_size");
  out.rendezvous = read_optional_name(in.getRendezvous(), at / "rendezvous");
  if (out.rank >= out.world_size)
    refuse(at / "rank", out.rank, "must be below world_size " + std::to_string(out.world_size));
  return out;
}

void build(Lease::Builder out, const hadar::Lease& in) {
  out.setId(in.id.value);
  build(out.initFork(), in.fork);
  out.setNode(text(in.node));
  build_list(in.gpus, [&](auto size) { return out.initGpus(size); });
  build_list(in.gpu_types, [&](auto size) { return out.initGpuTypes(size); });
  out.setQuotaSteps(in.quota_steps);
  out.setTrainForS(in.train_for_s);
  build(out.initBase(), in.base);
  out.setFirstStep(in.first_step);
  out.setRound(in.round.value);
  out.setTerm(in.term.value);
  out.setEpoch(in.epoch.value);
  build(out.initGang(), in.gang);
  if (in.spec) build(out.initSpec(), *in.spec);
  out.setSharesWith(in.shares_with.value);
}

hadar::Lease read(Lease::Reader in, const Where& at) {
  hadar::Lease out;
  out.id = read_id<LeaseId>(in.getId(), at / "id");
  out.fork = read(in.getFork(), at / "fork");
  out.node = read_name(in.getNode(), at / "node");
  out.gpus = read_gpus(in.getGpus(), at / "gpus");
  out.gpu_types = read_names(in.getGpuTypes(), at / "gpu_types");
  out.quota_steps = at_least_one(in.getQuotaSteps(), at / "quota_steps");
  out.train_for_s = not_negative(in.getTrainForS(), at / "train_for_s");
  out.base = read(in.getBase(), at / "base");
  out.first_step = in.getFirstStep();
  out.round = RoundId{in.getRound()};
  out.term = Term{in.getTerm()};
  out.epoch = Epoch{in.getEpoch()};
  out.gang = read(in.getGang(), at / "gang");
  if (in.hasSpec()) out.spec = std::make_shared<const hadar::JobSpec>(read(in.getSpec(), at / "spec"));
  out.shares_with = JobId{in.getSharesWith()};
  if (out.gpu_types.size() != out.gpus.size())
    refuse(at / "gpu_types", std::to_string(out.gpu_types.size()) + " entries", "must be one for each of gpus");
  return out;
}

void build(ProgressSample::Builder out, const hadar::ProgressSample& in) {
  out.setLease(in.lease.value);
  out.setSteps(in.steps);
  out.setTrainS(in.train_s);
}

hadar::ProgressSample read(ProgressSample::Reader in, const Where& at) {
  hadar::ProgressSample out;
  out.lease = read_id<LeaseId>(in.getLease(), at / "lease");
  out.steps = in.getSteps();
  out.train_s = not_negative(in.getTrainS(), at / "train_s");
  return out;
}

void build(HeldLease::Builder out, const hadar::HeldLease& in) {
  build(out.initLease(), in.lease);
  out.setOver(in.over);
}

hadar::HeldLease read(HeldLease::Reader in, const Where& at) {
  hadar::HeldLease out;
  out.lease = read(in.getLease(), at / "lease");
  out.over = in.getOver();
  return out;
}

void build(PreparedLease::Builder out, const hadar::PreparedLease& in) {
  out.setLease(in.lease.value);
  out.setRendezvous(text(in.rendezvous));
}

hadar::PreparedLease read(PreparedLease::Reader in, const Where& at) {
  hadar::PreparedLease out;
  out.lease = read_id<LeaseId>(in.getLease(), at / "lease");
  out.rendezvous = read_optional_name(in.getRendezvous(), at / "rendezvous");
  return out;
}

void build(RefusedLease::Builder out, const hadar::RefusedLease& in) {
  out.setLease(in.lease.value);
  out.setReason(text(in.reason));
}

hadar::RefusedLease read(RefusedLease::Reader in, const Where& at) {
  hadar::RefusedLease out;
  out.lease = read_id<LeaseId>(in.getLease(), at / "lease");
  out.reason = read_text(in.getReason(), at / "reason");
  return out;
}

}  // namespace hadar::wire
