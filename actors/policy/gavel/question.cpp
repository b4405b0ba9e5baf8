#include "actors/policy/gavel/question.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hadar::gavel {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

bool is_count(double value) {
  return std::isfinite(value) && value >= 0;
}
bool is_positive(double value) {
  return std::isfinite(value) && value > 0;
}

tl::unexpected<Error> refuse(std::string what) {
  return fail(ErrorCode::kInvalidArgument, std::move(what));
}

Status check_types(const ShareProblem& problem) {
  const auto types = problem.types.size();
  if (types == 0) return refuse("share problem: needs at least one GPU type");
  if (problem.gpus.size() != types) return refuse("share problem: gpus must have one number per type");
  if (!problem.price_per_gpu_hour.empty() && problem.price_per_gpu_hour.size() != types)
    return refuse("share problem: price_per_gpu_hour must have one number per type, or none");
  for (std::size_t j = 0; j < types; ++j) {
    if (!is_count(problem.gpus[j]))
      return refuse("GPU type " + problem.types[j] + ": its count must be finite and >= 0");
    if (!problem.price_per_gpu_hour.empty() && !is_positive(problem.price_per_gpu_hour[j]))
      return refuse("GPU type " + problem.types[j] + ": its price must be finite and above 0");
  }
  return {};
}

Status check_job(const ShareProblem& problem, const ShareJob& job) {
  const auto name = "job " + std::to_string(job.job.value);
  if (job.gpus == 0) return refuse(name + ": gpus must be at least 1");
  if (!is_positive(job.weight)) return refuse(name + ": weight must be finite and above 0");
  if (!is_positive(job.steps_left)) return refuse(name + ": steps_left must be finite and above 0");
  if (!is_count(job.age_s)) return refuse(name + ": age_s must be finite and >= 0");
  if (!is_count(job.isolated_history)) return refuse(name + ": isolated_history must be finite and >= 0");
  if (job.time_to_deadline_s && !std::isfinite(*job.time_to_deadline_s))
    return refuse(name + ": time_to_deadline_s must be finite");
  if (!problem.entities.empty() && job.entity >= problem.entities.size()) return refuse(name + ": no such entity");
  if (job.placed_on && *job.placed_on >= problem.types.size()) return refuse(name + ": placed_on names no type");
  if (job.steps_per_s.size() != problem.types.size()) return refuse(name + ": needs one speed per type");
  if (!std::all_of(job.steps_per_s.begin(), job.steps_per_s.end(), is_count))
    return refuse(name + ": speeds must be finite and >= 0");
  return {};
}

// What is wrong with a pair, or nothing. There can be millions of pairs, so text is made only for one that is refused.
const char* fault_of_order(const ShareProblem& problem, const std::vector<std::uint32_t>& gangs, const SharePair& pair,
                           const SharePair* last) {
  if (pair.a >= pair.b || pair.b >= gangs.size()) return "must name two jobs, the smaller first";
  if (last != nullptr && std::pair(last->a, last->b) >= std::pair(pair.a, pair.b)) return "pairs must rise";
  if (gangs[pair.a] != gangs[pair.b]) return "gang sizes must be equal";
  return pair.steps_per_s.size() == problem.types.size() ? nullptr : "needs two speeds per type";
}

const char* fault_of_speeds(const SharePair& pair) {
  bool right = true;
  for (const auto& [first, second] : pair.steps_per_s)
    right = right & (first >= 0) & (first <= kLargest) & (second >= 0) & (second <= kLargest);
  return right ? nullptr : "speeds must be finite and >= 0";
}

Status refuse_pair(const SharePair& pair, const char* fault) {
  return refuse("pair " + std::to_string(pair.a) + ", " + std::to_string(pair.b) + ": " + fault);
}

bool same_name(const GpuType& type, const char* lower) {
  std::string text = type;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text == lower;
}

}  // namespace

Status check_all_but_pair_speeds(const ShareProblem& problem) {
  if (auto types = check_types(problem); !types) return types;
  for (const auto& entity : problem.entities)
    if (!is_positive(entity.weight)) return refuse("entity " + entity.name + ": weight must be finite and above 0");
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
    if (auto job = check_job(problem, problem.jobs[i]); !job) return job;
    if (i > 0 && problem.jobs[i - 1].job >= problem.jobs[i].job) return refuse("share problem: job ids must rise");
  }
  std::vector<std::uint32_t> gangs;
  for (const auto& job : problem.jobs) gangs.push_back(job.gpus);
  const SharePair* last = nullptr;
  for (const auto& pair : problem.pairs) {
    if (const auto* fault = fault_of_order(problem, gangs, pair, last)) return refuse_pair(pair, fault);
    last = &pair;
  }
  return {};
}

Status check_pair_speeds(const SharePair& pair) {
  const auto* fault = fault_of_speeds(pair);
  return fault == nullptr ? Status{} : refuse_pair(pair, fault);
}

Status check_all_pair_speeds(const ShareProblem& problem) {
  for (const auto& pair : problem.pairs)
    if (const auto* fault = fault_of_speeds(pair)) return refuse_pair(pair, fault);
  return {};
}

Status check_problem(const ShareProblem& problem) {
  if (auto right = check_all_but_pair_speeds(problem); !right) return right;
  return check_all_pair_speeds(problem);
}

double true_speed(const ShareJob& job, std::size_t type) {
  return job.steps_per_s[type];
}

std::size_t blind_column(const ShareProblem& problem) {
  for (std::size_t j = 0; j < problem.types.size(); ++j)
    if (same_name(problem.types[j], "v100") && problem.gpus[j] > 0) return j;
  std::size_t best = 0;
  double most = -1;
  for (std::size_t j = 0; j < problem.types.size(); ++j) {
    if (problem.gpus[j] <= 0) continue;
    double sum = 0;
    for (const auto& job : problem.jobs) {
      const double top = *std::max_element(job.steps_per_s.begin(), job.steps_per_s.end());
      if (top > 0) sum += job.steps_per_s[j] / top;
    }
    if (sum > most) {
      most = sum;
      best = j;
    }
  }
  return best;
}

double equal_speed(const ShareProblem& problem, const ShareJob& job, const SpeedOf& speed) {
  const double all = std::accumulate(problem.gpus.begin(), problem.gpus.end(), 0.0);
  double sum = 0;
  for (std::size_t j = 0; j < problem.types.size(); ++j) sum += speed(job, j) * problem.gpus[j] / all;
  return sum;
}

std::vector<double> isolated_shares(const ShareProblem& problem, const ShareJob& job, std::size_t jobs) {
  std::vector<double> shares;
  double sum = 0;
  for (const double gpus : problem.gpus) {
    shares.push_back(gpus / (static_cast<double>(jobs) * job.gpus));
    sum += shares.back();
  }
  for (auto& share : shares) share /= std::max(1.0, sum);
  return shares;
}

double isolated_speed(const ShareProblem& problem, const ShareJob& job, const SpeedOf& speed) {
  const auto shares = isolated_shares(problem, job, problem.jobs.size());
  double sum = 0;
  for (std::size_t j = 0; j < shares.size(); ++j) sum += speed(job, j) * shares[j];
  return sum;
}

Question ask(const ShareProblem& problem, const SpeedOf& speed) {
  Question out;
  for (std::size_t j = 0; j < problem.types.size(); ++j) {
    if (problem.gpus[j] <= 0) continue;
    out.types.push_back(j);
    out.market.capacity.push_back(problem.gpus[j]);
  }
  out.market.types = out.types.size();
  std::size_t left_out = 0;
  std::uint64_t first_left_out = 0;
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
    const auto& job = problem.jobs[i];
    const bool fits = std::any_of(out.types.begin(), out.types.end(),
                                  [&](std::size_t j) { return speed(job, j) > 0 && problem.gpus[j] >= job.gpus; });
    if (!fits) {
      if (left_out++ == 0) first_left_out = job.job.value;
      continue;
    }
    out.jobs.push_back(i);
    out.market.gpus.push_back(job.gpus);
    for (const auto j : out.types) out.market.utility.push_back(speed(job, j));
  }
  if (left_out > 0)
    out.notes.push_back(std::to_string(left_out) +
                        " jobs get no share since no GPU type can run them (the first is job " +
                        std::to_string(first_left_out) + ")");
  return out;
}

void scale_row(solvers::Market& market, std::size_t job, double factor) {
  for (std::size_t j = 0; j < market.types; ++j) market.row(job)[j] *= factor;
}

TimeShares no_shares(const ShareProblem& problem) {
  TimeShares out;
  out.alone.assign(problem.jobs.size(), std::vector<double>(problem.types.size(), 0.0));
  return out;
}

TimeShares answer(const ShareProblem& problem, const Question& question, const solvers::Shares& shares) {
  auto out = no_shares(problem);
  const auto types = question.types.size();
  for (std::size_t i = 0; i < question.jobs.size(); ++i)
    for (std::size_t j = 0; j < types; ++j) out.alone[question.jobs[i]][question.types[j]] = shares[i * types + j];
  out.notes = question.notes;
  return out;
}

}  // namespace hadar::gavel
