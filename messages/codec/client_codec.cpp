#include "messages/codec/client_codec.hpp"

#include "messages/codec/cluster_wire.hpp"
#include "messages/codec/common_wire.hpp"
#include "messages/codec/job_wire.hpp"
#include "messages/codec/utf8.hpp"
#include "messages/schema/client.capnp.h"

namespace hadar::wire {

static void build(SubmitJob::Builder out, const hadar::SubmitJob& in) {
  build(out.initSpec(), in.spec);
  out.setKey(text(in.key));
  out.setKeepInfeasible(in.keep_infeasible);
}

static hadar::SubmitJob read(SubmitJob::Reader in, const Where& at) {
  hadar::SubmitJob out;
  out.spec = read(in.getSpec(), at / "spec");
  out.key = read_optional_name(in.getKey(), at / "key");
  out.keep_infeasible = in.getKeepInfeasible();
  return out;
}

static void build(JobSubmitted::Builder out, const hadar::JobSubmitted& in) {
  out.setJob(in.job.value);
  out.setExisted(in.existed);
  build(out.initReason(), in.reason);
}

static hadar::JobSubmitted read(JobSubmitted::Reader in, const Where& at) {
  hadar::JobSubmitted out;
  out.job = read_id<JobId>(in.getJob(), at / "job");
  out.existed = in.getExisted();
  out.reason = read(in.getReason(), at / "reason");
  return out;
}

static void build(CommandJob::Builder out, const hadar::CommandJob& in) {
  out.setJob(text(in.job));
  out.setAction(static_cast<JobAction>(in.action));
}

static hadar::CommandJob read(CommandJob::Reader in, const Where& at) {
  hadar::CommandJob out;
  out.job = read_name(in.getJob(), at / "job");
  out.action = read_enum<hadar::JobAction>(in.getAction(), 1, 3, at / "action");
  return out;
}

static void build(QueryJobs::Builder out, const hadar::QueryJobs& in) {
  out.setJob(text(in.job));
  out.setAll(in.all);
}

static hadar::QueryJobs read(QueryJobs::Reader in, const Where& at) {
  hadar::QueryJobs out;
  out.job = read_optional_name(in.getJob(), at / "job");
  out.all = in.getAll();
  return out;
}

static void build(JobList::Builder out, const hadar::JobList& in) {
  build_list(in.jobs, [&](auto size) { return out.initJobs(size); });
  out.setNowS(in.now_s);
}

static hadar::JobList read(JobList::Reader in, const Where& at) {
  hadar::JobList out;
  out.jobs = read_list(in.getJobs(), at / "jobs");
  out.now_s = not_negative(in.getNowS(), at / "now_s");
  return out;
}

static void build(QueryNodes::Builder, const hadar::QueryNodes&) {}

static hadar::QueryNodes read(QueryNodes::Reader, const Where&) {
  return {};
}

static void build(NodeList::Builder out, const hadar::NodeList& in) {
  build_list(in.nodes, [&](auto size) { return out.initNodes(size); });
  out.setRound(in.round.value);
  out.setRoundS(in.round_s);
  out.setWindowS(in.window_s);
  out.setPolicy(text(in.policy));
}

static hadar::NodeList read(NodeList::Reader in, const Where& at) {
  hadar::NodeList out;
  out.nodes = read_list(in.getNodes(), at / "nodes");
  out.round = RoundId{in.getRound()};
  out.round_s = not_negative(in.getRoundS(), at / "round_s");
  out.window_s = not_negative(in.getWindowS(), at / "window_s");
  out.policy = read_optional_name(in.getPolicy(), at / "policy");
  return out;
}

static void build(CommandNode::Builder out, const hadar::CommandNode& in) {
  out.setNode(text(in.node));
  out.setAction(static_cast<NodeAction>(in.action));
  out.setReason(text(in.reason));
  out.setDeadlineS(in.deadline_s);
}

// Tables and logs show it to everyone.
static std::string read_reason(capnp::Text::Reader value, const Where& at) {
  auto reason = read_text(value, at);
  if (has_control(reason)) refuse(at, reason, "must have no control characters");
  if (!is_utf8(reason)) refuse(at, std::to_string(reason.size()) + " bytes", "must be UTF-8");
  return reason;
}

static hadar::CommandNode read(CommandNode::Reader in, const Where& at) {
  hadar::CommandNode out;
  out.node = read_name(in.getNode(), at / "node");
  out.action = read_enum<hadar::NodeAction>(in.getAction(), 1, 3, at / "action");
  out.reason = read_reason(in.getReason(), at / "reason");
  out.deadline_s = not_negative(in.getDeadlineS(), at / "deadline_s");
  return out;
}

static void build(QueryEvents::Builder out, const hadar::QueryEvents& in) {
  out.setAfterSeq(in.after_seq);
  out.setLimit(in.limit);
}

static hadar::QueryEvents read(QueryEvents::Reader in, const Where& at) {
  hadar::QueryEvents out;
  out.after_seq = in.getAfterSeq();
  out.limit = at_least_one(in.getLimit(), at / "limit");
  return out;
}

static void build(EventPage::Builder out, const hadar::EventPage& in) {
  build_list(in.events, [&](auto size) { return out.initEvents(size); });
  out.setLastSeq(in.last_seq);
}

static hadar::EventPage read(EventPage::Reader in, const Where& at) {
  hadar::EventPage out;
  out.events = read_texts(in.getEvents(), at / "events");
  out.last_seq = in.getLastSeq();
  return out;
}

static void build(QueryLog::Builder out, const hadar::QueryLog& in) {
  out.setJob(in.job.value);
  out.setFork(in.fork);
  out.setNode(text(in.node));
  out.setOffset(in.offset);
  out.setMaxBytes(in.max_bytes);
}

static hadar::QueryLog read(QueryLog::Reader in, const Where& at) {
  hadar::QueryLog out;
  out.job = read_id<JobId>(in.getJob(), at / "job");
  out.fork = in.getFork();
  out.node = read_optional_name(in.getNode(), at / "node");
  out.offset = in.getOffset();
  out.max_bytes = at_least_one(in.getMaxBytes(), at / "max_bytes");
  return out;
}

static void build(LogPart::Builder out, const hadar::LogPart& in) {
  out.setNode(text(in.node));
  out.setOffset(in.offset);
  out.setText(data(in.text));
  out.setMore(in.more);
}

static hadar::LogPart read(LogPart::Reader in, const Where& at) {
  hadar::LogPart out;
  out.node = read_optional_name(in.getNode(), at / "node");
  out.offset = in.getOffset();
  out.text = read_log(in.getText(), at / "text");
  out.more = in.getMore();
  return out;
}

static void build(QueryHealth::Builder, const hadar::QueryHealth&) {}

static hadar::QueryHealth read(QueryHealth::Reader, const Where&) {
  return {};
}

static void build(ProcessHealth::Builder out, const hadar::ProcessHealth& in) {
  out.setName(text(in.name));
  out.setReachable(in.reachable);
  out.setPid(in.pid);
  out.setUpS(in.up_s);
  build_list(in.counters, [&](auto size) { return out.initCounters(size); });
}

static hadar::ProcessHealth read(ProcessHealth::Reader in, const Where& at) {
  hadar::ProcessHealth out;
  out.name = read_name(in.getName(), at / "name");
  out.reachable = in.getReachable();
  out.pid = in.getPid();
  out.up_s = not_negative(in.getUpS(), at / "up_s");
  out.counters = read_counts(in.getCounters(), at / "counters");
  return out;
}

static void build(ClusterHealth::Builder out, const hadar::ClusterHealth& in) {
  out.setClusterId(text(in.cluster_id));
  build_list(in.processes, [&](auto size) { return out.initProcesses(size); });
}

static hadar::ClusterHealth read(ClusterHealth::Reader in, const Where& at) {
  hadar::ClusterHealth out;
  out.cluster_id = read_optional_name(in.getClusterId(), at / "cluster_id");
  out.processes = read_list(in.getProcesses(), at / "processes");
  return out;
}

}  // namespace hadar::wire

namespace hadar {

HADAR_DEFINE_CODEC(SubmitJob, "submit_job")
HADAR_DEFINE_CODEC(JobSubmitted, "job_submitted")
HADAR_DEFINE_CODEC(CommandJob, "command_job")
HADAR_DEFINE_CODEC(QueryJobs, "query_jobs")
HADAR_DEFINE_CODEC(JobList, "job_list")
HADAR_DEFINE_CODEC(QueryNodes, "query_nodes")
HADAR_DEFINE_CODEC(NodeList, "node_list")
HADAR_DEFINE_CODEC(CommandNode, "command_node")
HADAR_DEFINE_CODEC(QueryEvents, "query_events")
HADAR_DEFINE_CODEC(EventPage, "event_page")
HADAR_DEFINE_CODEC(QueryLog, "query_log")
HADAR_DEFINE_CODEC(LogPart, "log_part")
HADAR_DEFINE_CODEC(QueryHealth, "query_health")
HADAR_DEFINE_CODEC(ProcessHealth, "process_health")
HADAR_DEFINE_CODEC(ClusterHealth, "cluster_health")

}  // namespace hadar
