#include "messages/codec/lease_codec.hpp"

#include "messages/codec/common_wire.hpp"
#include "messages/codec/lease_wire.hpp"
#include "messages/schema/lease.capnp.h"

namespace hadar::wire {

static void build(LeaseReport::Builder out, const hadar::LeaseReport& in) {
  out.setLease(in.lease.value);
  build(out.initFork(), in.fork);
  out.setNode(text(in.node));
  out.setEpoch(in.epoch.value);
  build(out.initBase(), in.base);
  out.setEnd(static_cast<LeaseEndReason>(in.end));
  out.setSteps(in.steps);
  out.setSamples(in.samples);
  build(out.initWeights(), in.weights);
  build_list(in.metrics, [&](auto size) { return out.initMetrics(size); });
  out.setTrainS(in.train_s);
  out.setPaceMissedS(in.pace_missed_s);
  out.setDetail(text(in.detail));
}

static hadar::LeaseReport read(LeaseReport::Reader in, const Where& at) {
  hadar::LeaseReport out;
  out.lease = read_id<LeaseId>(in.getLease(), at / "lease");
  out.fork = read(in.getFork(), at / "fork");
  out.node = read_name(in.getNode(), at / "node");
  out.epoch = Epoch{in.getEpoch()};
  out.base = read(in.getBase(), at / "base");
  out.end = read_enum<hadar::LeaseEndReason>(in.getEnd(), 0, 5, at / "end");
  out.steps = in.getSteps();
  out.samples = in.getSamples();
  out.weights = read(in.getWeights(), at / "weights");
  out.metrics = read_map(in.getMetrics(), at / "metrics");
  out.train_s = not_negative(in.getTrainS(), at / "train_s");
  out.pace_missed_s = not_negative(in.getPaceMissedS(), at / "pace_missed_s");
  out.detail = read_text(in.getDetail(), at / "detail");
  return out;
}

static void build(ReportAnswered::Builder out, const hadar::ReportAnswered& in) {
  out.setLease(in.lease.value);
  out.setVerdict(static_cast<ReportVerdict>(in.verdict));
  out.setText(text(in.text));
  build(out.initBase(), in.base);
}

static hadar::ReportAnswered read(ReportAnswered::Reader in, const Where& at) {
  hadar::ReportAnswered out;
  out.lease = read_id<LeaseId>(in.getLease(), at / "lease");
  out.verdict = read_enum<hadar::ReportVerdict>(in.getVerdict(), 1, 3, at / "verdict");
  out.text = read_text(in.getText(), at / "text");
  out.base = read(in.getBase(), at / "base");
  return out;
}

static void build(ProgressSampled::Builder out, const hadar::ProgressSampled& in) {
  out.setNode(text(in.node));
  build_list(in.samples, [&](auto size) { return out.initSamples(size); });
}

static hadar::ProgressSampled read(ProgressSampled::Reader in, const Where& at) {
  hadar::ProgressSampled out;
  out.node = read_name(in.getNode(), at / "node");
  out.samples = read_list(in.getSamples(), at / "samples");
  return out;
}

}  // namespace hadar::wire

namespace hadar {

HADAR_DEFINE_CODEC(LeaseReport, "lease_report")
HADAR_DEFINE_CODEC(ReportAnswered, "report_answered")
HADAR_DEFINE_CODEC(ProgressSampled, "progress_sampled")

}  // namespace hadar
