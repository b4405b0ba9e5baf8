// competitive_oracle [SEQUENCES]: jobs that come one after another and are admitted at posted exponential prices, never
// revoked, against the best that knows all of them: at least 1 / (2 alpha) of it (Hadar, arXiv 2503.10918; the proof is
// that of OASiS, arXiv 1801.00936). The guarantee takes a gang to be small against the GPUs of its type: one of 1 to 3
// of 8 to 32 here.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "actors/pricing/price_curve.hpp"
#include "tests/answers/integer_program.hpp"
#include "tests/answers/random_rounds.hpp"

namespace hadar::answers {
namespace {

constexpr std::size_t kSlots = 8;

struct Job {
  std::size_t arrives = 0;
  std::uint32_t gpus = 1;
  std::vector<std::size_t> slots;  // it needs on each type
  double weight = 1;

  // Utility of ending after slot `last`: what it gains falls with its time in the system.
  [[nodiscard]] double utility(std::size_t last) const { return weight / static_cast<double>(last + 1 - arrives); }
};

struct Sequence {
  std::vector<double> capacity;  // by type
  std::vector<Job> jobs;         // by arrival
};

Sequence random_sequence(std::uint64_t seed) {
  Dice dice(seed);
  Sequence out;
  const auto types = 1 + dice.upto(2);
  for (std::uint32_t type = 0; type < types; ++type) out.capacity.push_back(8 + dice.upto(24));
  const auto most = 2 + dice.upto(14);
  for (std::size_t t = 0; t < kSlots; ++t)
    for (auto coming = dice.upto(most); coming > 0; --coming) {
      Job job;
      job.arrives = t;
      job.gpus = 1 + dice.upto(2);
      const auto length = 1 + dice.upto(4);
      for (std::uint32_t type = 0; type < types; ++type) job.slots.push_back(length + dice.upto(3));
      job.weight = dice.between(0.2, 5);
      out.jobs.push_back(std::move(job));
    }
  return out;
}

// All ways to run a job: one type, slots in a row.
struct Schedule {
  std::size_t type, first, last;
};
std::vector<Schedule> schedules_of(const Job& job, const Sequence& sequence) {
  std::vector<Schedule> out;
  for (std::size_t type = 0; type < sequence.capacity.size(); ++type)
    for (std::size_t first = job.arrives; first + job.slots[type] <= kSlots && job.gpus <= sequence.capacity[type];
         ++first)
      out.push_back({type, first, first + job.slots[type] - 1});
  return out;
}

// Bounds over all schedules that exist: u_max is the most any job gains per GPU and slot it could take alone, u_min
// such that all GPUs of all slots cost a quarter of the least gain.
std::optional<PriceCurve> bounds_of(const Sequence& sequence) {
  double most = 0;
  double least = HUGE_VAL;
  double cells = 0;
  for (const double gpus : sequence.capacity) cells += gpus * kSlots;
  for (const auto& job : sequence.jobs)
    for (const auto& schedule : schedules_of(job, sequence)) {
      const double gain = job.utility(schedule.last);
      most = std::max(most, gain);
      least = std::min(least, gain);
    }
  if (most <= 0) return std::nullopt;
  return PriceCurve{least / (4 * cells), most, 1};
}

struct Answer {
  double got = 0;
  double alpha = 1;
};

Answer admit(const Sequence& sequence, const PriceCurve& bounds) {
  Answer answer;
  answer.alpha = competitive_alpha(bounds);
  std::vector<std::vector<double>> taken(sequence.capacity.size(), std::vector<double>(kSlots, 0));
  for (const auto& job : sequence.jobs) {
    double best = 0;
    std::optional<Schedule> choice;
    for (const auto& schedule : schedules_of(job, sequence)) {
      double payoff = job.utility(schedule.last);
      bool fits = true;
      for (auto t = schedule.first; t <= schedule.last; ++t) {
        const double used = taken[schedule.type][t];
        fits = fits && used + job.gpus <= sequence.capacity[schedule.type];
        payoff -= cost_of({bounds.u_min, bounds.u_max, sequence.capacity[schedule.type]}, used, job.gpus);
      }
      if (!fits || payoff <= best) continue;
      best = payoff;
      choice = schedule;
    }
    if (!choice) continue;
    answer.got += job.utility(choice->last);
    for (auto t = choice->first; t <= choice->last; ++t) taken[choice->type][t] += job.gpus;
  }
  return answer;
}

Packing offline(const Sequence& sequence) {
  Packing packing;
  packing.groups = sequence.jobs.size();
  for (const double gpus : sequence.capacity) packing.capacity.insert(packing.capacity.end(), kSlots, gpus);
  for (std::size_t j = 0; j < sequence.jobs.size(); ++j)
    for (const auto& schedule : schedules_of(sequence.jobs[j], sequence)) {
      Column column{j, sequence.jobs[j].utility(schedule.last), {}};
      for (auto t = schedule.first; t <= schedule.last; ++t)
        column.uses.emplace_back(schedule.type * kSlots + t, sequence.jobs[j].gpus);
      packing.columns.push_back(std::move(column));
    }
  return packing;
}

int run(int sequences) {
  int cases = 0;
  int broken = 0;
  double worst = 0;
  double sum = 0;
  double nearest = 0;  // to the guarantee
  for (int i = 0; i < sequences; ++i) {
    const auto sequence = random_sequence(static_cast<std::uint64_t>(i));
    const auto bounds = bounds_of(sequence);
    if (!bounds) continue;
    const auto best = pack_parts(offline(sequence));
    if (!best) return 1;
    const auto answer = admit(sequence, *bounds);
    const double ratio = *best / answer.got;
    ++cases;
    sum += ratio;
    worst = std::max(worst, ratio);
    nearest = std::max(nearest, ratio / (2 * answer.alpha));
    broken += ratio > 2 * answer.alpha + 1e-9 ? 1 : 0;
  }
  std::printf(
      "%d arrival sequences: the linear bound of the offline optimum is %.3f times what posted prices gain at "
      "worst, %.3f on average; %.3f of the guarantee 2 alpha at most; %d break it\n",
      cases, worst, sum / std::max(1, cases), nearest, broken);
  return broken == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hadar::answers

int main(int count, char** words) {
  return hadar::answers::run(count > 1 ? std::atoi(words[1]) : 1000);
}
