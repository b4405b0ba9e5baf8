// What a run achieved, from its events, as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launchers/learnt_steps.hpp"
#include "launchers/node_busy_time.hpp"
#include "launchers/trained_time.hpp"
#include "messages/types/event.hpp"

namespace hadar {

struct JobFigures {
  double submitted_t_s = 0;
  std::optional<double> started_t_s;    // first lease granted
  std::optional<double> completed_t_s;  // absent when it did not complete
  double isolated_s = 0;                // JCT on its share of the cluster; 0 = unknown
};

// All but counts are over completed jobs. Absent = nothing to tell it from.
struct RunFigures {
  std::uint64_t jobs = 0;
  std::uint64_t completed = 0;
  double makespan_s = 0;                   // first submission to last completion
  std::optional<double> makespan_bound_s;  // no scheduler can beat it; see makespan_bound.hpp
  std::optional<double> avg_jct_s, p50_jct_s, p99_jct_s;
  std::optional<double> avg_queueing_s;  // submission to first lease
  double gru = 0;                        // GPU time inside step loops within the makespan / (GPUs x makespan)
  double cru = 0;                        // time a node had a trainer inside its step loop / (nodes x makespan)
  double cru_held = 0;                   // the same of the time it was under lease: starts and saves count
  std::optional<double> ftf_max, ftf_avg;
  std::optional<double> cost;  // of GPU time under lease
  std::uint64_t steps_credited = 0;
  std::optional<double> steps_effective;  // what those were worth in truth; absent: no merge efficiency was given
  std::uint64_t preemptions = 0;
  std::uint64_t consolidations = 0;  // merges of two or more forks
  std::uint64_t rounds = 0;
  std::vector<JobFigures> by_job;  // in the order of submission
};

struct FigureOptions {
  std::vector<NodeInventory> nodes;
  std::map<GpuType, double> cost_per_gpu_h;  // a type that was used and is not here: no cost
  // Steps per second of a job on a share of 1/n of the cluster; n >= 1 need not be whole. Empty: no fairness figures.
  std::function<double(const JobSpec&, double n)> isolated_speed;
  std::optional<double> merge_efficiency;
  std::size_t first_measured = 0;  // figures count jobs from this one, in the order of submission
  std::size_t last_measured = SIZE_MAX;
};

// Feeds on the events of one run in their order.
//
// Finish-time fairness of a job is its JCT over its JCT on an isolated 1/n share (Themis, NSDI'20; Gavel, OSDI'20), n
// being the mean number of unfinished jobs while it was there. A preemption is a lease taken back from a job that has
// steps left whose GPU another job gets next.
class FigureCollector {
 public:
  explicit FigureCollector(FigureOptions options);

  void add(const Event& event);
  [[nodiscard]] RunFigures figures() const;

 private:
  struct Job {
    JobFigures times;
    std::shared_ptr<const JobSpec> spec;
    std::uint64_t credited = 0;
    double crowd_at_submit = 0;  // integral of unfinished jobs over time
  };
  struct OpenLease {
    Lease lease;
    double granted_t_s = 0;
    std::uint64_t base = 0;  // version its last report counts from
    double trained_s = 0;    // at that base
  };
  using Gpu = std::pair<NodeName, std::uint32_t>;

  void take(const event::Submitted& e);
  void take(const event::LeasesGranted& e);
  void take(const event::ForkReported& e);
  void take(const event::LeaseClosed& e);
  void take(const event::Consolidated& e);
  void take(const event::Completed& e);
  void take(const event::Failed& e) { leave(e.job); }
  void take(const event::Cancelled& e) { leave(e.job); }
  void take(const event::RoundOpened&) { ++rounds_; }
  template <class Other>
  void take(const Other&) {}
  void leave(JobId job);
  void end_lease(std::map<LeaseId, OpenLease>::iterator lease);
  void pass_time(double t_s);
  [[nodiscard]] double isolated_of(const Job& job) const;

  FigureOptions options_;
  double now_s_ = 0;
  double crowd_ = 0;  // integral of unfinished jobs over time
  std::uint64_t unfinished_ = 0;
  std::vector<Job> jobs_;  // by id, from 1
  std::map<LeaseId, OpenLease> leases_;
  std::map<Gpu, std::pair<ForkId, LeaseId>> taken_back_;  // GPUs whose last lease was revoked
  NodeBusyTime busy_;
  NodeBusyTime held_;
  TrainedTime gpu_trained_;  // up to the last completion
  std::map<GpuType, double> gpu_held_s_;
  std::uint64_t preemptions_ = 0;
  LearntSteps learnt_;
  std::uint64_t consolidations_ = 0;
  std::uint64_t rounds_ = 0;
};

}  // namespace hadar
