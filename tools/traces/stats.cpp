#include "tools/traces/stats.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "tools/traces/measured_speeds.hpp"
#include "tools/traces/model_draw.hpp"
#include "tools/traces/random.hpp"

namespace hadar::traces {
namespace {

// The smallest value that at least this part of all values does not exceed.
double at_rank(const std::vector<double>& sorted, double part) {
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

Spread spread_of(std::vector<double> values) {
  Spread spread;
  spread.count = values.size();
  if (values.empty()) return spread;
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  spread.mean = sum / static_cast<double>(values.size());
  spread.min = values.front();
  spread.p10 = at_rank(values, 0.10);
  spread.p50 = at_rank(values, 0.50);
  spread.p90 = at_rank(values, 0.90);
  spread.p99 = at_rank(values, 0.99);
  spread.max = values.back();
  return spread;
}

// Packed speeds by what they are of.
using SpeedKey = std::tuple<std::string, std::uint32_t, std::uint32_t, GpuType>;
std::map<SpeedKey, double> packed_speeds(const ThroughputTable& table) {
  std::map<SpeedKey, double> speeds;
  for (const auto& row : table)
    if (row.placement == Placement::kPacked)
      speeds.try_emplace({row.model, row.batch_size, row.gpus, row.type}, row.steps_per_s);
  return speeds;
}

std::map<GpuType, std::uint64_t> count_gpus(const std::vector<NodeInventory>& nodes) {
  std::map<GpuType, std::uint64_t> counts;
  for (const auto& node : nodes)
    for (const auto& group : node.gpus) counts[group.type] += group.count;
  return counts;
}

ClusterLoad load_of(const Trace& trace, const ThroughputTable& table, const std::vector<NodeInventory>& nodes) {
  const auto speeds = packed_speeds(table);
  const auto counts = count_gpus(nodes);
  ClusterLoad load;
  for (const auto& [type, count] : counts) load.gpus += count;
  for (const auto& job : trace.jobs) {
    if (job.gpus > load.gpus) ++load.too_large;
    double sum = 0;
    for (const auto& [type, count] : counts) {
      auto found = speeds.find({job.model, job.batch_size, job.gpus, type});
      if (found == speeds.end()) found = speeds.find({job.model, job.batch_size, 1U, type});
      if (found != speeds.end()) sum += found->second * static_cast<double>(count);
    }
    if (sum == 0) {
      ++load.unknown;
      continue;
    }
    const double alone_s = static_cast<double>(job.total_steps) / (sum / static_cast<double>(load.gpus));
    load.gpu_h += alone_s / 3600 * job.gpus;
  }
  load.busy_h = load.gpu_h / static_cast<double>(load.gpus);
  const double hours = trace.jobs.empty() ? 0 : (trace.jobs.back().arrival_s - trace.jobs.front().arrival_s) / 3600;
  if (hours > 0) load.load = load.busy_h / hours;
  return load;
}

std::uint64_t fullest_hour(const Trace& trace) {
  std::uint64_t most = 0;
  std::uint64_t count = 0;
  double hour = -1;
  for (const auto& job : trace.jobs) {
    const double own = std::floor((job.arrival_s - trace.jobs.front().arrival_s) / 3600);
    count = own == hour ? count + 1 : 1;
    hour = own;
    most = std::max(most, count);
  }
  return most;
}

}  // namespace

TraceStats stats_of(const Trace& trace, const ThroughputTable& throughputs, const std::vector<NodeInventory>& nodes) {
  const auto& table = throughputs.empty() ? gavel_throughput_file().rows : throughputs;
  const ModelDraw types(table);
  TraceStats stats;
  stats.jobs = trace.jobs.size();
  std::vector<double> alone_s;
  std::set<std::string_view> users;
  for (const auto& job : trace.jobs) {
    ++stats.gangs[job.gpus];
    ++stats.models[job.model + " (batch size " + std::to_string(job.batch_size) + ")"];
    users.insert(job.user);
    if (job.deadline_s > 0) ++stats.deadlines;
    const auto* type = types.find(job.model, job.batch_size, job.gpus);
    if (type == nullptr) {
      ++stats.unknown;
      continue;
    }
    alone_s.push_back(static_cast<double>(job.total_steps) / type->steps_per_s);
    stats.gpu_h += alone_s.back() / 3600 * job.gpus;
  }
  stats.users = users.size();
  stats.alone_s = spread_of(std::move(alone_s));
  if (!trace.jobs.empty()) {
    stats.first_s = trace.jobs.front().arrival_s;
    stats.last_s = trace.jobs.back().arrival_s;
  }
  const double hours = (stats.last_s - stats.first_s) / 3600;
  if (hours > 0) stats.jobs_per_h = static_cast<double>(stats.jobs - 1) / hours;
  stats.most_in_an_h = fullest_hour(trace);
  if (!nodes.empty()) stats.cluster = load_of(trace, table, nodes);
  return stats;
}

Result<Trace> sample(const Trace& trace, const SampleOptions& options) {
  Trace window;
  for (const auto& job : trace.jobs) {
    if (job.arrival_s < options.from_s || (options.to_s && job.arrival_s >= *options.to_s)) continue;
    window.jobs.push_back(job);
    auto& arrival_s = window.jobs.back().arrival_s;
    if (options.from_s > 0) arrival_s = std::round((arrival_s - options.from_s) * 1e6) / 1e6;
  }
  if (window.jobs.empty())
    return fail(ErrorCode::kInvalidArgument, "no job arrives in the window, must hold at least one");
  if (!options.jobs || *options.jobs == window.jobs.size()) return window;
  if (*options.jobs < 1 || *options.jobs > window.jobs.size())
    return fail(ErrorCode::kInvalidArgument, "got " + std::to_string(*options.jobs) + " jobs, must be from 1 to the " +
                                                 std::to_string(window.jobs.size()) + " that the window holds");
  // Selection sampling (Knuth, volume 2, algorithm S): every subset with equal chance, in order.
  Random random(options.seed);
  Trace chosen;
  auto wanted = *options.jobs;
  auto left = window.jobs.size();
  for (auto& job : window.jobs) {
    if (random.below(left--) >= wanted) continue;
    chosen.jobs.push_back(std::move(job));
    if (--wanted == 0) break;
  }
  return chosen;
}

}  // namespace hadar::traces
