#include "tests/sim/log_checks.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "messages/types/lease_sharing.hpp"

namespace hadar {
namespace {

constexpr double kSlack_s = 1e-6;

struct CheckedLease {
  Lease lease;
  double granted_t_s = 0;
  double trained_s = 0;    // as reported, over all its bases
  std::uint64_t done = 0;  // credited
  std::optional<LeaseReport> report;
  std::optional<double> over_t_s;  // its last report, or its closing
  int settled = 0;
};

struct CheckedJob {
  JobSpec spec;
  double submitted_t_s = 0;
  std::uint64_t credited = 0;
  std::uint64_t version = 0;
  bool ended = false;
};

class LogChecker {
 public:
  explicit LogChecker(const DrainSlack& slack) : slack_(slack) {}

  std::vector<std::string> run(const std::vector<Event>& events, bool finished) {
    for (const auto& event : events) {
      now_ = &event;
      if (event.seq != last_seq_ + 1) complain("seq follows " + std::to_string(last_seq_));
      if (event.t_s < last_t_s_) complain("time falls");
      last_seq_ = event.seq;
      last_t_s_ = event.t_s;
      std::visit([this](const auto& body) { take(body); }, event.body);
    }
    if (finished) check_end();
    return std::move(wrong_);
  }

 private:
  void complain(const std::string& what) {
    std::ostringstream line;
    line << "seq " << now_->seq << " (" << now_->t_s << " s): " << what;
    wrong_.push_back(line.str());
  }

  template <class Other>
  void take(const Other&) {}

  void take(const event::SchedulerStarted& e) {
    if (e.term <= term_) complain("the term does not rise");
    term_ = e.term;
  }
  void take(const event::RoundOpened& e) {
    if (e.round <= round_) complain("the round does not rise");
    round_ = e.round;
  }
  void take(const event::Submitted& e) {
    auto& job = jobs_[e.job];
    job.spec = e.spec;
    job.submitted_t_s = now_->t_s;
  }
  void take(const event::NodeUp& e) { rise(e.inventory.name, e.epoch); }
  void take(const event::NodeLost& e) { rise(e.node, e.epoch); }
  void take(const event::NodeForgotten& e) {
    epochs_.erase(e.node);
    drains_.erase(e.node);
  }
  void take(const event::NodeDraining& e) {
    drains_[e.node] = {now_->t_s, e.deadline_s > 0 ? now_->t_s + e.deadline_s + slack_.over_s : HUGE_VAL};
  }
  void take(const event::NodeUndrained& e) {
    check_drain(e.node);
    drains_.erase(e.node);
  }

  // Leases that were not over in time.
  void check_drain(const NodeName& node) {
    const auto drain = drains_.find(node);
    if (drain == drains_.end() || now_->t_s <= drain->second.over_by_t_s) return;
    for (const auto& [id, lease] : leases_)
      if (lease.lease.node == node && lease.granted_t_s < drain->second.over_by_t_s &&
          lease.over_t_s.value_or(HUGE_VAL) > drain->second.over_by_t_s)
        complain(name(id) + " goes on after the drain of " + node);
  }

  void rise(const NodeName& node, Epoch epoch) {
    auto& known = epochs_[node];
    if (epoch < known) complain("the epoch of " + node + " falls");
    known = epoch;
  }

  void take(const event::LeasesGranted& e) {
    std::map<ForkId, std::uint32_t> gangs;
    for (const auto& [id, other] : leases_)
      for (const auto& lease : e.leases)
        if (!other.over_t_s && other.lease.fork == lease.fork)
          complain(name(lease.id) + " is granted while " + name(id) + " of its fork goes on");
    for (const auto& lease : e.leases) {
      gangs[lease.fork] += static_cast<std::uint32_t>(lease.gpus.size());
      if (!leases_.try_emplace(lease.id, CheckedLease{lease, now_->t_s, 0, 0, {}, {}, 0}).second)
        complain(name(lease.id) + " is granted twice");
      if (jobs_.at(lease.fork.job).ended) complain(name(lease.id) + " is granted to a job that has ended");
      check_gpus(lease);
      check_node(lease);
    }
    for (const auto& [fork, gpus] : gangs)
      if (gpus != jobs_.at(fork.job).spec.gpus)
        complain("job " + std::to_string(fork.job.value) + " has a part of its gang");
  }

  // A GPU goes on to the next lease when its node has said that the last one ended, which the log may hear later: what
  // the last one trained must fit before.
  void check_gpus(const Lease& lease) {
    for (auto gpu : lease.gpus) {
      auto& last = on_gpu_[{lease.node, gpu}];
      last.push_back(lease.id);
    }
  }

  void check_node(const Lease& lease) {
    if (const auto drain = drains_.find(lease.node);
        drain != drains_.end() && now_->t_s > drain->second.since_t_s + slack_.granted_s)
      complain(name(lease.id) + " is granted on " + lease.node + ", which is being drained");
    for (const auto& [id, other] : leases_)
      if (id != lease.id && !other.over_t_s && other.lease.node == lease.node && other.lease.fork.job == lease.fork.job)
        complain("node " + lease.node + " gets a second fork of job " + std::to_string(lease.fork.job.value));
  }

  void take(const event::LeaseExtended& e) {
    auto* lease = open(e.lease);
    if (lease && e.quota_steps <= lease->lease.quota_steps) complain(name(e.lease) + " is extended to no more");
    if (lease) lease->lease.quota_steps = e.quota_steps;
  }

  void take(const event::LeaseClosed& e) {
    if (auto* lease = open(e.lease)) settle(*lease);
  }

  void take(const event::ForkReported& e) {
    auto* lease = open(e.report.lease);
    if (!lease) return;
    const auto& report = e.report;
    const bool left_behind = report.end == LeaseEndReason::kLost;  // by a fork that died: its last checkpoint again
    if (left_behind && (!lease->report || lease->report->steps != report.steps))
      complain(name(report.lease) + " leaves steps behind that it never reported");
    if (!left_behind && report.epoch < epochs_[report.node]) complain(name(report.lease) + " outlives its epoch");
    if (report.node != lease->lease.node) complain(name(report.lease) + " is reported by another node");
    if (lease->done + report.steps > lease->lease.quota_steps)
      complain(name(report.lease) + " did more than its quota");
    if (lease->report && lease->report->end != LeaseEndReason::kRunning) complain(name(report.lease) + " ended twice");
    if (!lease->report || lease->report->base == report.base)
      lease->trained_s -= lease->report ? lease->report->train_s : 0;
    lease->trained_s += report.train_s;
    lease->report = report;
    if (report.end != LeaseEndReason::kRunning) {
      lease->over_t_s = now_->t_s;
      check_trained(*lease);
    }
  }

  void check_trained(const CheckedLease& lease) {
    if (lease.trained_s > now_->t_s - lease.granted_t_s + kSlack_s)
      complain(name(lease.lease.id) + " trained before it was granted");
    for (auto gpu : lease.lease.gpus) {
      const auto& order = on_gpu_[{lease.lease.node, gpu}];
      for (auto id : order) {
        const auto& next = leases_.at(id);
        if (id <= lease.lease.id || next.granted_t_s < lease.granted_t_s) continue;
        if (may_share(lease.lease, next.lease)) continue;
        if (lease.granted_t_s + lease.trained_s > next.granted_t_s + kSlack_s)
          complain("GPU " + std::to_string(gpu) + " of " + lease.lease.node + " went to " + name(id) + " while " +
                   name(lease.lease.id) + " trained there");
        break;
      }
    }
  }

  void take(const event::Consolidated& e) {
    auto& job = jobs_.at(e.job);
    std::uint64_t credited = 0;
    for (const auto& fork : e.forks) {
      auto* lease = open(fork.lease);
      if (!lease) continue;
      if (fork.in) {
        credited += fork.steps;
        lease->done += fork.steps;
        if (!lease->report || lease->report->steps != fork.steps)
          complain(name(fork.lease) + " is credited what it never reported");
      }
      if (fork.open)
        lease->report.reset();
      else
        settle(*lease);
    }
    if (credited != e.credited) complain("credits other steps than its forks did");
    if (e.version.version != job.version + (credited > 0 ? 1 : 0)) complain("the version does not rise by one");
    job.version = e.version.version;
    job.credited += credited;
    if (job.credited > job.spec.total_steps && !job.spec.effective_steps)
      complain("job " + std::to_string(e.job.value) + " is credited too many steps");
  }

  void take(const event::Completed& e) {
    auto& job = jobs_.at(e.job);
    end(e.job);
    const bool by_count = !job.spec.effective_steps && job.spec.target.metric.empty();
    if (by_count && job.credited != job.spec.total_steps)
      complain("job " + std::to_string(e.job.value) + " completes with " + std::to_string(job.credited) + " of " +
               std::to_string(job.spec.total_steps) + " steps");
    if (now_->t_s <= job.submitted_t_s) complain("job " + std::to_string(e.job.value) + " took no time");
  }
  void take(const event::Failed& e) { end(e.job); }
  void take(const event::Cancelled& e) { end(e.job); }

  void end(JobId id) {
    auto& job = jobs_.at(id);
    if (job.ended) complain("job " + std::to_string(id.value) + " ends twice");
    job.ended = true;
  }

  CheckedLease* open(LeaseId id) {
    const auto found = leases_.find(id);
    if (found == leases_.end()) {
      complain(name(id) + " was never granted");
      return nullptr;
    }
    if (found->second.settled > 0) complain(name(id) + " is settled already");
    return &found->second;
  }

  void settle(CheckedLease& lease) {
    ++lease.settled;
    if (!lease.over_t_s) lease.over_t_s = now_->t_s;
  }

  void check_end() {
    for (const auto& [node, drain] : drains_) check_drain(node);
    for (const auto& [id, job] : jobs_)
      if (!job.ended)
        complain("job " + std::to_string(id.value) + " never ends: " + std::to_string(job.credited) + " of " +
                 std::to_string(job.spec.total_steps) + " steps");
    for (const auto& [id, lease] : leases_)
      if (lease.settled != 1)
        complain(name(id) + " of job " + std::to_string(lease.lease.fork.job.value) + " is settled " +
                 std::to_string(lease.settled) + " times");
  }

  static std::string name(LeaseId id) { return "lease " + std::to_string(id.value); }

  DrainSlack slack_;
  const Event* now_ = nullptr;
  std::uint64_t last_seq_ = 0;
  double last_t_s_ = 0;
  Term term_;
  RoundId round_;
  std::map<JobId, CheckedJob> jobs_;
  std::map<LeaseId, CheckedLease> leases_;
  std::map<std::pair<NodeName, std::uint32_t>, std::vector<LeaseId>> on_gpu_;  // in the order granted
  struct Drain {
    double since_t_s = 0;
    double over_by_t_s = 0;
  };
  std::map<NodeName, Epoch> epochs_;
  std::map<NodeName, Drain> drains_;
  std::vector<std::string> wrong_;
};

JobId id_of(const std::vector<Event>& events, const std::string& name) {
  for (const auto& event : events)
    if (const auto* e = std::get_if<event::Submitted>(&event.body); e && e->spec.name == name) return e->job;
  return {};
}

}  // namespace

std::vector<std::string> check_log(const std::vector<Event>& events, bool finished, const DrainSlack& slack) {
  if (events.empty()) return {"the log is empty"};
  return LogChecker(slack).run(events, finished);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

double jct_of(const std::vector<Event>& events, const std::string& name) {
  const auto id = id_of(events, name);
  double submitted_t_s = 0;
  for (const auto& event : events) {
    if (const auto* e = std::get_if<event::Submitted>(&event.body); e && e->job == id) submitted_t_s = event.t_s;
    if (const auto* e = std::get_if<event::Completed>(&event.body); e && e->job == id) return event.t_s - submitted_t_s;
  }
  return -1;
}

std::uint64_t credited_to(const std::vector<Event>& events, const std::string& name) {
  const auto id = id_of(events, name);
  std::uint64_t credited = 0;
  for (const auto& event : events)
    if (const auto* e = std::get_if<event::Consolidated>(&event.body); e && e->job == id) credited += e->credited;
  return credited;
}

}  // namespace hadar
