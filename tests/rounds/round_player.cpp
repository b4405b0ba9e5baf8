#include "tests/rounds/round_player.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "actors/pricing/prices.hpp"
#include "tests/rounds/plan_checks.hpp"

namespace hadar::testing {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct OpenLease {
  Allocation allocation;  // as granted
  double starts_s = 0;
  double ends_s = 0;  // at its quota, or at the latest moment a fork may train
  double speed = 0;   // true

  [[nodiscard]] std::uint64_t done(double now) const {
    const double time = std::clamp(now, starts_s, ends_s) - starts_s;
    const auto steps = static_cast<std::uint64_t>(std::floor(time * speed + 1e-6));
    return std::min(steps, allocation.quota_steps);
  }
};

struct JobRun {
  std::uint64_t credited = 0;
  std::uint64_t reported = 0;  // by ended forks, to be credited by the merge
  std::vector<OpenLease> open;
  double service_gpu_s = 0;  // of ended leases
  double merged_s = kNever;
  double first_start_s = -1;
  double ready_s = 0;  // no lease of it starts sooner
  double done_s = -1;
  std::uint32_t forks_max = 0;
  std::uint64_t waited = 0;
  std::uint64_t most_waited = 0;
};

std::string node_name_of(std::size_t node) {
  return "n" + std::string(node < 10 ? "0" : "") + std::to_string(node);
}

class Player {
 public:
  Player(Policy& policy, const PlayedCluster& cluster, const std::vector<PlayedJob>& jobs, const PlaySettings& settings)
      : policy_(policy), cluster_(cluster), jobs_(jobs), settings_(settings), runs_(jobs.size()) {}

  Played run() {
    double border = 0;
    while (now_ < settings_.most_s) {
      const bool at_border = now_ >= border - 1e-9;
      if (at_border) {
        border += settings_.round_s;
        ++round_;
      }
      plan(at_border, border);
      if (finished()) break;
      advance(border);
    }
    return result();
  }

 private:
  [[nodiscard]] bool finished() const {
    return std::all_of(runs_.begin(), runs_.end(), [](const JobRun& run) { return run.done_s >= 0; });
  }

  // To the next moment worth a plan: a merge done, an arrival, the border.
  void advance(double border) {
    for (;;) {
      double next = border;
      for (std::size_t j = 0; j < jobs_.size(); ++j) {
        if (jobs_[j].arrival_s > now_ + 1e-9) next = std::min(next, jobs_[j].arrival_s);
        next = std::min(next, runs_[j].merged_s);
        for (const auto& lease : runs_[j].open) next = std::min(next, lease.ends_s);
      }
      now_ = next;
      end_leases();
      if (finish_merges() || now_ >= border - 1e-9) return;
      for (const auto& job : jobs_)
        if (std::abs(job.arrival_s - now_) < 1e-9) return;
    }
  }

  void close(JobRun& run, const OpenLease& lease) {
    const double trained_s = std::max(0.0, std::min(now_, lease.ends_s) - lease.starts_s);
    busy_s_ += trained_s * static_cast<double>(lease.allocation.slices.size());
    for (const auto& slice : lease.allocation.slices)
      run.service_gpu_s += trained_s * static_cast<double>(slice.gpus.size());
    run.reported += lease.done(now_);
  }

  void end_leases() {
    for (auto& run : runs_) {
      if (run.open.empty()) continue;
      std::erase_if(run.open, [&](const OpenLease& lease) {
        if (lease.ends_s > now_ + 1e-9) return false;
        close(run, lease);
        return true;
      });
      if (run.open.empty()) run.merged_s = now_ + settings_.merge_s;
    }
  }

  bool finish_merges() {
    bool any = false;
    for (std::size_t j = 0; j < runs_.size(); ++j) {
      auto& run = runs_[j];
      if (run.merged_s > now_ + 1e-9) continue;
      any = true;
      run.merged_s = kNever;
      run.credited += run.reported;
      run.reported = 0;
      if (run.credited >= jobs_[j].steps) run.done_s = now_;
    }
    return any;
  }

  [[nodiscard]] std::shared_ptr<const JobView> view(std::size_t j) const {
    const auto& job = jobs_[j];
    const auto& run = runs_[j];
    JobView view;
    view.job = JobId{j + 1};
    view.model = job.model;
    view.gpus = job.gpus;
    view.forkable = job.forkable;
    view.submitted_t_s = job.arrival_s;
    view.steps_total = job.steps;
    view.steps_credited = run.credited;
    if (run.first_start_s >= 0) view.started_t_s = run.first_start_s;
    view.attained_service_gpu_s = run.service_gpu_s;
    view.merge_s = settings_.merge_s;
    view.merging = run.merged_s != kNever;
    view.steps_issued = run.reported;
    for (std::size_t type = 0; type < cluster_.types.size(); ++type) {
      if (job.speeds[type] <= 0) continue;
      view.estimates.push_back({cluster_.types[type], Placement::kPacked, job.speeds[type], EstimateSource::kMeasured});
      view.gpu_types.push_back(cluster_.types[type]);
    }
    for (const auto& lease : run.open) {
      auto held = lease.allocation;
      view.steps_issued += held.quota_steps;
      held.quota_steps -= lease.done(now_);
      view.held.push_back(held);
    }
    return std::make_shared<const JobView>(std::move(view));
  }

  [[nodiscard]] RoundInput input(bool at_border, double border) const {
    RoundInput input;
    input.round = RoundId{round_};
    input.early = !at_border;
    input.now_s = now_;
    input.round_s = settings_.round_s;
    input.window_s = border - now_;
    input.memory = memory_;
    std::set<std::pair<NodeName, std::uint32_t>> busy;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      for (const auto& lease : runs_[j].open)
        for (const auto& slice : lease.allocation.slices)
          for (const auto gpu : slice.gpus) busy.insert({slice.node, gpu});
      if (runs_[j].done_s < 0 && jobs_[j].arrival_s <= now_ + 1e-9) input.jobs.push_back(view(j));
    }
    for (std::size_t n = 0; n < cluster_.nodes.size(); ++n) {
      NodeCapacity node;
      node.node = node_name_of(n);
      std::uint32_t gpu = 0;
      for (std::size_t type = 0; type < cluster_.types.size(); ++type) {
        if (cluster_.nodes[n][type] == 0) continue;
        node.gpus.push_back({cluster_.types[type], cluster_.nodes[n][type]});
        for (std::uint32_t i = 0; i < cluster_.nodes[n][type]; ++i, ++gpu)
          if (!busy.contains({node.node, gpu})) node.idle_gpus.push_back(gpu);
      }
      input.nodes.push_back(node);
    }
    return input;
  }

  void plan(bool at_border, double border) {
    auto in = input(at_border, border);
    if (in.jobs.empty() || in.window_s < 1e-6) return;
    if (policy_.traits().needs_prices) {
      if (at_border) board_ = make_prices(in, {}, board_);
      in.prices = board_;
    }
    const auto made = policy_.plan(in);
    if (!made) {
      played_.faults.push_back(made.error().message);
      return;
    }
    ++played_.plans;
    for (const auto& fault : testing::faults(in, *made, policy_.traits()))
      played_.faults.push_back("t=" + std::to_string(now_) + " " + fault);
    memory_ = made->memory;
    carry_out(in, *made, border);
    if (at_border) count_waits(*made);
  }

  void carry_out(const RoundInput& in, const RoundPlan& plan, double border) {
    std::string line = std::to_string(now_);
    for (const auto& job : in.jobs) take_back(*job, plan);
    for (const auto& allocation : plan.allocations) {
      const auto j = allocation.fork.job.value - 1;
      auto& run = runs_[j];
      line += " " + std::to_string(j + 1) + "." + std::to_string(allocation.fork.fork) + "@" +
              allocation.slices.front().node + ":" + std::to_string(allocation.quota_steps);
      const bool held = std::any_of(run.open.begin(), run.open.end(),
                                    [&](const OpenLease& lease) { return lease.allocation.fork == allocation.fork; });
      if (held) continue;
      OpenLease lease{allocation, std::max(now_, run.ready_s), 0, true_speed(j, allocation)};
      lease.allocation.quota_steps = std::min(allocation.quota_steps, jobs_[j].steps - run.credited);
      const double at_quota = lease.starts_s + static_cast<double>(lease.allocation.quota_steps) / lease.speed;
      const double latest = std::max(lease.starts_s, border - settings_.merge_s);
      lease.ends_s = allocation.ends_at_border ? std::min(at_quota, latest) : at_quota;
      run.open.push_back(lease);
      if (run.first_start_s < 0) run.first_start_s = lease.starts_s;
      run.forks_max = std::max(run.forks_max, static_cast<std::uint32_t>(run.open.size()));
    }
    played_.trace.push_back(line);
  }

  // Ends the leases that the plan does not repeat.
  void take_back(const JobView& job, const RoundPlan& plan) {
    auto& run = runs_[job.job.value - 1];
    std::erase_if(run.open, [&](const OpenLease& lease) {
      for (const auto& allocation : plan.allocations)
        if (allocation.fork == lease.allocation.fork && allocation.slices == lease.allocation.slices &&
            allocation.ends_at_border == lease.allocation.ends_at_border)
          return false;
      close(run, lease);
      run.credited += run.reported;
      run.reported = 0;
      run.ready_s = now_ + settings_.merge_s;
      ++played_.moves;
      return true;
    });
  }

  void count_waits(const RoundPlan& plan) {
    for (const auto& outcome : plan.outcomes) {
      auto& run = runs_[outcome.job.value - 1];
      run.waited = outcome.kind == OutcomeKind::kWaiting && run.merged_s == kNever ? run.waited + 1 : 0;
      run.most_waited = std::max(run.most_waited, run.waited);
    }
  }

  [[nodiscard]] double true_speed(std::size_t j, const Allocation& allocation) const {
    double slowest = kNever;
    for (const auto& slice : allocation.slices) {
      std::vector<std::size_t> types;
      const auto node = static_cast<std::size_t>(std::stoul(slice.node.substr(1)));
      for (std::size_t type = 0; type < cluster_.types.size(); ++type)
        types.insert(types.end(), cluster_.nodes[node][type], type);
      for (const auto gpu : slice.gpus) slowest = std::min(slowest, jobs_[j].speeds[types[gpu]]);
    }
    return slowest;
  }

  Played result() {
    played_.finished = finished();
    double sum = 0;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      const auto& run = runs_[j];
      played_.makespan_s = std::max(played_.makespan_s, run.done_s);
      played_.jct_s.push_back(run.done_s - jobs_[j].arrival_s);
      sum += played_.jct_s.back();
      played_.credited.push_back(run.credited);
      played_.forks_max.push_back(run.forks_max);
      played_.most_waited.push_back(run.most_waited);
    }
    played_.mean_jct_s = sum / static_cast<double>(jobs_.size());
    played_.cru = busy_s_ / (static_cast<double>(cluster_.nodes.size()) * played_.makespan_s);
    return played_;
  }

  Policy& policy_;
  const PlayedCluster& cluster_;
  const std::vector<PlayedJob>& jobs_;
  PlaySettings settings_;
  std::vector<JobRun> runs_;
  double now_ = 0;
  double busy_s_ = 0;
  std::uint64_t round_ = 0;
  std::string memory_;
  PriceBoard board_;
  Played played_;
};

}  // namespace

Played play(Policy& policy, const PlayedCluster& cluster, const std::vector<PlayedJob>& jobs,
            const PlaySettings& settings) {
  return Player(policy, cluster, jobs, settings).run();
}

}  // namespace hadar::testing
