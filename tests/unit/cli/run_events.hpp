// A short run by hand: two nodes, a forked job whose copies merge, and a job that waits.
#pragma once

#include <string>
#include <vector>

#include "messages/types/event.hpp"

namespace hadar::report {

class RunEvents {
 public:
  RunEvents& at(double t_s) {
    t_s_ = t_s;
    return *this;
  }
  RunEvents& add(EventBody body) {
    events.push_back({events.size() + 1, t_s_, std::move(body)});
    return *this;
  }
  RunEvents& node(const std::string& name, std::uint32_t gpus = 1) {
    event::NodeUp up;
    up.inventory.name = name;
    up.inventory.gpus = {{"V100", gpus}};
    return add(up);
  }
  RunEvents& submit(std::uint64_t job, const std::string& name, std::uint64_t steps) {
    event::Submitted submitted;
    submitted.job = {job};
    submitted.spec.name = name;
    submitted.spec.workload = "image";
    submitted.spec.total_steps = steps;
    return add(submitted);
  }
  RunEvents& grant(std::vector<Lease> leases) { return add(event::LeasesGranted{{1}, false, std::move(leases)}); }
  RunEvents& report(std::uint64_t lease, std::uint64_t job, std::uint64_t base, std::uint64_t steps, double train_s,
                    LeaseEndReason end, double pace_missed_s = 0) {
    event::ForkReported reported;
    reported.job = {job};
    reported.report.lease = {lease};
    reported.report.fork.job = {job};
    reported.report.base.version = base;
    reported.report.steps = steps;
    reported.report.train_s = train_s;
    reported.report.end = end;
    reported.report.pace_missed_s = pace_missed_s;
    return add(reported);
  }
  RunEvents& merge(std::uint64_t job, std::uint64_t version, std::vector<event::MergedFork> forks,
                   std::uint64_t credited, Metrics metrics = {}) {
    event::Consolidated merged;
    merged.job = {job};
    merged.version.version = version;
    merged.forks = std::move(forks);
    merged.credited = credited;
    merged.metrics = std::move(metrics);
    return add(merged);
  }

  static Lease lease(std::uint64_t id, std::uint64_t job, std::uint32_t fork, const std::string& node,
                     std::uint64_t quota) {
    Lease lease;
    lease.id = {id};
    lease.fork = {{job}, fork};
    lease.node = node;
    lease.gpus = {0};
    lease.gpu_types = {"V100"};
    lease.quota_steps = quota;
    return lease;
  }
  static event::MergedFork in(std::uint64_t lease, std::uint32_t fork, std::uint64_t steps) {
    return {{lease}, fork, steps, true, false, ""};
  }
  static event::MergedFork out(std::uint64_t lease, std::uint32_t fork, std::uint64_t steps) {
    return {{lease}, fork, steps, false, false, "late"};
  }

  std::vector<Event> events;

 private:
  double t_s_ = 0;
};

}  // namespace hadar::report
