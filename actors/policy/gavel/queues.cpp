// One job after the other, whole shares: fifo, fifo-packed, sjf.
#include <algorithm>
#include <numeric>

#include "actors/policy/gavel/question.hpp"
#include "actors/policy/gavel/rules.hpp"

namespace hadar::gavel {
namespace {

// Summed relative speed a pair must exceed before the next job in the queue joins a running one (public Gavel code).
constexpr double kWorthJoining = 1.5;

// The fastest type with enough free GPUs; the number of types when there is none.
std::size_t fastest_with_room(const ShareJob& job, const std::vector<double>& free) {
  std::size_t best = free.size();
  for (std::size_t j = 0; j < free.size(); ++j)
    if (job.steps_per_s[j] > 0 && free[j] >= job.gpus &&
        (best == free.size() || job.steps_per_s[j] > job.steps_per_s[best]))
      best = j;
  return best;
}

bool can_ever_run(const ShareProblem& problem, const ShareJob& job) {
  return fastest_with_room(job, problem.gpus) < problem.types.size();
}

struct Queue {
  std::vector<std::size_t> order;   // jobs that can run at all
  std::vector<std::size_t> placed;  // by job: its type, or the number of types
  std::size_t next = 0;             // first of `order` that was not looked at
  bool gpus_left = false;           // when placing ended
};

bool has_room(const ShareJob& job, const std::vector<double>& free) {
  return std::any_of(free.begin(), free.end(), [&job](double gpus) { return gpus >= job.gpus; });
}

// Places jobs in order; stops at, or passes over, one that finds no room on any type. One that finds room only where it
// cannot run is passed over in any case, as in the public Gavel code.
void place(const ShareProblem& problem, bool stop, Queue& queue) {
  auto free = problem.gpus;
  queue.placed.assign(problem.jobs.size(), problem.types.size());
  for (; queue.next < queue.order.size(); ++queue.next) {
    const auto i = queue.order[queue.next];
    const auto type = fastest_with_room(problem.jobs[i], free);
    if (type == problem.types.size()) {
      if (stop && !has_room(problem.jobs[i], free)) break;
      continue;
    }
    queue.placed[i] = type;
    free[type] -= problem.jobs[i].gpus;
  }
  queue.gpus_left = std::any_of(free.begin(), free.end(), [](double gpus) { return gpus > 0; });
}

Queue queue_of(const ShareProblem& problem, TimeShares& out) {
  Queue queue;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
    if (can_ever_run(problem, problem.jobs[i]))
      queue.order.push_back(i);
    else
      ++left_out;
  }
  if (left_out > 0) out.notes.push_back(std::to_string(left_out) + " jobs get no share since no GPU type can run them");
  return queue;
}

void write(const ShareProblem& problem, const Queue& queue, TimeShares& out) {
  for (std::size_t i = 0; i < problem.jobs.size(); ++i)
    if (queue.placed[i] < problem.types.size()) out.alone[i][queue.placed[i]] = 1;
}

double relative_speed(const ShareProblem& problem, const SharePair& pair, std::size_t type) {
  double sum = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const double alone = problem.jobs[k == 0 ? pair.a : pair.b].steps_per_s[type];
    if (alone > 0) sum += pair.steps_per_s[type][k] / alone;
  }
  return sum;
}

}  // namespace

Result<TimeShares> fifo(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto out = no_shares(problem);
  auto queue = queue_of(problem, out);
  place(problem, true, queue);
  write(problem, queue, out);
  return out;
}

Result<TimeShares> fifo_packed(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto out = no_shares(problem);
  auto queue = queue_of(problem, out);
  place(problem, true, queue);
  std::vector<std::vector<const SharePair*>> pairs_of(problem.jobs.size());
  for (const auto& pair : problem.pairs) {
    pairs_of[pair.a].push_back(&pair);
    pairs_of[pair.b].push_back(&pair);
  }
  auto alone = queue.placed;
  // While GPUs are left, the job the queue stopped at waits for them and does not join (public Gavel code).
  if (queue.gpus_left) ++queue.next;
  for (; queue.next < queue.order.size(); ++queue.next) {
    const auto i = queue.order[queue.next];
    const SharePair* best = nullptr;
    double most = kWorthJoining;
    for (const auto* pair : pairs_of[i]) {
      const auto other = pair->a == i ? pair->b : pair->a;
      if (alone[other] == problem.types.size()) continue;
      if (const double worth = relative_speed(problem, *pair, alone[other]); worth > most) {
        most = worth;
        best = pair;
      }
    }
    if (best == nullptr) break;
    const auto other = best->a == i ? best->b : best->a;
    PairShare share{best->a, best->b, std::vector<double>(problem.types.size(), 0.0)};
    share.share[alone[other]] = 1;
    out.together.push_back(std::move(share));
    alone[other] = problem.types.size();
  }
  queue.placed = alone;
  write(problem, queue, out);
  std::sort(out.together.begin(), out.together.end(),
            [](const PairShare& l, const PairShare& r) { return std::pair(l.a, l.b) < std::pair(r.a, r.b); });
  return out;
}

Result<TimeShares> shortest_first(const ShareProblem& problem) {
  if (auto right = check_problem(problem); !right) return fail(std::move(right));
  auto out = no_shares(problem);
  auto queue = queue_of(problem, out);
  const auto duration = [&problem](std::size_t i) {
    const auto& job = problem.jobs[i];
    double top = 0;
    for (std::size_t j = 0; j < problem.types.size(); ++j)
      if (problem.gpus[j] >= job.gpus) top = std::max(top, job.steps_per_s[j]);
    return job.steps_left / top;
  };
  std::vector<double> durations(problem.jobs.size(), 0.0);
  for (const auto i : queue.order) durations[i] = duration(i);
  std::stable_sort(queue.order.begin(), queue.order.end(),
                   [&](std::size_t a, std::size_t b) { return durations[a] < durations[b]; });
  place(problem, false, queue);
  write(problem, queue, out);
  return out;
}

}  // namespace hadar::gavel
