// Jobs, leases and reports in few words.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/local_messages.hpp"

namespace hadar {

inline JobSpec some_job(std::uint64_t steps = 100, std::uint32_t gpus = 1) {
  JobSpec spec;
  spec.name = "job";
  spec.workload = "sleep";
  spec.model = "sleep";
  spec.total_steps = steps;
  spec.gpus = gpus;
  return spec;
}

inline NodeInventory some_node(const std::string& name, std::uint32_t gpus = 1) {
  return NodeInventory{name, {{"V100", gpus}}, 0, 0, true};
}

// A lease of GPU 0; train_for_s 0 = it renews.
inline Lease some_lease(std::uint64_t id, std::uint64_t job, std::uint32_t fork, const std::string& node,
                        std::uint64_t quota, double train_for_s = 0) {
  Lease lease;
  lease.id = LeaseId{id};
  lease.fork = ForkId{JobId{job}, fork};
  lease.node = node;
  lease.gpus = {0};
  lease.gpu_types = {"V100"};
  lease.quota_steps = quota;
  lease.train_for_s = train_for_s;
  return lease;
}

inline LeaseReport some_report(const Lease& lease, std::uint64_t steps, LeaseEndReason end = LeaseEndReason::kQuota) {
  LeaseReport report;
  report.lease = lease.id;
  report.fork = lease.fork;
  report.node = lease.node;
  report.epoch = lease.epoch;
  report.base = lease.base;
  report.end = end;
  report.steps = steps;
  report.samples = steps * 32;
  report.train_s = static_cast<double>(steps) / 10;
  return report;
}

inline event::MergedFork in_fork(const LeaseReport& report, bool open = false) {
  return {report.lease, report.fork.fork, report.steps, true, open, ""};
}

}  // namespace hadar
