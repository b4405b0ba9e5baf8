#include "launchers/simulation_figures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace hadar {
namespace {

// The value below which a part of the sorted values lies, between neighbours.
double quantile(const std::vector<double>& sorted, double part) {
  const auto place = part * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const auto high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

FigureCollector::FigureCollector(FigureOptions options)
    : options_(std::move(options)), learnt_(options_.merge_efficiency.value_or(1)) {}

void FigureCollector::pass_time(double t_s) {
  crowd_ += static_cast<double>(unfinished_) * (t_s - now_s_);
  now_s_ = t_s;
}

void FigureCollector::add(const Event& event) {
  pass_time(event.t_s);
  std::visit([this](const auto& body) { take(body); }, event.body);
}

void FigureCollector::take(const event::Submitted& e) {
  if (jobs_.size() < e.job.value) jobs_.resize(e.job.value);
  auto& job = jobs_[e.job.value - 1];
  job.times.submitted_t_s = now_s_;
  job.spec = std::make_shared<const JobSpec>(e.spec);
  job.crowd_at_submit = crowd_;
  ++unfinished_;
}

void FigureCollector::take(const event::LeasesGranted& e) {
  std::set<LeaseId> preempted;
  for (const auto& lease : e.leases) {
    auto& times = jobs_.at(lease.fork.job.value - 1).times;
    if (!times.started_t_s) times.started_t_s = now_s_;
    for (const auto gpu : lease.gpus) {
      const auto last = taken_back_.find({lease.node, gpu});
      if (last == taken_back_.end()) continue;
      if (last->second.first.job != lease.fork.job) preempted.insert(last->second.second);
      taken_back_.erase(last);
    }
    leases_[lease.id] = OpenLease{lease, now_s_, lease.base.version, 0};
  }
  preemptions_ += preempted.size();
}

void FigureCollector::take(const event::ForkReported& e) {
  const auto found = leases_.find(e.report.lease);
  if (found == leases_.end()) return;
  auto& lease = found->second;
  if (lease.base != e.report.base.version) {
    lease.base = e.report.base.version;
    lease.trained_s = 0;
  }
  const auto more_s = std::max(0.0, e.report.train_s - lease.trained_s);
  lease.trained_s += more_s;
  gpu_trained_.add(now_s_ - more_s, now_s_, static_cast<double>(lease.lease.gpus.size()));
  if (more_s > 0) busy_.add(lease.lease.node, now_s_ - more_s, now_s_);
  if (e.report.end == LeaseEndReason::kRunning) return;
  if (e.report.end == LeaseEndReason::kRevoked)
    for (const auto gpu : lease.lease.gpus) taken_back_[{lease.lease.node, gpu}] = {lease.lease.fork, e.report.lease};
  end_lease(found);
}

void FigureCollector::take(const event::LeaseClosed& e) {
  if (const auto found = leases_.find(e.lease); found != leases_.end()) end_lease(found);
}

void FigureCollector::end_lease(std::map<LeaseId, OpenLease>::iterator lease) {
  held_.add(lease->second.lease.node, lease->second.granted_t_s, now_s_);
  for (const auto& type : lease->second.lease.gpu_types) gpu_held_s_[type] += now_s_ - lease->second.granted_t_s;
  leases_.erase(lease);
}

void FigureCollector::take(const event::Consolidated& e) {
  jobs_.at(e.job.value - 1).credited += e.credited;
  learnt_.take(e);
  const auto in = std::count_if(e.forks.begin(), e.forks.end(), [](const auto& fork) { return fork.in; });
  if (in >= 2) ++consolidations_;
}

void FigureCollector::take(const event::Completed& e) {
  auto& job = jobs_.at(e.job.value - 1);
  job.times.completed_t_s = now_s_;
  gpu_trained_.pass();
  job.times.isolated_s = isolated_of(job);
  leave(e.job);
}

void FigureCollector::leave(JobId job) {
  --unfinished_;
  jobs_.at(job.value - 1).spec = nullptr;
  std::erase_if(taken_back_, [&](const auto& entry) { return entry.second.first.job == job; });
}

double FigureCollector::isolated_of(const Job& job) const {
  if (!options_.isolated_speed) return 0;
  const auto jct_s = now_s_ - job.times.submitted_t_s;
  const auto n = jct_s > 0 ? std::max(1.0, (crowd_ - job.crowd_at_submit) / jct_s) : 1.0;
  const auto speed = options_.isolated_speed(*job.spec, n);
  return speed > 0 ? static_cast<double>(job.spec->total_steps) / speed : 0;
}

RunFigures FigureCollector::figures() const {
  RunFigures run;
  run.preemptions = preemptions_;
  run.consolidations = consolidations_;
  run.rounds = rounds_;
  std::vector<double> jcts;
  std::vector<double> queueing;
  std::vector<double> unfairness;
  double effective = 0;
  double first_s = HUGE_VAL;
  double last_s = 0;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const auto& times = jobs_[i].times;
    run.by_job.push_back(times);
    first_s = std::min(first_s, times.submitted_t_s);
    if (times.completed_t_s) last_s = std::max(last_s, *times.completed_t_s);
    if (i < options_.first_measured || i > options_.last_measured) continue;
    ++run.jobs;
    run.steps_credited += jobs_[i].credited;
    effective += learnt_.of(JobId{i + 1});
    if (!times.completed_t_s) continue;
    ++run.completed;
    jcts.push_back(*times.completed_t_s - times.submitted_t_s);
    queueing.push_back(times.started_t_s.value_or(*times.completed_t_s) - times.submitted_t_s);
    if (times.isolated_s > 0) unfairness.push_back(jcts.back() / times.isolated_s);
  }
  if (options_.merge_efficiency) run.steps_effective = effective;
  if (!jcts.empty()) {
    run.makespan_s = last_s - first_s;
    run.avg_jct_s = mean(jcts);
    run.avg_queueing_s = mean(queueing);
    std::sort(jcts.begin(), jcts.end());
    run.p50_jct_s = quantile(jcts, 0.5);
    run.p99_jct_s = quantile(jcts, 0.99);
  }
  if (!unfairness.empty()) {
    run.ftf_avg = mean(unfairness);
    run.ftf_max = *std::max_element(unfairness.begin(), unfairness.end());
  }
  double gpus = 0;
  for (const auto& node : options_.nodes)
    for (const auto& group : node.gpus) gpus += group.count;
  if (run.makespan_s > 0 && gpus > 0) {
    const auto node_s = static_cast<double>(options_.nodes.size()) * run.makespan_s;
    run.gru = gpu_trained_.until(last_s) / (gpus * run.makespan_s);
    run.cru = busy_.until(last_s) / node_s;
    run.cru_held = held_.until(last_s) / node_s;
  }
  double cost = 0;
  bool priced = !options_.cost_per_gpu_h.empty();
  for (const auto& [type, held_s] : gpu_held_s_) {
    const auto price = options_.cost_per_gpu_h.find(type);
    priced = priced && price != options_.cost_per_gpu_h.end();
    if (priced) cost += held_s / 3600 * price->second;
  }
  if (priced) run.cost = cost;
  return run;
}

}  // namespace hadar
