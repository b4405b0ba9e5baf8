// Follows the public Gavel code (github.com/stanford-futuredata/gavel, scheduler/scheduler.py, January 2022).
#include "actors/policy/round_mechanism/gavel_2022.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "messages/types/check.hpp"
#include "messages/types/python_random.hpp"

namespace hadar {
namespace {

constexpr std::uint64_t kShuffleSeedOffset = 5;  // the type order's generator is seeded with seed + 5

}  // namespace

Gavel2022::Gavel2022(Gavel2022Settings settings, const Gavel2022World& world, Gavel2022State state)
    : settings_(std::move(settings)), world_(world), state_(std::move(state)) {
  HADAR_REQUIRE(!settings_.gpus.empty());
  if (state_.time.types() == 0) state_.time = ReceivedTime(settings_.gpus.size());
  HADAR_REQUIRE(state_.time.types() == settings_.gpus.size());
}

const Gavel2022Active& Gavel2022::active(JobId job) const {
  const auto it = std::lower_bound(state_.active.begin(), state_.active.end(), job,
                                   [](const Gavel2022Active& a, JobId id) { return a.job.job < id; });
  HADAR_ENSURE(it != state_.active.end() && it->job.job == job);
  return *it;
}

const Gavel2022Job* Gavel2022::next_arrival(const std::vector<Gavel2022Job>& jobs) const {
  for (const auto& job : jobs)
    if (state_.last_admitted < job.job) return &job;
  return nullptr;
}

Status Gavel2022::next_round(const std::vector<Gavel2022Job>& jobs, bool more_later) {
  ended_.clear();
  const auto* next = next_arrival(jobs);
  if (!more_later && next == nullptr && state_.running.empty()) state_.last_reset_s = 0;
  if (!state_.running.empty())
    end_round();
  else if (next != nullptr)
    state_.now_s = next->arrival_s;
  admit(jobs);
  if (auto reset = reset_shares(); !reset) return reset;
  state_.running = place(choose());
  for (auto& task : state_.running) dispatch(task);
  ++state_.rounds;
  return {};
}

// ---- the round that ends ----

void Gavel2022::end_round() {
  std::vector<const Gavel2022Task*> order;
  for (const auto& task : state_.running) order.push_back(&task);
  std::sort(order.begin(), order.end(), [](const Gavel2022Task* a, const Gavel2022Task* b) {
    return std::make_tuple(-a->finish_s, a->what.pair(), a->what) <
           std::make_tuple(-b->finish_s, b->what.pair(), b->what);
  });
  state_.now_s = order.front()->finish_s;
  if (state_.round_end_s) state_.round_start_s = *state_.round_end_s;
  state_.round_end_s = state_.now_s;
  for (const auto* task : order) end_task(*task);
}

// A job of several GPUs splits its steps evenly and gives the rest to the last; an empty share fails them all.
void Gavel2022::end_task(const Gavel2022Task& task) {
  std::vector<Gavel2022Active*> jobs;
  for (auto& job : state_.active)
    if (task.what.has(job.job.job)) jobs.push_back(&job);
  const auto steps_of = [&](const Gavel2022Active& job) { return task.steps[job.job.job == task.what.a ? 0 : 1]; };
  const bool failed =
      std::any_of(jobs.begin(), jobs.end(), [&](const Gavel2022Active* job) { return steps_of(*job) < job->job.gpus; });
  std::vector<JobId> gone;
  if (failed) {
    state_.needs_shares = true;
    if (!task.what.pair() && ++jobs.front()->failures >= kMostFailures) {
      gone.push_back(task.what.a);
      ended_.push_back({task.what.a, task.finish_s, true});
    }
  } else if (const auto row = state_.time.find(task.what)) {
    for (auto* job : jobs) {
      job->failures = 0;
      job->steps_done += steps_of(*job);
      if (job->steps_done < job->job.total_steps) continue;
      gone.push_back(job->job.job);
      ended_.push_back({job->job.job, task.finish_s, false});
    }
    state_.time.receive(*row, task.type, task.finish_s - state_.round_start_s);
  }
  for (const auto job : gone) remove(job);
}

void Gavel2022::remove(JobId job) {
  state_.time.remove(job);
  std::erase_if(state_.active, [&](const Gavel2022Active& other) { return other.job.job == job; });
  state_.needs_shares = true;
}

// ---- arrivals and shares ----

void Gavel2022::admit(const std::vector<Gavel2022Job>& jobs) {
  for (const auto& job : jobs) {
    if (!(state_.last_admitted < job.job)) continue;
    if (job.arrival_s > state_.now_s) break;
    state_.last_admitted = job.job;
    state_.time.admit({job.job, {}}, job.gpus, settings_.round_s / 2);
    if (settings_.packs)
      for (const auto& other : state_.active)
        if (other.job.gpus == job.gpus) state_.time.admit(pair_of(job.job, other.job.job), job.gpus, 0);
    state_.active.push_back({job, 0, 0, {}});
    state_.needs_shares = true;
  }
}

Status Gavel2022::reset_shares() {
  const auto elapsed_s = state_.now_s - state_.last_reset_s;
  if (!state_.needs_shares || !(elapsed_s >= settings_.reset_gap_s || state_.last_reset_s == 0)) return {};
  state_.time.reset(elapsed_s, settings_.round_s / 2);
  state_.last_reset_s = state_.now_s;
  state_.needs_shares = false;
  auto shares = world_.shares(state_.active, state_.now_s);
  if (!shares) return fail(std::move(shares));
  state_.time.clear_shares();
  for (const auto& shared : *shares)
    if (const auto row = state_.time.find(shared.what)) state_.time.set_share(*row, shared.share);
  return {};
}

// ---- the round that begins ----

std::vector<std::size_t> Gavel2022::type_order() const {
  std::vector<std::size_t> order(settings_.gpus.size());
  std::iota(order.rbegin(), order.rend(), 0);  // V100, P100, K80
  if (!settings_.shuffle_types) return order;
  PythonRandom random(settings_.seed + kShuffleSeedOffset);
  auto drawn = order;
  for (std::uint64_t round = 0; round <= state_.rounds; ++round) random.shuffle(drawn = order);
  return drawn;
}

bool Gavel2022::can_run(std::size_t row, std::size_t type) const {
  const auto& what = state_.time.row(row).what;
  const auto speed = world_.speeds(what, type);
  return speed[0] > 0 && (!what.pair() || speed[1] > 0);
}

std::vector<std::vector<std::size_t>> Gavel2022::choose() const {
  struct Candidate {
    std::size_t row;
    double priority, deficit_s, share;
  };
  const auto& time = state_.time;
  std::vector<std::vector<std::size_t>> chosen(settings_.gpus.size());
  std::vector<JobId> taken;
  const auto free = [&](JobId job) { return std::find(taken.begin(), taken.end(), job) == taken.end(); };
  for (const auto type : type_order()) {
    std::vector<Candidate> queue;
    for (std::size_t row = 0; row < time.rows(); ++row) {
      const auto priority = can_run(row, type) ? time.priority(row, type) : 0;
      if (priority > 0 || settings_.zero_shares_run)
        queue.push_back({row, priority, time.deficit_s(row, type), time.share(row, type)});
    }
    std::stable_sort(queue.begin(), queue.end(), [](const Candidate& a, const Candidate& b) {
      return std::tie(a.priority, a.deficit_s, a.share) > std::tie(b.priority, b.deficit_s, b.share);
    });
    auto left = settings_.gpus[type];
    for (const auto& candidate : queue) {
      const auto& row = time.row(candidate.row);
      if (left == 0) break;
      if (row.gpus > left || !free(row.what.a) || (row.what.pair() && !free(row.what.b))) continue;
      if (!can_run(candidate.row, type)) continue;
      left -= row.gpus;
      taken.push_back(row.what.a);
      if (row.what.pair()) taken.push_back(row.what.b);
      chosen[type].push_back(candidate.row);
    }
  }
  return chosen;
}

namespace {

// The workers of one type, free ones handed out in rising order.
class Workers {
 public:
  Workers(std::uint32_t first, std::uint32_t count) : first_(first), next_(first), taken_(count, false) {}

  bool take(const std::vector<std::uint32_t>& wanted) {
    for (const auto worker : wanted)
      if (taken_[worker - first_]) return false;
    for (const auto worker : wanted) taken_[worker - first_] = true;
    return true;
  }

  std::vector<std::uint32_t> take(std::uint32_t count) {
    std::vector<std::uint32_t> workers;
    while (workers.size() < count) {
      HADAR_ENSURE(next_ - first_ < taken_.size());
      if (!taken_[next_ - first_]) workers.push_back(next_);
      taken_[next_++ - first_] = true;
    }
    return workers;
  }

 private:
  std::uint32_t first_;
  std::uint32_t next_;
  std::vector<bool> taken_;
};

}  // namespace

// Types are served in the order of choice; what is dispatched first is listed first.
std::vector<Gavel2022Task> Gavel2022::place(const std::vector<std::vector<std::size_t>>& chosen) const {
  std::vector<Gavel2022Task> tasks;
  const auto last_of = [&](const Combination& what, std::size_t type) -> const Gavel2022Task* {
    for (const auto& task : state_.running)
      if (task.what == what && task.type == type) return &task;
    return nullptr;
  };
  for (const auto type : type_order()) {
    auto rows = chosen[type];
    const auto gpus_of = [&](std::size_t row) { return state_.time.row(row).gpus; };
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return gpus_of(a) > gpus_of(b); });
    Workers workers(
        std::accumulate(settings_.gpus.begin(), settings_.gpus.begin() + static_cast<std::ptrdiff_t>(type), 0U),
        settings_.gpus[type]);
    for (auto group = rows.begin(); group != rows.end();) {
      const auto end =
          std::find_if(group, rows.end(), [&](std::size_t row) { return gpus_of(row) != gpus_of(*group); });
      std::vector<std::size_t> moving;
      for (auto it = group; it != end; ++it) {
        const auto& what = state_.time.row(*it).what;
        const auto* last = last_of(what, type);
        if (last != nullptr && workers.take(last->workers))
          tasks.push_back({what, static_cast<std::uint32_t>(type), last->workers, {}, 0});
        else
          moving.push_back(*it);
      }
      for (const auto row : moving)
        if (state_.time.row(row).shared)
          tasks.push_back(
              {state_.time.row(row).what, static_cast<std::uint32_t>(type), workers.take(gpus_of(row)), {}, 0});
      group = end;
    }
  }
  return tasks;
}

void Gavel2022::dispatch(Gavel2022Task& task) const {
  const auto speed = world_.speeds(task.what, task.type);
  task.finish_s = state_.now_s;
  const auto run = [&](JobId job, std::size_t side) {
    const auto& state = active(job);
    task.steps[side] =
        std::min(static_cast<std::uint64_t>(speed[side] * settings_.round_s), state.job.total_steps - state.steps_done);
    task.finish_s = std::max(task.finish_s, state_.now_s + static_cast<double>(task.steps[side]) / speed[side]);
  };
  run(task.what.a, 0);
  if (task.what.pair()) run(task.what.b, 1);
}

}  // namespace hadar
