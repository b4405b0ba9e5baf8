#include "runtime/config/option_visitor.hpp"

namespace hadar {
namespace {

constexpr NumberRange kSeconds{0, 86400, true};
constexpr NumberRange kSecondsOrNone{0, 86400};
constexpr NumberRange kMegabytes{0, 1e9, true};
constexpr NumberRange kScale{1e-6, 1e6};
constexpr NumberRange kBandwidth{0, 1e6};

void visit(OptionVisitor& v, ClusterOptions& c) {
  v.section("cluster", "What all processes of a cluster agree on.");
  v.name("id", c.id, "The cluster's name; processes that say another one are refused.");
  v.flag("allow_plain_remote", c.allow_plain_remote,
         "Allow listening where other hosts can reach this process, though traffic is not encrypted.");
}

void visit(OptionVisitor& v, ProcessOptions& c) {
  v.section("process", "This process.");
  v.name("name", c.name, "Its name, unique in the cluster; empty: picked from its roles.");
  v.choices("roles", c.roles, known_roles(), "What it is.");
  v.endpoint("listen", c.listen, "Where it listens: tcp://HOST:PORT (port * picks a free one) or ipc://PATH.");
  v.endpoint("advertise", c.advertise, "The endpoint others reach it by; empty: the one it listens on.");
  v.path("state", c.state, "Its own folder for events, model versions and logs; never shared.");
  v.choice("log_level", c.log_level, {"debug", "info", "warning", "error", "off"}, "The least that goes into its log.");
}

void visit(OptionVisitor& v, PeerOptions& c) {
  v.section("peers", "Roles in other processes; empty: learned from the peers that are given.");
  v.endpoint("scheduler", c.scheduler, "The scheduler's endpoint.");
  v.endpoint("price_oracle", c.price_oracle, "The price oracle's endpoint.");
  v.endpoint("job_tracker", c.job_tracker, "The job tracker's endpoint.");
  v.endpoint("policy", c.policy, "The endpoint of a policy in a process of its own.");
  v.endpoint("gateway", c.gateway, "The gateway's endpoint.");
}

void visit(OptionVisitor& v, SchedulerOptions& c) {
  v.section("scheduler", "For the role scheduler.");
  v.name("policy", c.policy, "Who decides each round; `hadar policies` lists them.");
  v.number("round_s", c.round_s, kSeconds, "Seconds from one round's border to the next.");
  v.number("dead_after_s", c.dead_after_s, kSeconds, "Seconds a node's link may be down before the node is lost.");
  v.number("waiting_window_s", c.waiting_window_s, kSecondsOrNone,
           "Seconds that nodes known from before a restart have to come back.");
  v.number("prepare_limit_s", c.prepare_limit_s, kSeconds,
           "Seconds for all nodes of a gang to accept their leases; else the gang is revoked.");
  v.number("request_limit_s", c.request_limit_s, kSeconds, "Seconds to wait for any other answer.");
  v.number("plan_limit_s", c.plan_limit_s, kSeconds, "Seconds a policy may take for a plan.");
  v.number("outage_grace_s", c.outage_grace_s, kSecondsOrNone, "Seconds nodes train on without a scheduler.");
}

void visit(OptionVisitor& v, TrackerOptions& c) {
  v.section("tracker", "For the role job-tracker.");
  v.number("merge_grace_s", c.merge_grace_s, kSecondsOrNone,
           "Seconds after the border that a merge waits for late forks.");
  v.count("max_failures", c.max_failures, {1, 1e6},
          "Failures in a row, of one trainer or of a gang as a whole, at which a job has failed.");
  v.path("throughputs", c.throughputs, "CSV table of declared speeds; empty: none.");
  v.number("time_scale", c.time_scale, kScale, "Factor from the table's speeds to this cluster's.");
}

void visit(OptionVisitor& v, NodeOptions& c) {
  v.section("node", "For the role node-worker.");
  v.gpus("gpus", c.gpus, "GPUs of this machine, like [{type = \"V100\", count = 2}]; empty: ask the driver.");
  v.number("pcie_gb_s", c.pcie_gb_s, kBandwidth, "GB/s from host to GPU, one direction; 0: unknown.");
  v.number("net_gb_s", c.net_gb_s, kBandwidth, "GB/s to other nodes; 0: unknown.");
  v.flag("emulated", c.emulated, "The GPUs are declared types, played by pacing real training on whatever is here.");
  v.path("throughputs", c.throughputs, "CSV table of speeds that emulated GPUs follow; empty: only what jobs declare.");
  v.number("time_scale", c.time_scale, kScale, "Factor from the table's speeds to the emulated ones.");
  v.path("data", c.data, "Datasets of the bundled trainer; empty: its default folder.");
  v.path("trainer", c.trainer, "The bundled trainer; empty: hadar-trainer beside hadard.");
  v.number("log_cap_mb_per_job", c.log_cap_mb_per_job, kMegabytes, "MB of trainer output kept of one job.");
  v.number("log_cap_mb", c.log_cap_mb, kMegabytes, "MB of trainer output kept of all jobs.");
  v.number("stop_grace_s", c.stop_grace_s, kSeconds, "Seconds a trainer has to stop before it is killed.");
  v.number("step_limit_s", c.step_limit_s, kSecondsOrNone,
           "Seconds without a step after which a trainer counts as hung, and its lease as failed; 0: never.");
  v.number("blob_cache_mb", c.blob_cache_mb, kMegabytes, "MB of model versions kept beside those in use.");
}

void visit(OptionVisitor& v, TransportSettings& c) {
  v.section("transport", "Links between processes.");
  v.number("ping_s", c.ping_s, kSeconds, "Seconds of silence after which a link is pinged.");
  v.number("silence_s", c.silence_s, kSeconds, "Seconds of silence after which a link is down; above ping_s.");
  v.number("linger_s", c.linger_s, {0, 0.5}, "Seconds unsent bytes may hold up the exit.");
  v.count("high_water", c.high_water, {16, 1e6}, "Messages that may wait for one peer; more are refused.");
  v.number("handshake_s", c.handshake_s, kSeconds, "Seconds a handshake may take.");
  v.number("reconnect_min_s", c.reconnect_min_s, {0.001, 3600}, "Seconds between the first attempts to connect.");
  v.number("reconnect_max_s", c.reconnect_max_s, {0.001, 3600}, "Seconds between attempts after many failed.");
}

void visit(OptionVisitor& v, PriceOptions& c) {
  v.section("prices", "For the role price-oracle.");
  v.choice("form", c.form, {"clearing", "exponential"},
           "How prices follow demand: clearing (demand meets the installed GPUs) or exponential (Hadar's curve).");
  v.number("smoothing", c.smoothing, {0, 1}, "Weight of a round's new price bounds against the last ones.");
}

}  // namespace

const std::vector<std::string>& known_roles() {
  static const std::vector<std::string> kRoles{"scheduler",   "price-oracle", "job-tracker",
                                               "node-worker", "policy",       "gateway"};
  return kRoles;
}

void visit_options(OptionVisitor& visitor, ProcessConfig& config) {
  visit(visitor, config.cluster);
  visit(visitor, config.process);
  visit(visitor, config.peers);
  visit(visitor, config.scheduler);
  visit(visitor, config.tracker);
  visit(visitor, config.node);
  visit(visitor, config.transport);
  visit(visitor, config.prices);
  visitor.open_section("policy", config.policy,
                       "Settings of the policy: text, numbers, true or false. The policy knows its keys.");
}

}  // namespace hadar
