#include "actors/policy/solvers/assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "messages/types/check.hpp"

namespace hadar::solvers {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

class Flow {
 public:
  Flow(const std::vector<std::vector<double>>& durations, const std::vector<std::size_t>& machines)
      : durations_(durations), machines_(machines), at_(durations.size(), kNone), of_type_(machines.size()) {
    for (std::size_t j = 0; j < machines.size(); ++j)
      if (machines[j] > 0) open(j);
  }

  // The longest jobs first: the next is then mostly the shortest so far and goes to the front of a queue, past nobody.
  Assignment run() {
    std::vector<std::size_t> order(durations_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](auto a, auto b) { return shortest(a) > shortest(b); });
    for (const auto job : order) augment(job);
    Assignment out;
    for (std::size_t job = 0; job < durations_.size(); ++job) {
      out.places.push_back({classes_[at_[job]].type, classes_[at_[job]].place});
      out.cost += cost(job, at_[job]);
    }
    return out;
  }

 private:
  // All places k from the end on the machines of one type.
  struct Class {
    std::size_t type = 0;
    std::size_t place = 0;
    std::vector<std::size_t> jobs;
    // By type: the jobs that can be the cheapest to move to some place there, for rising places. Empty: not known.
    std::vector<std::vector<std::size_t>> movers;
  };

  [[nodiscard]] double shortest(std::size_t job) const {
    double least = kNever;
    for (std::size_t j = 0; j < machines_.size(); ++j)
      if (machines_[j] > 0) least = std::min(least, durations_[job][j]);
    return least;
  }

  [[nodiscard]] double cost(std::size_t job, std::size_t to) const {
    return static_cast<double>(classes_[to].place) * durations_[job][classes_[to].type];
  }

  [[nodiscard]] bool has_room(std::size_t at) const { return classes_[at].jobs.size() < machines_[classes_[at].type]; }

  // A new class starts at price 0: place k + 1 costs everybody more than k, which is not full yet.
  void open(std::size_t type) {
    of_type_[type].push_back(classes_.size());
    classes_.push_back({type, of_type_[type].size(), {}, std::vector<std::vector<std::size_t>>(machines_.size())});
    price_.push_back(0);
  }

  // Of a class's jobs those that are the cheapest to move to some place of `type`: the lower envelope of the lines
  // k' p' - k p over places k', by gift wrapping. As k' rises, p' falls.
  const std::vector<std::size_t>& movers(std::size_t from, std::size_t type) {
    auto& known = classes_[from].movers[type];
    if (!known.empty()) return known;
    const auto& jobs = classes_[from].jobs;
    const auto slope = [&](std::size_t job) { return durations_[job][type]; };
    std::size_t at = kNone;
    for (const auto job : jobs) {
      if (slope(job) == kNever) continue;
      const double more = at == kNone ? 0 : slope(job) - cost(job, from) - (slope(at) - cost(at, from));
      if (at == kNone || more < 0 || (more == 0 && std::pair(slope(job), job) < std::pair(slope(at), at))) at = job;
    }
    const auto last = static_cast<double>(of_type_[type].size());
    while (at != kNone) {
      known.push_back(at);
      std::size_t next = kNone;
      double crossing = last;  // places beyond it do not matter
      for (const auto job : jobs) {
        if (!(slope(job) < slope(at))) continue;
        const double meets = (cost(at, from) - cost(job, from)) / (slope(at) - slope(job));
        if (meets > crossing || (meets == crossing && next != kNone && slope(job) >= slope(next))) continue;
        next = job;
        crossing = meets;
      }
      at = next;
    }
    return known;
  }

  void augment(std::size_t job) {
    const std::size_t count = classes_.size();
    distance_.resize(count);
    parent_.assign(count, kNone);
    mover_.assign(count, job);
    scanned_.assign(count, 0);
    for (std::size_t b = 0; b < count; ++b) distance_[b] = cost(job, b) - price_[b];
    std::size_t end = kNone;
    for (;;) {
      end = nearest();
      HADAR_ENSURE(end != kNone && distance_[end] < kNever);
      if (has_room(end)) break;
      scanned_[end] = 1;
      relax(end);
    }
    for (std::size_t a = 0; a < count; ++a)
      if (scanned_[a] != 0) price_[a] += distance_[a] - distance_[end];
    shift(end);
  }

  // The nearest class not looked at; of equally near ones one with room.
  [[nodiscard]] std::size_t nearest() const {
    std::size_t best = kNone;
    for (std::size_t b = 0; b < classes_.size(); ++b) {
      if (scanned_[b] != 0 || (best != kNone && distance_[b] > distance_[best])) continue;
      if (best == kNone || distance_[b] < distance_[best] || (has_room(b) && !has_room(best))) best = b;
    }
    return best;
  }

  // Moves of a job out of a full class. Inside a type those by one place are enough: places hold jobs in the order of
  // their durations, so a move by two is no cheaper than two by one.
  void relax(std::size_t from) {
    for (std::size_t type = 0; type < machines_.size(); ++type) {
      const auto& lines = of_type_[type];
      if (lines.empty()) continue;
      const auto& jobs = movers(from, type);
      if (jobs.empty()) continue;
      const bool inside = type == classes_[from].type;
      const auto first = inside ? classes_[from].place - std::min<std::size_t>(classes_[from].place, 2) : 0;
      const auto last = inside ? std::min(lines.size(), classes_[from].place + 1) : lines.size();
      std::size_t at = 0;
      for (std::size_t k = first; k < last; ++k) {
        const auto to = lines[k];
        while (at + 1 < jobs.size() && move_cost(jobs[at + 1], from, to) < move_cost(jobs[at], from, to)) ++at;
        if (scanned_[to] != 0) continue;
        const double along = distance_[from] + price_[from] + move_cost(jobs[at], from, to) - price_[to];
        if (along >= distance_[to]) continue;
        distance_[to] = along;
        parent_[to] = from;
        mover_[to] = jobs[at];
      }
    }
  }

  [[nodiscard]] double move_cost(std::size_t job, std::size_t from, std::size_t to) const {
    return cost(job, to) - cost(job, from);
  }

  // Jobs move one class along the path, and the new job takes its head.
  void shift(std::size_t end) {
    for (std::size_t to = end; to != kNone; to = parent_[to]) {
      if (parent_[to] != kNone) leave(parent_[to], mover_[to]);
      classes_[to].jobs.push_back(mover_[to]);
      at_[mover_[to]] = to;
      for (auto& movers : classes_[to].movers) movers.clear();
    }
    if (classes_[end].jobs.size() == 1) open(classes_[end].type);
  }

  void leave(std::size_t from, std::size_t job) {
    auto& jobs = classes_[from].jobs;
    const auto at = std::find(jobs.begin(), jobs.end(), job);
    *at = jobs.back();
    jobs.pop_back();
  }

  const std::vector<std::vector<double>>& durations_;
  const std::vector<std::size_t>& machines_;
  std::vector<Class> classes_;
  std::vector<double> price_;
  std::vector<std::size_t> at_;                    // by job: its class
  std::vector<std::vector<std::size_t>> of_type_;  // classes by type, rising places
  std::vector<double> distance_;
  std::vector<std::size_t> parent_;
  std::vector<std::size_t> mover_;  // who enters a class on the way to it
  std::vector<char> scanned_;
};

}  // namespace

Assignment assign_queues(const std::vector<std::vector<double>>& durations, const std::vector<std::size_t>& machines) {
  return Flow(durations, machines).run();
}

}  // namespace hadar::solvers
