#include "tools/cli/simulate_runs.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include "messages/codec/event_json.hpp"
#include "tools/cli/text.hpp"
#include "tools/repro/in_threads.hpp"

namespace hadar::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Whether an event is about the job, itself or in one of its leases.
bool concerns(const EventBody& body, JobId job) {
  return std::visit(
      [job](const auto& e) {
        if constexpr (requires { e.leases; })
          return std::any_of(e.leases.begin(), e.leases.end(),
                             [&](const Lease& lease) { return lease.fork.job == job; });
        else if constexpr (requires { e.job; })
          return e.job == job;
        else
          return false;
      },
      body);
}

// "runs.jsonl" of several runs: "runs.hadar.7.jsonl" of each.
std::string events_path(const std::string& wanted, const std::string& policy, std::uint64_t seed, bool one) {
  if (wanted.empty() || one) return wanted;
  const auto slash = wanted.rfind('/');
  auto dot = wanted.rfind('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) dot = wanted.size();
  return fmt::format("{}.{}.{}{}", wanted.substr(0, dot), policy, seed, wanted.substr(dot));
}

class OneRun {
 public:
  OneRun(const SimulateArgs& args, const SimulatePlan& plan, SimulatedRun& run, std::atomic<std::uint64_t>& ended)
      : args_(args), plan_(plan), run_(run), ended_(ended) {}

  Status run() {
    if (!run_.events_path.empty() && run_.events_path != "-") {
      file_.open(part_of_events(), std::ios::binary);
      if (!file_) return unwritable();
    }
    auto options = plan_.base;
    options.policy = run_.policy;
    if (const auto found = plan_.settings.find(run_.policy); found != plan_.settings.end())
      options.settings = found->second;
    options.seed = run_.seed;
    options.observer = [this](const Event& event) { observe(event); };
    options.progress = [this](std::uint64_t jobs, double) { ended_ = jobs; };
    if (args_.timing) options.planned = [this](double took_s) { run_.plans_s.push_back(took_s); };
    const auto begin = Clock::now();
    auto result = run_simulation(options, plan_.workload);
    run_.wall_s = seconds_since(begin);
    if (!result) return fail(std::move(result));
    run_.result = *std::move(result);
    return keep_events();
  }

 private:
  // Half a run's events never stand under the name of a whole one's; devices, pipes and links are written to as they
  // are.
  [[nodiscard]] std::string part_of_events() const {
    std::error_code none;
    const auto status = std::filesystem::symlink_status(run_.events_path, none);
    const bool plain = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
    return run_.events_path + (plain ? ".part" : "");
  }

  Status keep_events() {
    if (!file_.is_open()) return {};
    file_.close();
    std::error_code failed;
    if (const auto part = part_of_events(); file_ && part != run_.events_path)
      std::filesystem::rename(part, run_.events_path, failed);
    return file_ && !failed ? Status() : unwritable();
  }

  Status unwritable() const {
    return fail(ErrorCode::kIo, run_.events_path + ": cannot be written; give a path in a writable folder with room");
  }

  void observe(const Event& event) {
    ++run_.events;
    if (!args_.explain.empty()) explain(event);
    if (run_.events_path.empty()) return;
    const auto line = event_to_json(event) + "\n";
    if (file_.is_open())
      file_ << line;
    else
      print(line);
  }

  void explain(const Event& event) {
    if (const auto* submitted = std::get_if<event::Submitted>(&event.body);
        submitted && submitted->spec.name == args_.explain)
      explained_ = submitted->job;
    if (explained_.value != 0 && concerns(event.body, explained_)) run_.explained.push_back(event_to_json(event));
  }

  const SimulateArgs& args_;
  const SimulatePlan& plan_;
  SimulatedRun& run_;
  std::atomic<std::uint64_t>& ended_;
  std::ofstream file_;
  JobId explained_;
};

// A bar with the time left, on a terminal only.
void show(const std::vector<std::atomic<std::uint64_t>>& ended_by_run, std::size_t jobs, Clock::time_point begin) {
  std::uint64_t done = 0;
  for (const auto& ended : ended_by_run) done += ended;
  const auto part = static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(1, jobs));
  const auto took_s = seconds_since(begin);
  const auto left = part > 0.01 ? duration_text(took_s * (1 - part) / part) : "-";
  std::fputs(fmt::format("\r{} {:3.0f} %  {} of {} jobs  {} left\x1b[K", bar_text(part, 30, false), 100 * part, done,
                         jobs, left)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

}  // namespace

std::vector<std::string> events_paths(const SimulateArgs& args, const SimulatePlan& plan) {
  std::vector<std::string> paths;
  const bool one = plan.policies.size() * plan.seeds.size() == 1;
  for (const auto& policy : plan.policies)
    for (const auto seed : plan.seeds) paths.push_back(events_path(args.events, policy, seed, one));
  return paths;
}

Result<std::vector<SimulatedRun>> run_all(const SimulateArgs& args, const SimulatePlan& plan) {
  auto paths = events_paths(args, plan);
  std::vector<SimulatedRun> runs;
  for (const auto& policy : plan.policies)
    for (const auto seed : plan.seeds) {
      auto& run = runs.emplace_back();
      run.policy = policy;
      run.seed = seed;
      run.events_path = std::move(paths[runs.size() - 1]);
    }
  std::vector<std::atomic<std::uint64_t>> ended(runs.size());  // jobs, by run
  std::vector<Status> ends(runs.size());
  const auto begin = Clock::now();
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto work = [&](std::size_t i) {
    ends[i] = OneRun(args, plan, runs[i], ended[i]).run();
    ended[i] = plan.workload.size();
  };
  std::function<void()> tick;
  if (terminal) tick = [&] { show(ended, runs.size() * plan.workload.size(), begin); };
  in_threads(runs.size(), args.threads, work, tick);
  if (terminal) std::fputs("\r\x1b[K", stderr);
  for (auto& end : ends)
    if (!end) return fail(std::move(end));
  return runs;
}

}  // namespace hadar::cli
