#include "tools/cli/watch_view.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

constexpr int kBarCells = 20;

const char* colour_of(JobState state) {
  switch (state) {
    case JobState::kRunning: return "\x1b[32m";
    case JobState::kMerging: return "\x1b[36m";
    case JobState::kFailed:
    case JobState::kInfeasible: return "\x1b[31m";
    case JobState::kCompleted: return "\x1b[2m";
    default: return "\x1b[33m";
  }
}
const char* colour_of(NodeState state) {
  switch (state) {
    case NodeState::kUp: return "\x1b[32m";
    case NodeState::kLost: return "\x1b[31m";
    default: return "\x1b[33m";
  }
}

double part_of(const JobStatus& job) {
  return job.spec.total_steps == 0 ? 0
                                   : static_cast<double>(steps_seen(job)) / static_cast<double>(job.spec.total_steps);
}

// Cuts to `columns` cells; colour codes take no cell and are closed at the end.
std::string fitted(const std::string& line, int columns) {
  std::string out;
  int cells = 0;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == '\x1b') {
      const auto end = line.find('m', i);
      out += line.substr(i, end - i + 1);
      i = end + 1;
      continue;
    }
    std::size_t length = 1;
    while (i + length < line.size() && (static_cast<unsigned char>(line[i + length]) & 0xC0U) == 0x80U) ++length;
    if (cells++ < columns) out += line.substr(i, length);
    i += length;
  }
  return out + "\x1b[0m";
}

// One square per GPU: full when busy, empty when idle.
std::string gpu_squares(const NodeView& node) {
  std::uint32_t index = 0;
  std::string out;
  for (const auto& group : node.inventory.gpus)
    for (std::uint32_t i = 0; i < group.count; ++i, ++index)
      out += std::find(node.idle_gpus.begin(), node.idle_gpus.end(), index) == node.idle_gpus.end() ? "■" : "□";
  return out;
}

std::string node_line(const NodeView& node) {
  return fmt::format("{}{:<10} {:<9}\x1b[0m {} {} {}", colour_of(node.state), node.inventory.name, name_of(node.state),
                     gpu_squares(node), gpus_text(node.inventory.gpus), node.reason);
}

std::string job_line(const JobStatus& job, double now_s) {
  const auto note =
      is_final(job.state) || job.state == JobState::kRunning ? metrics_text(job.metrics) : reason_text(job);
  return fmt::format("{}{:>4} {:<18} {:<10}\x1b[0m {} {:>5.1f}%  {}/{}  forks {}  v{}  {:>7}  {}", colour_of(job.state),
                     job.job.value, job.spec.name, name_of(job.state), bar_text(part_of(job), kBarCells, false),
                     100 * part_of(job), steps_seen(job), job.spec.total_steps, job.forks, job.version.version,
                     duration_text(job.finished_t_s.value_or(now_s) - job.submitted_t_s), note);
}

// Unfinished jobs first, then the latest ended ones.
std::vector<const JobStatus*> in_view_order(const JobList& list) {
  std::vector<const JobStatus*> jobs;
  for (const auto& job : list.jobs) jobs.push_back(&job);
  std::stable_sort(jobs.begin(), jobs.end(), [](const JobStatus* a, const JobStatus* b) {
    if (is_final(a->state) != is_final(b->state)) return is_final(b->state);
    return is_final(a->state) ? a->job > b->job : a->job < b->job;
  });
  return jobs;
}

}  // namespace

std::string watch_screen(const WatchData& data, int columns, int rows) {
  const auto count = [&](auto matches) { return std::count_if(data.jobs.jobs.begin(), data.jobs.jobs.end(), matches); };
  const auto running =
      count([](const JobStatus& job) { return job.state == JobState::kRunning || job.state == JobState::kMerging; });
  const auto ended = count([](const JobStatus& job) { return is_final(job.state); });
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("\x1b[1mhadar\x1b[0m {}  policy {}  round {} of {} s  {}", data.endpoint, data.nodes.policy,
                  data.nodes.round.value, number_text(data.nodes.round_s),
                  bar_text(data.nodes.round_s > 0 ? 1 - data.nodes.window_s / data.nodes.round_s : 0, 10, false)));
  lines.push_back(
      fmt::format("{} nodes, {} jobs: {} running, {} waiting, {} ended   (Ctrl-C ends the view, not the jobs)",
                  data.nodes.nodes.size(), data.jobs.jobs.size(), running,
                  static_cast<std::ptrdiff_t>(data.jobs.jobs.size()) - running - ended, ended));
  lines.emplace_back();
  for (const auto& node : data.nodes.nodes) lines.push_back(node_line(node));
  lines.emplace_back();
  for (const auto* job : in_view_order(data.jobs)) lines.push_back(job_line(*job, data.jobs.now_s));
  std::string out;
  for (std::size_t i = 0; i < lines.size() && i < static_cast<std::size_t>(rows); ++i)
    out += (i == 0 ? "" : "\n") + fitted(lines[i], columns);
  return out;
}

std::string ChangeLines::update(const WatchData& data) {
  std::string out;
  const auto say = [&](const std::string& subject, const std::string& value) {
    auto& last = said_[subject];
    if (last == value) return;
    last = value;
    out += fmt::format("{:>9.1f}s  {}: {}\n", data.jobs.now_s, subject, value);
  };
  say("policy", data.nodes.policy);
  for (const auto& node : data.nodes.nodes)
    say("node " + node.inventory.name,
        fmt::format("{}{}{}", name_of(node.state), node.reason.empty() ? "" : ", ", node.reason));
  for (const auto& job : data.jobs.jobs) {
    const double tenths = std::floor(10 * part_of(job)) / 10;
    say(fmt::format("job {} {}", job.job.value, job.spec.name),
        fmt::format("{:<9} {} {:>3.0f} %  forks {}  version {}", name_of(job.state), bar_text(tenths, 10, true),
                    100 * tenths, job.forks, job.version.version));
  }
  return out;
}

}  // namespace hadar::cli
