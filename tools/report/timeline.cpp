#include "tools/report/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "launchers/node_busy_time.hpp"
#include "tools/report/run_summary.hpp"

namespace hadar::report {
namespace {

constexpr std::size_t kSlots = 120;

// Spreads amounts over equal slots of time.
class Slots {
 public:
  explicit Slots(double end_s) : width_s_(std::max(end_s, 1e-9) / kSlots), sums_(kSlots) {}

  void add(double from_s, double to_s, double amount) {
    if (to_s <= from_s) return;
    const double rate = amount / (to_s - from_s);
    const auto first = static_cast<std::size_t>(std::max(0.0, from_s / width_s_));
    for (std::size_t i = first; i < kSlots && static_cast<double>(i) * width_s_ < to_s; ++i) {
      const double slot_s = static_cast<double>(i) * width_s_;
      sums_[i] += rate * std::max(0.0, std::min(to_s, slot_s + width_s_) - std::max(from_s, slot_s));
    }
  }
  [[nodiscard]] Line shares_of(double units) const {
    Line line;
    for (std::size_t i = 0; i < kSlots; ++i)
      line.push_back({(static_cast<double>(i) + 0.5) * width_s_, units > 0 ? sums_[i] / (width_s_ * units) : 0});
    return line;
  }

 private:
  double width_s_;
  std::vector<double> sums_;
};

struct OpenLease {
  std::vector<std::size_t> bars;
  NodeName node;
  double start_s = 0;
  double reported_s = 0;  // up to where its reports account for
};

struct Stretch {
  double from_s = 0;
  double to_s = 0;
  double train_s = 0;
};

class TimelineMaker {
 public:
  Timeline run(std::span<const Event> events) {
    if (events.empty()) return {};
    origin_s_ = summarise(events).first_submit_t_s;
    line_.end_s = std::max(0.0, events.back().t_s - origin_s_);
    const auto added = train_seconds_added(events);
    for (std::size_t i = 0; i < events.size(); ++i) {
      t_s_ = std::max(0.0, events[i].t_s - origin_s_);
      train_added_s_ = added[i];
      std::visit([this](const auto& body) { take(body); }, events[i].body);
    }
    for (auto& [id, lease] : open_) close(lease, "open");
    fill_shares();
    return std::move(line_);
  }

 private:
  template <class Other>
  void take(const Other&) {}

  void take(const event::NodeUp& body) {
    const auto& node = body.inventory;
    nodes_.insert(node.name);
    const auto types = gpu_types_by_index(node.gpus);
    for (std::size_t i = 0; i < types.size(); ++i) {
      const auto [place, fresh] = rows_.try_emplace({node.name, i}, line_.rows.size());
      if (!fresh) continue;
      line_.rows.push_back(node.name + (types.size() > 1 ? ":" + std::to_string(i) : "") + " · " + types[i]);
    }
  }
  void take(const event::RoundOpened& body) {
    for (const auto& [type, price] : body.prices) line_.prices[type].push_back({t_s_, price});
  }
  void take(const event::Submitted& body) {
    totals_[body.job] = body.spec.total_steps;
    line_.progress[body.job].push_back({t_s_, 0});
  }
  void take(const event::LeasesGranted& body) {
    for (const auto& lease : body.leases) {
      OpenLease open{{}, lease.node, t_s_, t_s_};
      for (const auto gpu : lease.gpus) {
        const auto row = rows_.find({lease.node, gpu});
        if (row == rows_.end()) continue;
        open.bars.push_back(line_.bars.size());
        Bar bar{.row = row->second,
                .job = lease.fork.job,
                .fork = lease.fork.fork,
                .lease = lease.id,
                .start_s = t_s_,
                .end_s = t_s_,
                .quota_steps = lease.quota_steps,
                .steps = 0,
                .end = ""};
        line_.bars.push_back(std::move(bar));
      }
      bars_of_[lease.id] = open.bars;
      open_[lease.id] = std::move(open);
    }
  }
  void take(const event::LeaseExtended& body) {
    for (const auto bar : bars_of_[body.lease]) line_.bars[bar].quota_steps = body.quota_steps;
  }
  void take(const event::ForkReported& body) {
    const auto& report = body.report;
    auto& steps = steps_of_[report.lease][report.base.version];
    steps = std::max(steps, report.steps);
    std::uint64_t sum = 0;
    for (const auto& [base, count] : steps_of_[report.lease]) sum += count;
    for (const auto bar : bars_of_[report.lease]) line_.bars[bar].steps = sum;
    const auto lease = open_.find(report.lease);
    if (lease == open_.end()) return;
    const auto& node = lease->second.node;
    if (!rows_.contains({node, 1}))  // one GPU: its trainers cannot overlap
      stretches_.push_back({lease->second.reported_s, t_s_, train_added_s_});
    else if (train_added_s_ > 0)
      busy_.add(node, t_s_ - train_added_s_, t_s_);
    lease->second.reported_s = t_s_;
    if (report.end == LeaseEndReason::kRunning) return;
    close(lease->second, name_of(report.end));
    open_.erase(lease);
  }
  void take(const event::LeaseClosed& body) {
    const auto lease = open_.find(body.lease);
    if (lease == open_.end()) return;
    close(lease->second, body.reason);
    open_.erase(lease);
  }
  void take(const event::Consolidated& body) {
    auto& progress = line_.progress[body.job];
    credited_[body.job] += body.credited;
    const auto total = static_cast<double>(totals_[body.job]);
    progress.push_back({t_s_, total > 0 ? static_cast<double>(credited_[body.job]) / total : 0});
    for (const auto& [name, value] : body.metrics) line_.metrics[body.job][name].push_back({t_s_, value});
    const auto in = std::count_if(body.forks.begin(), body.forks.end(), [](const auto& fork) { return fork.in; });
    for (const auto& fork : body.forks)
      if (const auto lease = open_.find(fork.lease); lease != open_.end() && !fork.open) {  // settled without a report
        close(lease->second, fork.reason);
        open_.erase(lease);
      }
    for (const auto& fork : body.forks)
      if (fork.in)
        for (const auto bar : bars_of_[fork.lease])
          line_.merges.push_back({line_.bars[bar].row, body.job, t_s_, body.version.version, body.credited,
                                  static_cast<std::uint32_t>(in)});
  }

  void close(const OpenLease& lease, const std::string& how) {
    for (const auto bar : lease.bars) {
      line_.bars[bar].end_s = t_s_;
      line_.bars[bar].end = how;
    }
    held_[lease.node].push_back({lease.start_s, t_s_});
  }

  // A node with several leases at once is one busy node.
  void fill_shares() {
    Slots training(line_.end_s);
    for (const auto& stretch : stretches_)
      training.add(stretch.from_s, stretch.to_s, std::min(stretch.train_s, stretch.to_s - stretch.from_s));
    for (const auto& [node, intervals] : busy_.intervals())
      for (const auto& [from_s, to_s] : intervals) training.add(from_s, to_s, to_s - from_s);
    Slots leased(line_.end_s);
    for (auto& [node, spans] : held_) {
      std::sort(spans.begin(), spans.end());
      double until_s = 0;
      for (const auto& [from_s, to_s] : spans) {
        const double start_s = std::max(from_s, until_s);
        leased.add(start_s, to_s, to_s - start_s);
        until_s = std::max(until_s, to_s);
      }
    }
    line_.training = training.shares_of(static_cast<double>(nodes_.size()));
    line_.leased = leased.shares_of(static_cast<double>(nodes_.size()));
  }

  Timeline line_;
  double origin_s_ = 0;
  double t_s_ = 0;
  double train_added_s_ = 0;
  std::set<NodeName> nodes_;
  std::map<std::pair<NodeName, std::size_t>, std::size_t> rows_;
  std::map<JobId, std::uint64_t> totals_;
  std::map<JobId, std::uint64_t> credited_;
  std::map<LeaseId, OpenLease> open_;
  std::map<LeaseId, std::vector<std::size_t>> bars_of_;
  std::map<LeaseId, std::map<std::uint64_t, std::uint64_t>> steps_of_;
  std::vector<Stretch> stretches_;
  NodeBusyTime busy_;
  std::map<NodeName, std::vector<std::pair<double, double>>> held_;
};

}  // namespace

Timeline make_timeline(std::span<const Event> events) {
  return TimelineMaker().run(events);
}

}  // namespace hadar::report
