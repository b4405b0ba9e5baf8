// A scheduler's configuration as its actors take it: the same for live processes and simulated clusters.
#pragma once

#include "actors/scheduler/lease_keeper_actor.hpp"
#include "actors/scheduler/membership_actor.hpp"
#include "actors/scheduler/round_flow_actor.hpp"
#include "runtime/config/process_config.hpp"

namespace hadar {

inline LeaseKeeperOptions lease_keeper_options(const SchedulerOptions& told) {
  return {told.prepare_limit_s, told.request_limit_s};
}

inline MembershipOptions membership_options(const SchedulerOptions& told) {
  MembershipOptions options;
  options.table = {told.dead_after_s, told.waiting_window_s};
  options.round_s = told.round_s;
  options.outage_grace_s = told.outage_grace_s;
  options.request_limit_s = told.request_limit_s;
  return options;
}

// What the configuration says; traits of the policy and whatever belongs to one world are the caller's to add.
inline RoundFlowOptions round_flow_options(const SchedulerOptions& told) {
  RoundFlowOptions options;
  options.policy = told.policy;
  options.round_s = told.round_s;
  options.request_limit_s = told.request_limit_s;
  options.plan_limit_s = told.plan_limit_s;
  return options;
}

}  // namespace hadar
