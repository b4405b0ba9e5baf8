#include "actors/policy/solvers/assignment.hpp"

#include <algorithm>
#include <limits>

#include "messages/types/check.hpp"

namespace hadar::solvers {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

class Flow {
 public:
  Flow(const std::vector<std::vector<double>>& durations, const std::vector<std::size_t>& machines)
      : durations_(durations), machines_(machines), at_(durations.size(), kNone) {
    for (std::size_t j = 0; j < machines.size(); ++j)
      if (machines[j] > 0) open(j, 1);
  }

  Assignment run() {
    for (std::size_t job = 0; job < durations_.size(); ++job) augment(job);
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
  };
  // The cheapest move of one job out of a class into another.
  struct Move {
    double cost = kNever;
    std::size_t job = kNone;
  };

  [[nodiscard]] double cost(std::size_t job, std::size_t to) const {
    return static_cast<double>(classes_[to].place) * durations_[job][classes_[to].type];
  }

  // A new class starts at price 0: place k + 1 costs everybody more than k, which is not full yet.
  void open(std::size_t type, std::size_t place) {
    const std::size_t fresh = classes_.size();
    classes_.push_back({type, place, {}});
    price_.push_back(0);
    for (std::size_t a = 0; a < fresh; ++a) {
      moves_[a].emplace_back();
      for (const auto job : classes_[a].jobs) offer(a, fresh, job);
    }
    moves_.emplace_back(classes_.size());
  }

  void offer(std::size_t from, std::size_t to, std::size_t job) {
    const double price = cost(job, to) - cost(job, from);
    auto& move = moves_[from][to];
    if (price < move.cost || (price == move.cost && job < move.job)) move = {price, job};
  }

  void augment(std::size_t job) {
    const std::size_t count = classes_.size();
    distance_.resize(count);
    parent_.assign(count, kNone);
    scanned_.assign(count, 0);
    for (std::size_t b = 0; b < count; ++b) distance_[b] = cost(job, b) - price_[b];
    std::size_t end = kNone;
    for (;;) {
      end = kNone;
      for (std::size_t b = 0; b < count; ++b)
        if (scanned_[b] == 0 && (end == kNone || distance_[b] < distance_[end])) end = b;
      HADAR_ENSURE(end != kNone && distance_[end] < kNever);
      if (classes_[end].jobs.size() < machines_[classes_[end].type]) break;
      scanned_[end] = 1;
      for (std::size_t b = 0; b < count; ++b) {
        if (scanned_[b] != 0) continue;
        const double along = distance_[end] + price_[end] + moves_[end][b].cost - price_[b];
        if (along < distance_[b]) {
          distance_[b] = along;
          parent_[b] = end;
        }
      }
    }
    for (std::size_t a = 0; a < count; ++a)
      if (scanned_[a] != 0) price_[a] += distance_[a] - distance_[end];
    shift(job, end);
  }

  // Jobs move one class along the path, and the new job takes its head.
  void shift(std::size_t job, std::size_t end) {
    for (std::size_t to = end; to != kNone; to = parent_[to]) {
      const auto from = parent_[to];
      const auto mover = from == kNone ? job : moves_[from][to].job;
      if (from != kNone) leave(from, mover);
      enter(to, mover);
    }
    const auto& last = classes_[end];
    if (last.jobs.size() == 1) open(last.type, last.place + 1);
  }

  void enter(std::size_t to, std::size_t job) {
    classes_[to].jobs.push_back(job);
    at_[job] = to;
    for (std::size_t b = 0; b < classes_.size(); ++b)
      if (b != to) offer(to, b, job);
  }

  void leave(std::size_t from, std::size_t job) {
    auto& jobs = classes_[from].jobs;
    const auto at = std::find(jobs.begin(), jobs.end(), job);
    *at = jobs.back();
    jobs.pop_back();
    for (std::size_t b = 0; b < classes_.size(); ++b) {
      if (moves_[from][b].job != job) continue;
      moves_[from][b] = {};
      for (const auto other : jobs) offer(from, b, other);
    }
  }

  const std::vector<std::vector<double>>& durations_;
  const std::vector<std::size_t>& machines_;
  std::vector<Class> classes_;
  std::vector<double> price_;
  std::vector<std::vector<Move>> moves_;
  std::vector<std::size_t> at_;  // by job: its class
  std::vector<double> distance_;
  std::vector<std::size_t> parent_;
  std::vector<char> scanned_;
};

}  // namespace

Assignment assign_queues(const std::vector<std::vector<double>>& durations, const std::vector<std::size_t>& machines) {
  return Flow(durations, machines).run();
}

}  // namespace hadar::solvers
