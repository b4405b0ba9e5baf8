#include "messages/codec/tracker_codec.hpp"

#include "messages/codec/cluster_wire.hpp"
#include "messages/codec/common_wire.hpp"
#include "messages/codec/event_json.hpp"
#include "messages/codec/lease_wire.hpp"
#include "messages/codec/round_wire.hpp"
#include "messages/schema/tracker.capnp.h"

namespace hadar::wire {
namespace {

struct IsNodeFact {
  bool operator()(const event::NodeUp&) const { return true; }
  bool operator()(const event::NodeLost&) const { return true; }
  bool operator()(const event::NodeDraining&) const { return true; }
  bool operator()(const event::NodeDrained&) const { return true; }
  bool operator()(const event::NodeUndrained&) const { return true; }
  bool operator()(const event::NodeForgotten&) const { return true; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

EventBody read_node_fact(capnp::Text::Reader value, const Where& at) {
  auto fact = event_body_from_json({value.begin(), value.size()});
  if (!fact) refuse(at, {value.begin(), value.size()}, fact.error().message);
  if (!std::visit(IsNodeFact{}, *fact)) refuse(at, kind_of(*fact), "must be a fact about a node");
  return std::move(*fact);
}

}  // namespace

static void build(OpenTerm::Builder out, const hadar::OpenTerm& in) {
  out.setPolicy(text(in.policy));
  out.setRoundS(in.round_s);
  out.setIncarnation(in.incarnation);
}

static hadar::OpenTerm read(OpenTerm::Reader in, const Where& at) {
  hadar::OpenTerm out;
  out.policy = read_name(in.getPolicy(), at / "policy");
  out.round_s = positive(in.getRoundS(), at / "round_s");
  out.incarnation = in.getIncarnation();
  return out;
}

static void build(TermOpened::Builder out, const hadar::TermOpened& in) {
  out.setTerm(in.term.value);
  out.setLastRound(in.last_round.value);
  out.setLastLease(in.last_lease.value);
  out.setMemory(data(in.memory));
  build_list(in.open_leases, [&](auto size) { return out.initOpenLeases(size); });
  build_list(in.nodes, [&](auto size) { return out.initNodes(size); });
  out.setNowS(in.now_s);
}

static hadar::TermOpened read(TermOpened::Reader in, const Where& at) {
  hadar::TermOpened out;
  out.term = Term{in.getTerm()};
  out.last_round = RoundId{in.getLastRound()};
  out.last_lease = LeaseId{in.getLastLease()};
  out.memory = read_memory(in.getMemory(), at / "memory");
  out.open_leases = read_list(in.getOpenLeases(), at / "open_leases");
  out.nodes = read_list(in.getNodes(), at / "nodes");
  out.now_s = not_negative(in.getNowS(), at / "now_s");
  return out;
}

static void build(ViewJobs::Builder out, const hadar::ViewJobs& in) {
  out.setRound(in.round.value);
  out.setPairs(in.pairs);
}

static hadar::ViewJobs read(ViewJobs::Reader in, const Where&) {
  hadar::ViewJobs out;
  out.round = RoundId{in.getRound()};
  out.pairs = in.getPairs();
  return out;
}

static void build(JobsViewed::Builder out, const hadar::JobsViewed& in) {
  build_list(in.jobs, [&](auto size) { return out.initJobs(size); });
  build_list(in.unwanted, [&](auto size) { return out.initUnwanted(size); });
  out.setNowS(in.now_s);
  build_list(in.pairs, [&](auto size) { return out.initPairs(size); });
}

static hadar::JobsViewed read(JobsViewed::Reader in, const Where& at) {
  hadar::JobsViewed out;
  out.jobs = read_shared_list(in.getJobs(), at / "jobs");
  out.unwanted = read_ids<LeaseId>(in.getUnwanted(), at / "unwanted");
  out.now_s = not_negative(in.getNowS(), at / "now_s");
  out.pairs = read_list(in.getPairs(), at / "pairs");
  check_pairs(out.pairs, at / "pairs");
  return out;
}

static void build(RecordPlan::Builder out, const hadar::RecordPlan& in) {
  out.setTerm(in.term.value);
  out.setRound(in.round.value);
  out.setEarly(in.early);
  out.setPolicy(text(in.policy));
  build_list(in.prices, [&](auto size) { return out.initPrices(size); });
  build_list(in.leases, [&](auto size) { return out.initLeases(size); });
  build_list(in.outcomes, [&](auto size) { return out.initOutcomes(size); });
  if (in.memory) out.setMemory(data(*in.memory));
}

static hadar::RecordPlan read(RecordPlan::Reader in, const Where& at) {
  hadar::RecordPlan out;
  out.term = Term{in.getTerm()};
  out.round = RoundId{in.getRound()};
  out.early = in.getEarly();
  out.policy = read_name(in.getPolicy(), at / "policy");
  out.prices = read_map(in.getPrices(), at / "prices", not_negative);
  out.leases = read_list(in.getLeases(), at / "leases");
  out.outcomes = read_list(in.getOutcomes(), at / "outcomes");
  if (in.hasMemory()) out.memory = read_memory(in.getMemory(), at / "memory");
  return out;
}

static void build(PlanRecorded::Builder out, const hadar::PlanRecorded& in) {
  build_list(in.leases, [&](auto size) { return out.initLeases(size); });
  build_list(in.refused, [&](auto size) { return out.initRefused(size); });
}

static hadar::PlanRecorded read(PlanRecorded::Reader in, const Where& at) {
  hadar::PlanRecorded out;
  out.leases = read_list(in.getLeases(), at / "leases");
  out.refused = read_list(in.getRefused(), at / "refused");
  return out;
}

static void build(RecordExtension::Builder out, const hadar::RecordExtension& in) {
  out.setTerm(in.term.value);
  out.setLease(in.lease.value);
  out.setJob(in.job.value);
  out.setQuotaSteps(in.quota_steps);
}

static hadar::RecordExtension read(RecordExtension::Reader in, const Where& at) {
  hadar::RecordExtension out;
  out.term = Term{in.getTerm()};
  out.lease = read_id<LeaseId>(in.getLease(), at / "lease");
  out.job = read_id<JobId>(in.getJob(), at / "job");
  out.quota_steps = at_least_one(in.getQuotaSteps(), at / "quota_steps");
  return out;
}

static void build(CloseLeases::Builder out, const hadar::CloseLeases& in) {
  build_list(in.leases, [&](auto size) { return out.initLeases(size); });
  out.setReason(text(in.reason));
}

static hadar::CloseLeases read(CloseLeases::Reader in, const Where& at) {
  hadar::CloseLeases out;
  out.leases = read_ids<LeaseId>(in.getLeases(), at / "leases");
  out.reason = read_text(in.getReason(), at / "reason");
  return out;
}

static void build(RecordNode::Builder out, const hadar::RecordNode& in) {
  out.setFact(text(event_body_to_json(in.fact)));
  out.setTerm(in.term.value);
  out.setNumber(in.number);
}

static hadar::RecordNode read(RecordNode::Reader in, const Where& at) {
  hadar::RecordNode out;
  out.fact = read_node_fact(in.getFact(), at / "fact");
  out.term = Term{in.getTerm()};
  out.number = in.getNumber();
  return out;
}

static void build(JobAdvanced::Builder out, const hadar::JobAdvanced& in) {
  out.setJob(in.job.value);
  out.setFinished(in.finished);
  out.setStepsLeft(in.steps_left);
}

static hadar::JobAdvanced read(JobAdvanced::Reader in, const Where& at) {
  hadar::JobAdvanced out;
  out.job = read_id<JobId>(in.getJob(), at / "job");
  out.finished = in.getFinished();
  out.steps_left = in.getStepsLeft();
  return out;
}

}  // namespace hadar::wire

namespace hadar {

HADAR_DEFINE_CODEC(OpenTerm, "open_term")
HADAR_DEFINE_CODEC(TermOpened, "term_opened")
HADAR_DEFINE_CODEC(ViewJobs, "view_jobs")
HADAR_DEFINE_CODEC(JobsViewed, "jobs_viewed")
HADAR_DEFINE_CODEC(RecordPlan, "record_plan")
HADAR_DEFINE_CODEC(PlanRecorded, "plan_recorded")
HADAR_DEFINE_CODEC(RecordExtension, "record_extension")
HADAR_DEFINE_CODEC(CloseLeases, "close_leases")
HADAR_DEFINE_CODEC(RecordNode, "record_node")
HADAR_DEFINE_CODEC(JobAdvanced, "job_advanced")

}  // namespace hadar
