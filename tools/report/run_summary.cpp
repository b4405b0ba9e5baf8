#include "tools/report/run_summary.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "launchers/node_busy_time.hpp"
#include "launchers/trained_time.hpp"

namespace hadar::report {
namespace {

// Walks the events once and keeps what is open.
class Summariser {
 public:
  RunSummary run(std::span<const Event> events) {
    const auto added = train_seconds_added(events);
    for (std::size_t i = 0; i < events.size(); ++i) {
      t_s_ = events[i].t_s;
      summary_.train_s += added[i];
      train_added_s_ = added[i];
      std::visit([this](const auto& body) { take(body); }, events[i].body);
    }
    finish();
    return std::move(summary_);
  }

 private:
  template <class Other>
  void take(const Other&) {}

  void take(const event::SchedulerStarted& body) {
    if (summary_.policy.empty()) summary_.policy = body.policy;
    summary_.round_s = body.round_s;
  }
  void take(const event::NodeUp& body) {
    nodes_.insert(body.inventory.name);
    std::uint32_t gpus = 0;
    for (const auto& group : body.inventory.gpus) gpus += group.count;
    if (gpus > 1) shared_nodes_.insert(body.inventory.name);
  }
  void take(const event::RoundOpened&) { ++summary_.rounds; }
  void take(const event::Submitted& body) {
    if (jobs_.empty()) summary_.first_submit_t_s = t_s_;
    auto& job = jobs_[body.job];
    job.job = body.job;
    job.name = body.spec.name;
    job.workload = body.spec.workload;
    job.steps_requested = body.spec.total_steps;
    job.submitted_t_s = t_s_;
  }
  void take(const event::LeasesGranted& body) {
    for (const auto& lease : body.leases) {
      open_[lease.id] = lease.fork;
      node_of_[lease.id] = lease.node;
      const auto job = jobs_.find(lease.fork.job);
      if (job == jobs_.end()) continue;
      if (!job->second.started_t_s) job->second.started_t_s = t_s_;
      job->second.state = JobState::kRunning;
    }
    for (auto& [id, job] : jobs_) job.forks_max = std::max(job.forks_max, open_forks(id));
  }
  void take(const event::ForkReported& body) {
    if (body.report.pace_missed_s > 0) ++summary_.pace_missed;
    summary_.pace_missed_s += body.report.pace_missed_s;
    if (const auto node = node_of_.find(body.report.lease); train_added_s_ > 0 && node != node_of_.end()) {
      if (shared_nodes_.contains(node->second))
        busy_.add(node->second, t_s_ - train_added_s_, t_s_);
      else
        alone_.add(t_s_ - train_added_s_, t_s_, 1);
    }
    if (body.report.end != LeaseEndReason::kRunning) open_.erase(body.report.lease);
  }
  void take(const event::LeaseClosed& body) { open_.erase(body.lease); }
  void take(const event::Consolidated& body) {
    for (const auto& fork : body.forks)
      if (!fork.open) open_.erase(fork.lease);  // settled, reported or not
    const auto job = jobs_.find(body.job);
    if (job == jobs_.end()) return;
    job->second.steps_credited += body.credited;
    const auto in = std::count_if(body.forks.begin(), body.forks.end(), [](const MergedFork& fork) { return fork.in; });
    if (in > 1) ++job->second.consolidations;
    note_metrics(body.job, body.metrics);
  }
  void take(const event::Completed& body) {
    note_metrics(body.job, body.metrics);
    end(body.job, JobState::kCompleted);
    alone_.pass();
  }
  void take(const event::Failed& body) { end(body.job, JobState::kFailed); }
  void take(const event::Cancelled& body) { end(body.job, JobState::kCancelled); }

  using MergedFork = event::MergedFork;

  [[nodiscard]] std::uint32_t open_forks(JobId job) const {
    std::set<std::uint32_t> forks;
    for (const auto& [lease, fork] : open_)
      if (fork.job == job) forks.insert(fork.fork);
    return static_cast<std::uint32_t>(forks.size());
  }
  void note_metrics(JobId job, const Metrics& metrics) {
    for (const auto& [name, value] : metrics) metrics_[job][name] = value;
  }
  void end(JobId id, JobState state) {
    const auto job = jobs_.find(id);
    if (job == jobs_.end()) return;
    job->second.state = state;
    job->second.finished_t_s = t_s_;
    if (state == JobState::kCompleted) job->second.jct_s = t_s_ - job->second.submitted_t_s;
  }

  static std::string chosen_metric(const Metrics& metrics) {
    for (const auto& [name, value] : metrics)
      if (metrics.count("baseline_" + name) != 0) return name;
    for (const auto* name : {"accuracy", "mse"})
      if (metrics.count(name) != 0) return name;
    return "";
  }

  void finish() {
    double jct_sum_s = 0;
    double completed = 0;
    for (auto& [id, job] : jobs_) {
      const auto& metrics = metrics_[id];
      job.metric_name = chosen_metric(metrics);
      if (const auto found = metrics.find(job.metric_name); found != metrics.end()) job.metric = found->second;
      if (const auto found = metrics.find("baseline_" + job.metric_name); found != metrics.end())
        job.baseline_metric = found->second;
      if (job.jct_s) {
        jct_sum_s += *job.jct_s;
        completed += 1;
        summary_.makespan_s = std::max(summary_.makespan_s, *job.finished_t_s - summary_.first_submit_t_s);
      }
      summary_.jobs.push_back(job);
    }
    summary_.nodes = static_cast<std::uint32_t>(nodes_.size());
    if (completed > 0) summary_.avg_jct_s = jct_sum_s / completed;
    const double capacity_s = summary_.nodes * summary_.makespan_s;
    const double last_s = summary_.first_submit_t_s + summary_.makespan_s;
    if (capacity_s > 0) summary_.cru = (alone_.until(last_s) + busy_.until(last_s)) / capacity_s;
  }

  RunSummary summary_;
  double t_s_ = 0;
  double train_added_s_ = 0;
  std::set<NodeName> nodes_;
  std::set<NodeName> shared_nodes_;  // with several GPUs
  TrainedTime alone_;                // on nodes of one GPU, where trainers cannot overlap
  NodeBusyTime busy_;                // on the others
  std::map<LeaseId, NodeName> node_of_;
  std::map<JobId, JobSummary> jobs_;
  std::map<JobId, Metrics> metrics_;
  std::map<LeaseId, ForkId> open_;
};

}  // namespace

std::vector<double> train_seconds_added(std::span<const Event> events) {
  std::vector<double> added(events.size());
  std::map<std::pair<LeaseId, std::uint64_t>, double> longest;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto* reported = std::get_if<event::ForkReported>(&events[i].body);
    if (!reported) continue;
    auto& known = longest[{reported->report.lease, reported->report.base.version}];
    added[i] = std::max(0.0, reported->report.train_s - known);
    known += added[i];
  }
  return added;
}

RunSummary summarise(std::span<const Event> events) {
  return Summariser().run(events);
}

}  // namespace hadar::report
