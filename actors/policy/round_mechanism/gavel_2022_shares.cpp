#include "actors/policy/round_mechanism/gavel_2022_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "actors/policy/gavel/question.hpp"
#include "actors/policy/round_mechanism/central_path.hpp"
#include "actors/policy/round_mechanism/embedded_path.hpp"

namespace hadar {
namespace {

// Of the bisection over the makespan (public Gavel code, min_total_duration).
constexpr double kLeast_s = 100;
constexpr double kMost_s = 1e6;
constexpr double kStopAt = 1.05;
constexpr double kRangeGrowth = 10;
constexpr int kMostRanges = 12;

// Of water filling: a job that can rise by less than this factor is done (public Gavel code).
constexpr double kSameLevel = 1.0001;

using SpeedRow = std::vector<double>;

bool blind(const GavelRule& rule) {
  return rule.name.ends_with("-agnostic");
}

CentralProgram program_of(const ShareProblem& problem, CentralGoal goal) {
  CentralProgram program;
  program.goal = goal;
  program.capacity = problem.gpus;
  for (const auto& job : problem.jobs) {
    program.gpus.push_back(job.gpus);
    program.value.push_back(job.steps_per_s);
  }
  return program;
}

void scale(SpeedRow& row, double factor) {
  for (auto& value : row) value *= factor;
}

TimeShares answer_of(const CentralAnswer& central, double objective) {
  TimeShares out;
  out.alone = central.share;
  for (auto& row : out.alone)
    for (auto& share : row) share = std::clamp(share, 0.0, 1.0);
  out.objective = objective;
  return out;
}

// As ECOS answers; the middle of the best answers when that does not settle.
CentralAnswer solved(const CentralProgram& program) {
  if (auto answer = follow_embedded_path(program)) return *std::move(answer);
  return follow_central_path(program);
}

CentralProgram las_program(const ShareProblem& problem) {
  auto program = program_of(problem, CentralGoal::kMaxMin);
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
    const auto& job = problem.jobs[i];
    scale(program.value[i], job.gpus / (job.weight * gavel::equal_speed(problem, job, gavel::true_speed)));
  }
  return program;
}

TimeShares las(const ShareProblem& problem) {
  const auto central = solved(las_program(problem));
  return answer_of(central, central.level);
}

// One program of water filling: jobs that are done stay at what they `reached`, in units of their speed on an equal
// share; the others rise from there together.
CentralProgram filling_program(const ShareProblem& problem, const SpeedRow& reached, const std::vector<bool>& done) {
  auto program = las_program(problem);
  program.floor = reached;
  double most = 0;
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
    const auto factor = problem.jobs[i].gpus / problem.jobs[i].weight;
    auto& held = program.floor_value.emplace_back(program.value[i]);
    scale(held, 1 / factor);
    for (const auto value : held) most = std::max(most, value * problem.jobs[i].gpus);
    program.head_start.push_back(-factor * reached[i]);
  }
  for (std::size_t i = 0; i < problem.jobs.size(); ++i)
    if (done[i]) {
      scale(program.value[i], 0);
      program.head_start[i] = most;
    }
  return program;
}

// Water filling program by program (public Gavel code, max_min_fairness_water_filling); the answer is the last one's.
// Which jobs are done when is known from `best`; how far they are, the programs say, since their digits decide.
TimeShares water_filled(const ShareProblem& problem, const TimeShares& best) {
  const auto value = las_program(problem).value;
  SpeedRow level;
  for (std::size_t i = 0; i < value.size(); ++i)
    level.push_back(std::inner_product(value[i].begin(), value[i].end(), best.alone[i].begin(), 0.0));
  auto answer = best;
  SpeedRow reached(value.size(), 0.0);
  std::vector<bool> done(value.size(), false);
  while (std::find(done.begin(), done.end(), false) != done.end()) {
    const auto next = follow_embedded_path(filling_program(problem, reached, done));
    if (!next) break;
    answer = answer_of(*next, best.objective);
    double lowest = HUGE_VAL;
    for (std::size_t i = 0; i < level.size(); ++i)
      if (!done[i]) lowest = std::min(lowest, level[i]);
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (done[i]) continue;
      reached[i] += next->level * problem.jobs[i].weight / problem.jobs[i].gpus;
      done[i] = level[i] <= lowest * kSameLevel;
    }
  }
  return answer;
}

TimeShares throughput(const ShareProblem& problem, bool by_price) {
  auto program = program_of(problem, CentralGoal::kSum);
  for (auto& row : program.value)
    for (std::size_t j = 0; by_price && j < row.size(); ++j) row[j] /= problem.price_per_gpu_hour[j];
  const auto central = solved(program);
  double sum = 0;
  for (std::size_t i = 0; i < central.share.size(); ++i)
    for (std::size_t j = 0; j < problem.types.size(); ++j) sum += program.value[i][j] * central.share[i][j];
  return answer_of(central, sum);
}

TimeShares finish_time(const ShareProblem& problem) {
  auto program = program_of(problem, CentralGoal::kFinish);
  for (const auto& job : problem.jobs) {
    program.age.push_back(job.age_s);
    program.work.push_back(job.steps_left);
    program.fair.push_back(job.isolated_history +
                           job.steps_left / gavel::isolated_speed(problem, job, gavel::true_speed));
  }
  const auto central = solved(program);
  return answer_of(central, central.level);
}

// The makespan the bisection ends with, when the best one is `best_s`.
double bisected(double best_s) {
  double high = kMost_s;
  double found = 0;
  for (int range = 0; found == 0 && range < kMostRanges; ++range, high *= kRangeGrowth) {
    double low = kLeast_s;
    for (auto top = high; kStopAt * low < top;) {
      const auto middle = (low + top) / 2;
      if (middle >= best_s)
        found = top = middle;
      else
        low = middle;
    }
  }
  return found;
}

Result<TimeShares> makespan(const GavelRule& rule, const ShareProblem& problem) {
  auto program = program_of(problem, CentralGoal::kMaxMin);
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) scale(program.value[i], 1 / problem.jobs[i].steps_left);
  const auto best_s = 1 / follow_central_path(program).level;
  const auto allowed_s = bisected(best_s);
  if (allowed_s == 0) return rule.solve(problem);
  auto floors = program;
  floors.goal = CentralGoal::kFloors;
  floors.floor.assign(problem.jobs.size(), 1 / allowed_s);
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) {  // rows as the public code writes them: speeds against steps
    scale(floors.value[i], problem.jobs[i].steps_left);
    floors.floor[i] *= problem.jobs[i].steps_left;
  }
  if (const auto answer = follow_embedded_path(floors)) return answer_of(*answer, allowed_s);
  const auto inside = follow_central_path(program, 1 / allowed_s);
  if (inside.level <= 1 / allowed_s) return answer_of(inside, allowed_s);
  program.goal = CentralGoal::kFloors;
  program.floor.assign(problem.jobs.size(), 1 / allowed_s);
  return answer_of(follow_central_path(program, {}, &inside), allowed_s);
}

// As a blind rule sees the problem: all speeds 1, or all those of one type.
ShareProblem seen_by(const GavelRule& rule, const ShareProblem& problem) {
  auto seen = problem;
  if (!blind(rule)) return seen;
  const auto column = gavel::blind_column(problem);
  for (auto& job : seen.jobs)
    job.steps_per_s.assign(problem.types.size(), rule.name == "gavel-las-agnostic" ? 1.0 : job.steps_per_s[column]);
  return seen;
}

bool solvable(const ShareProblem& problem) {
  return !problem.jobs.empty() &&
         std::all_of(problem.gpus.begin(), problem.gpus.end(), [](double count) { return count > 0; }) &&
         std::all_of(problem.jobs.begin(), problem.jobs.end(), [](const ShareJob& job) {
           return std::any_of(job.steps_per_s.begin(), job.steps_per_s.end(), [](double speed) { return speed > 0; });
         });
}

}  // namespace

Result<TimeShares> gavel_2022_shares(const GavelRule& rule, const ShareProblem& problem) {
  if (auto right = gavel::check_problem(problem); !right) return fail(std::move(right));
  const auto seen = seen_by(rule, problem);
  if (!solvable(seen)) return rule.solve(problem);
  if (rule.name.starts_with("gavel-las") && rule.name != "gavel-las-leximin" && !rule.shares_gpus) return las(seen);
  if (rule.name == "gavel-las-leximin") {
    const auto best = rule.solve(problem);
    return best ? water_filled(seen, *best) : best;
  }
  if (rule.name == "gavel-throughput") return throughput(seen, false);
  if (rule.name == "gavel-cost" && !problem.price_per_gpu_hour.empty()) return throughput(seen, true);
  if (rule.name.starts_with("gavel-makespan") && !rule.shares_gpus) return makespan(rule, seen);
  if (rule.name.starts_with("gavel-ftf") && !rule.shares_gpus) return finish_time(seen);
  return rule.solve(seen);
}

}  // namespace hadar
