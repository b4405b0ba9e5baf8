#include "tools/cli/solve_instance.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <tuple>

#include "runtime/config/text.hpp"
#include "runtime/config/throughput_csv.hpp"
#include "tools/cli/strict_json.hpp"

namespace hadar::cli {
namespace {

constexpr std::size_t kMaxTypes = 64;
constexpr std::size_t kMaxJobs = 100000;
constexpr std::size_t kMaxPairs = 20000000;
constexpr double kMaxSpeed = 1e12;
constexpr std::uint64_t kMaxGpus = 10000000;  // of a type; plans name each
constexpr double kMaxSeconds = 1e12;

std::size_t type_index(const ShareProblem& problem, const JsonAt& where, const std::string& name) {
  const auto at = std::find(problem.types.begin(), problem.types.end(), name);
  if (at == problem.types.end()) where.refuse("names \"" + name + "\", which is not in worker_types");
  return static_cast<std::size_t>(at - problem.types.begin());
}

// An object with one number per worker type.
template <class Read>
std::vector<double> by_type(const ShareProblem& problem, const JsonAt& in, const Read& read) {
  std::vector<double> out;
  for (const auto& type : problem.types) out.push_back(read(in.at(type)));
  for (const auto& key : in.keys()) type_index(problem, in, key);
  return out;
}

void read_cluster(const JsonAt& top, ShareProblem& problem) {
  const auto types = top.at("worker_types");
  const auto count = types.size(kMaxTypes);
  if (count == 0) types.refuse("must name at least one GPU type");
  for (std::size_t j = 0; j < count; ++j) {
    const auto name = types.at(j).text();
    if (name.empty()) types.at(j).refuse("must not be empty");
    if (std::find(problem.types.begin(), problem.types.end(), name) != problem.types.end())
      types.at(j).refuse("is there twice");
    problem.types.push_back(name);
  }
  problem.gpus =
      by_type(problem, top.at("cluster"), [](const JsonAt& at) { return static_cast<double>(at.count(0, kMaxGpus)); });
  if (top.has("instance_costs"))
    problem.price_per_gpu_hour =
        by_type(problem, top.at("instance_costs"), [](const JsonAt& at) { return at.rate(1e9); });
}

ShareJob read_job(const ShareProblem& problem, const JsonAt& in, const JsonAt& speeds, std::string& job_type) {
  in.only({"id", "job_type", "scale_factor", "priority_weight", "steps_remaining", "time_since_start_s",
           "slo_remaining_s", "isolated_history", "placed_on"});
  ShareJob job;
  job.job = JobId{in.at("id").count(0, 1000000000000ULL)};
  if (!problem.jobs.empty() && problem.jobs.back().job >= job.job)
    in.at("id").refuse("must be larger than the id before");
  job.gpus = static_cast<std::uint32_t>(in.at("scale_factor").count(1, 1000000));
  job.weight = in.at("priority_weight").rate(1e12);
  job.steps_left = in.at("steps_remaining").rate(1e18);
  if (in.has("time_since_start_s")) job.age_s = in.at("time_since_start_s").number(0, kMaxSeconds);
  if (in.has("slo_remaining_s") && !in.at("slo_remaining_s").is_null())
    job.time_to_deadline_s = in.at("slo_remaining_s").number(-kMaxSeconds, kMaxSeconds);
  if (in.has("isolated_history")) job.isolated_history = in.at("isolated_history").number(0, kMaxSeconds);
  if (in.has("placed_on") && !in.at("placed_on").is_null())
    job.placed_on = type_index(problem, in.at("placed_on"), in.at("placed_on").text());
  if (in.has("job_type")) job_type = in.at("job_type").text();
  const auto types = problem.types.size();
  if (speeds.size(kMaxTypes) != types) speeds.refuse("must have one speed per worker type, " + std::to_string(types));
  for (std::size_t j = 0; j < types; ++j) job.steps_per_s.push_back(speeds.at(j).rate_or_0(kMaxSpeed));
  return job;
}

void read_jobs(const JsonAt& top, SolveInstance& out) {
  const auto jobs = top.at("jobs");
  const auto speeds = top.at("throughputs");
  const auto count = jobs.size(kMaxJobs);
  if (speeds.size(kMaxJobs) != count) speeds.refuse("must have one row per job, " + std::to_string(count));
  if (top.has("num_jobs") && top.at("num_jobs").count(0, kMaxJobs) != count)
    top.at("num_jobs").refuse("must be the length of jobs, " + std::to_string(count));
  out.job_types.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    out.problem.jobs.push_back(read_job(out.problem, jobs.at(i), speeds.at(i), out.job_types[i]));
}

void read_entities(const JsonAt& in, ShareProblem& problem) {
  in.only({"jobs", "weights", "mixed_policies"});
  const auto members = in.at("jobs");
  std::vector<char> taken(problem.jobs.size(), 0);
  for (const auto& name : members.keys()) {
    ShareEntity entity;
    entity.name = name;
    entity.weight = in.at("weights").at(name).rate(1e12);
    if (in.has("mixed_policies")) {
      const auto rule = in.at("mixed_policies").at(name);
      if (rule.text() != "fairness" && rule.text() != "fifo") rule.refuse("must be \"fairness\" or \"fifo\"");
      entity.rule = rule.text() == "fifo" ? EntityRule::kFifo : EntityRule::kFairness;
    }
    const auto list = members.at(name);
    for (std::size_t k = 0; k < list.size(kMaxJobs); ++k) {
      const auto id = list.at(k).count(0, 1000000000000ULL);
      const auto job = std::lower_bound(problem.jobs.begin(), problem.jobs.end(), id,
                                        [](const ShareJob& at, std::uint64_t wanted) { return at.job.value < wanted; });
      if (job == problem.jobs.end() || job->job.value != id) list.at(k).refuse("names no job");
      if (taken[static_cast<std::size_t>(job - problem.jobs.begin())]++ != 0) list.at(k).refuse("is in two entities");
      job->entity = problem.entities.size();
    }
    problem.entities.push_back(std::move(entity));
  }
  for (const auto* key : {"weights", "mixed_policies"})
    if (in.has(key))
      for (const auto& name : in.at(key).keys())
        if (!members.has(name)) in.at(key).refuse("names \"" + name + "\", which is no entity");
  const auto outside = std::find(taken.begin(), taken.end(), 0);
  if (outside != taken.end())
    members.refuse("must hold every job; job " +
                   std::to_string(problem.jobs[static_cast<std::size_t>(outside - taken.begin())].job.value) +
                   " is in no entity");
}

void sort_pairs(ShareProblem& problem) {
  std::sort(problem.pairs.begin(), problem.pairs.end(),
            [](const SharePair& l, const SharePair& r) { return std::pair(l.a, l.b) < std::pair(r.a, r.b); });
}

void read_pairs(const JsonAt& in, ShareProblem& problem) {
  const auto types = problem.types.size();
  for (std::size_t p = 0; p < in.size(kMaxPairs); ++p) {
    const auto row = in.at(p);
    if (row.size(kMaxTypes + 2) != types + 2) row.refuse("must be [i, j, [speed of i, speed of j] per worker type]");
    const auto last = problem.jobs.empty() ? 0 : problem.jobs.size() - 1;
    auto a = row.at(std::size_t{0}).count(0, last);
    auto b = row.at(1).count(0, last);
    if (a == b) row.refuse("must name two jobs");
    if (problem.jobs[a].gpus != problem.jobs[b].gpus) row.refuse("must name jobs of equal scale_factor");
    const bool swapped = a > b;
    if (swapped) std::swap(a, b);
    SharePair pair{a, b, {}};
    for (std::size_t j = 0; j < types; ++j) {
      const auto speeds = row.at(j + 2);
      if (speeds.size(2) != 2) speeds.refuse("must be two speeds");
      pair.steps_per_s.push_back(
          {speeds.at(swapped ? 1 : 0).rate_or_0(kMaxSpeed), speeds.at(swapped ? 0 : 1).rate_or_0(kMaxSpeed)});
    }
    problem.pairs.push_back(std::move(pair));
  }
  sort_pairs(problem);
  for (std::size_t p = 1; p < problem.pairs.size(); ++p)
    if (problem.pairs[p - 1].a == problem.pairs[p].a && problem.pairs[p - 1].b == problem.pairs[p].b)
      in.refuse("has the pair " + std::to_string(problem.pairs[p].a) + ", " + std::to_string(problem.pairs[p].b) +
                " twice");
}

SolveInstance read_instance(const JsonAt& top) {
  top.only({"id", "seed", "kind", "num_jobs", "cluster", "worker_types", "instance_costs", "jobs", "throughputs",
            "pair_throughputs", "entities", "results"});
  SolveInstance out;
  read_cluster(top, out.problem);
  read_jobs(top, out);
  if (top.has("seed")) out.problem.seed = top.at("seed").count(0, UINT64_MAX);
  if (top.has("entities")) read_entities(top.at("entities"), out.problem);
  out.has_pairs = top.has("pair_throughputs");
  if (out.has_pairs) read_pairs(top.at("pair_throughputs"), out.problem);
  return out;
}

// Speeds of (job type, partner type) by gang size and worker type.
struct SharedSpeeds {
  // (job type, partner, gang size, worker type) -> speeds of both
  std::map<std::tuple<std::string, std::string, std::uint32_t, std::size_t>, std::array<double, 2>> rows;

  void add(const std::string& a, const std::string& b, std::uint32_t gpus, std::size_t type, double first,
           double second) {
    rows[{a, b, gpus, type}] = {first, second};
    rows[{b, a, gpus, type}] = {second, first};
  }
};

// The worker type of that name in any case, or the number of types.
std::size_t worker_type(const ShareProblem& problem, const GpuType& name) {
  const auto same = [](char l, char r) {
    return l == r || (std::isalpha(static_cast<unsigned char>(l)) != 0 && (l ^ r) == 0x20);
  };
  std::size_t j = 0;
  while (j < problem.types.size() &&
         !std::equal(name.begin(), name.end(), problem.types[j].begin(), problem.types[j].end(), same))
    ++j;
  return j;
}

// As instances name job types: "LM (batch size 20)"; models without a batch size, like "A3C", stand alone.
std::string job_type_name(const std::string& model, std::uint32_t batch_size) {
  return batch_size <= 1 ? model : model + " (batch size " + std::to_string(batch_size) + ")";
}

SharedSpeeds shared_speeds(const ThroughputFile& file, const ShareProblem& problem) {
  SharedSpeeds out;
  for (const auto& shared : file.shared) {
    const auto type = worker_type(problem, shared.row.type);
    if (type == problem.types.size() || shared.row.placement != Placement::kPacked) continue;
    out.add(job_type_name(shared.row.model, shared.row.batch_size),
            job_type_name(shared.partner, shared.partner_batch_size), shared.row.gpus, type, shared.row.steps_per_s,
            shared.partner_steps_per_s);
  }
  return out;
}

void apply(const SharedSpeeds& speeds, SolveInstance& instance) {
  auto& problem = instance.problem;
  const auto types = problem.types.size();
  for (std::size_t a = 0; a < problem.jobs.size(); ++a)
    for (std::size_t b = a + 1; b < problem.jobs.size(); ++b) {
      const auto gpus = problem.jobs[a].gpus;
      if (gpus != problem.jobs[b].gpus) continue;
      SharePair pair{a, b, std::vector<std::array<double, 2>>(types, {0, 0})};
      bool any = false;
      for (std::size_t j = 0; j < types; ++j) {
        const auto at = speeds.rows.find({instance.job_types[a], instance.job_types[b], gpus, j});
        if (at == speeds.rows.end()) continue;
        pair.steps_per_s[j] = at->second;
        any = true;
      }
      if (any) problem.pairs.push_back(std::move(pair));
    }
}

}  // namespace

Result<SolveInstance> load_instance(const std::filesystem::path& file) {
  auto text = read_text(file);
  if (!text) return fail(std::move(text));
  auto value = parse_json_object(*text, file.string());
  if (!value) return fail(std::move(value));
  try {
    return read_instance(JsonAt(*value, ""));
  } catch (const BrokenJson& broken) {
    return fail(ErrorCode::kInvalidArgument, file.string() + ": " + broken.message);
  }
}

Status add_pairs(SolveInstance& instance, const std::filesystem::path& file) {
  if (instance.has_pairs) return {};
  auto table = load_throughput_file(file);
  if (!table) return fail(std::move(table));
  apply(shared_speeds(*table, instance.problem), instance);
  return {};
}

}  // namespace hadar::cli
