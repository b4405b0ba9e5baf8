#include "actors/policy/round_mechanism/share_question.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "actors/policy/round_mechanism/fingerprint.hpp"

namespace hadar {
namespace {

constexpr double kLeastSteps = 1;
// Dollars per GPU and hour in Gavel's evaluation (OSDI'20; Google Cloud).
const std::map<std::string, double> kPublishedPrices = {{"V100", 0.74}, {"P100", 0.43}, {"K80", 0.135}};

std::vector<double> prices_of(const std::vector<GpuType>& types, const QuestionSettings& settings) {
  std::vector<double> prices;
  double sum = 0;
  double known = 0;
  for (const auto& type : types) {
    const auto& source = settings.prices.contains(type) ? settings.prices : kPublishedPrices;
    const auto found = source.find(type);
    prices.push_back(found == source.end() ? 0 : found->second);
    sum += prices.back();
    known += found == source.end() ? 0 : 1;
  }
  for (auto& price : prices)
    if (price == 0) price = known > 0 ? sum / known : 1;
  return prices;
}

void add_entities(ShareProblem& problem, const RoundInput& input, const std::vector<std::size_t>& jobs,
                  const QuestionSettings& settings) {
  std::map<std::string, std::size_t> numbers;
  for (const auto j : jobs) numbers.emplace(input.jobs[j]->user, 0);
  for (auto& [user, number] : numbers) {
    number = problem.entities.size();
    const auto weight = settings.entity_weights.find(user);
    problem.entities.push_back(
        {user, weight == settings.entity_weights.end() ? 1 : weight->second, settings.entity_rule});
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) problem.jobs[i].entity = numbers.at(input.jobs[jobs[i]]->user);
}

std::optional<std::size_t> type_held(const ClusterIndex& cluster, const JobView& job) {
  if (job.held.size() != 1) return std::nullopt;
  const auto gang = cluster.gang_of(job.held.front());
  if (gang.empty()) return std::nullopt;
  for (const auto& part : gang)
    if (part.type != gang.front().type) return std::nullopt;
  return gang.front().type;
}

void add_pairs(ShareProblem& problem, const RoundInput& input, const ClusterIndex& cluster,
               const std::vector<std::size_t>& jobs) {
  if (input.pairs.empty()) return;
  for (std::size_t a = 0; a < jobs.size(); ++a)
    for (std::size_t b = a + 1; b < jobs.size(); ++b) {
      auto speeds = pair_speeds(input, cluster, *input.jobs[jobs[a]], *input.jobs[jobs[b]]);
      for (std::size_t type = 0; type < speeds.size(); ++type)  // only where both may run
        if (problem.jobs[a].steps_per_s[type] == 0 || problem.jobs[b].steps_per_s[type] == 0) speeds[type] = {0, 0};
      if (std::any_of(speeds.begin(), speeds.end(), [](const auto& speed) { return speed[0] > 0 && speed[1] > 0; }))
        problem.pairs.push_back({a, b, std::move(speeds)});
    }
}

}  // namespace

QuestionSettings read_question_settings(SettingsReader& reader) {
  QuestionSettings settings;
  settings.prices = reader.numbers("price.", 1e-6, 1e6);
  settings.entity_weights = reader.numbers("entity_weight.", 1e-6, 1e6);
  settings.entity_rule = reader.word("entity_rule", "fairness", {"fairness", "fifo"}) == "fifo" ? EntityRule::kFifo
                                                                                                : EntityRule::kFairness;
  settings.seed = static_cast<std::uint64_t>(reader.number("seed", 0, 0, 1e15));
  return settings;
}

ShareProblem share_problem(const RoundInput& input, const ClusterIndex& cluster, const std::vector<std::size_t>& jobs,
                           const std::vector<std::vector<double>>& speeds, const GavelRule& rule,
                           const QuestionSettings& settings, double now_s) {
  ShareProblem problem;
  problem.types = cluster.type_names();
  for (std::uint32_t type = 0; type < cluster.types(); ++type) problem.gpus.push_back(cluster.installed(type));
  if (rule.needs_prices) problem.price_per_gpu_hour = prices_of(problem.types, settings);
  problem.seed = settings.seed;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& view = *input.jobs[jobs[i]];
    ShareJob job;
    job.job = view.job;
    job.gpus = view.gpus;
    job.weight = view.weight;
    job.steps_left = std::max(kLeastSteps, static_cast<double>(view.steps_left()));
    job.age_s = std::max(0.0, now_s - view.submitted_t_s);
    if (view.deadline_t_s > 0) job.time_to_deadline_s = view.deadline_t_s - now_s;
    if (rule.reads_placement) job.placed_on = type_held(cluster, view);
    job.steps_per_s = speeds[i];
    problem.jobs.push_back(std::move(job));
  }
  if (rule.name == "gavel-hierarchical") add_entities(problem, input, jobs, settings);
  if (rule.shares_gpus) add_pairs(problem, input, cluster, jobs);
  return problem;
}

std::vector<std::array<double, 2>> pair_speeds(const RoundInput& input, const ClusterIndex& cluster, const JobView& a,
                                               const JobView& b) {
  if (a.gpus != b.gpus) return {};
  WorkloadKey first{a.model, a.batch_size};
  WorkloadKey second{b.model, b.batch_size};
  const bool swapped = second < first;
  if (swapped) std::swap(first, second);
  const auto place = [](const PairEstimate& pair) { return std::tie(pair.a, pair.b, pair.gpus); };
  auto it = std::lower_bound(input.pairs.begin(), input.pairs.end(), std::tie(first, second, a.gpus),
                             [&](const PairEstimate& pair, const auto& key) { return place(pair) < key; });
  std::vector<std::array<double, 2>> speeds;
  for (; it != input.pairs.end() && place(*it) == std::tie(first, second, a.gpus); ++it) {
    const auto type = cluster.find_type(it->type);
    if (type == ClusterIndex::kNone) continue;
    speeds.resize(cluster.types(), {0, 0});
    speeds[type] = {it->a_steps_per_s, it->b_steps_per_s};
    if (swapped) std::swap(speeds[type][0], speeds[type][1]);
  }
  return speeds;
}

std::uint64_t fingerprint_of(const ShareProblem& problem) {
  Fingerprint print;
  for (std::size_t type = 0; type < problem.types.size(); ++type) {
    print.add(problem.types[type]);
    print.add_roughly(problem.gpus[type]);
  }
  for (const auto& job : problem.jobs) {
    print.add(job.job.value);
    print.add(std::uint64_t{job.gpus});
    print.add_roughly(job.weight);
    for (const auto speed : job.steps_per_s) print.add_roughly(speed);
  }
  for (const auto& pair : problem.pairs) {
    print.add(pair.a);
    print.add(pair.b);
    for (const auto& speed : pair.steps_per_s) {
      print.add_roughly(speed[0]);
      print.add_roughly(speed[1]);
    }
  }
  return print.value();
}

}  // namespace hadar
