#include "actors/policy/tiresias/services.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "actors/policy/memory_text.hpp"

namespace hadar {
namespace {

constexpr std::string_view kHeader = "tiresias 1";
constexpr double kEndedFrom = 0.5;     // of its service that a job must have had to count as ended
constexpr double kMostSeconds = 1e12;  // keeps milliseconds inside an integer
constexpr std::size_t kFields = 9;     // of a job's line
constexpr double kMillisecondsPerSecond = 1000;

std::uint64_t milliseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(std::clamp(seconds, 0.0, kMostSeconds) * kMillisecondsPerSecond));
}

double seconds(std::uint64_t milliseconds) {
  return static_cast<double>(milliseconds) / kMillisecondsPerSecond;
}

std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// The numbers of a line; nothing when a part of it is no number.
std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view line) {
  std::vector<std::uint64_t> numbers;
  const std::string ended = std::string(line) + ' ';
  for (std::string_view text = ended; text.size() > 1;) {
    std::uint64_t number = 0;
    if (!read_number(text, ' ', number)) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

template <class Numbers>
void append_line(std::string& text, const Numbers& numbers) {
  std::array<char, 24> buffer{};
  bool first = true;
  for (const auto number : numbers) {
    if (!first) text += ' ';
    first = false;
    text.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr);
  }
  text += '\n';
}

double held_gpus(const JobView& job) {
  double gpus = 0;
  for (const auto& held : job.held)
    for (const auto& slice : held.slices) gpus += static_cast<double>(slice.gpus.size());
  return gpus;
}

}  // namespace

Services Services::read(const std::string& memory) {
  std::string_view text = memory;
  Services services;
  if (next_line(text) != kHeader) return services;
  const auto now = numbers_of(next_line(text));
  const auto ended = numbers_of(next_line(text));
  if (!now || now->size() != 1 || !ended || ended->size() > kMostEnded) return {};
  services.now_s_ = seconds(now->front());
  for (const auto service : *ended) services.ended_.push_back(seconds(service));
  while (!text.empty())
    if (!services.read_line(next_line(text))) return {};
  return services;
}

bool Services::read_line(std::string_view line) {
  const auto fields = numbers_of(line);
  if (!fields || fields->size() != kFields) return false;
  const auto& f = *fields;
  if (f[2] > f[1] || f[5] == 0 || f[5] > UINT32_MAX || f[6] > UINT32_MAX || f[7] > UINT32_MAX) return false;
  jobs_[JobId{f[0]}] = {seconds(f[1]),
                        seconds(f[2]),
                        seconds(f[3]),
                        seconds(f[4]),
                        static_cast<std::uint32_t>(f[5]),
                        static_cast<std::uint32_t>(f[6]),
                        static_cast<std::uint32_t>(f[7]),
                        f[8] != 0};
  return true;
}

void Services::end(const JobService& job, double passed_s) {
  const double received = job.attained_gpu_s + passed_s * job.gpus;
  if (!job.granted || job.needs_gpu_s <= 0 || received < kEndedFrom * job.needs_gpu_s) return;
  ended_.push_back(job.needs_gpu_s);
}

void Services::advance(const RoundInput& input) {
  const double passed_s = std::max(0.0, input.now_s - now_s_);
  now_s_ = input.now_s;
  std::map<JobId, JobService> next;
  auto known = jobs_.begin();
  for (const auto& view : input.jobs) {
    for (; known != jobs_.end() && known->first < view->job; ++known) end(known->second, passed_s);
    JobService job;
    if (known != jobs_.end() && known->first == view->job) {
      job = known->second;
      ++known;
      if (job.granted) job.attained_gpu_s += passed_s * held_gpus(*view);
      if (!job.granted) job.waited_s += passed_s;
    }
    job.attained_gpu_s = std::max(job.attained_gpu_s, view->attained_service_gpu_s);
    job.gpus = std::max(1U, view->gpus);
    if (job.granted || job.attained_gpu_s > 0) next.emplace(view->job, job);
  }
  for (; known != jobs_.end(); ++known) end(known->second, passed_s);
  jobs_ = std::move(next);
  if (ended_.size() > kMostEnded) ended_.erase(ended_.begin(), ended_.end() - static_cast<std::ptrdiff_t>(kMostEnded));
}

JobService Services::of(JobId job) const {
  const auto it = jobs_.find(job);
  return it == jobs_.end() ? JobService{} : it->second;
}

void Services::promote(JobId id) {
  auto& job = jobs_[id];
  job.forgiven_gpu_s = job.attained_gpu_s;
  job.waited_s = 0;
  ++job.promotions;
}

void Services::count(const RoundInput& input, const RoundPlan& plan, const std::vector<double>& steps_per_s) {
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    const auto& view = *input.jobs[j];
    const bool granted = plan.outcomes[j].kind == OutcomeKind::kGranted;
    const auto it = jobs_.find(view.job);
    if (it == jobs_.end() && !granted) continue;
    auto& job = it == jobs_.end() ? jobs_[view.job] : it->second;
    if (!granted && job.granted && !view.held.empty() && !view.merging) ++job.preemptions;
    job.granted = granted;
    job.gpus = std::max(1U, view.gpus);
    if (!granted) continue;
    job.waited_s = 0;
    if (steps_per_s[j] > 0)
      job.needs_gpu_s =
          view.attained_service_gpu_s + static_cast<double>(view.steps_left()) / steps_per_s[j] * view.gpus;
  }
}

std::string Services::write() const {
  std::string text(kHeader);
  text += '\n';
  append_line(text, std::array{milliseconds(now_s_)});
  std::vector<std::uint64_t> ended;
  for (const auto service : ended_) ended.push_back(milliseconds(service));
  append_line(text, ended);
  std::size_t written = 0;
  for (const auto& [id, job] : jobs_) {
    if (++written > kMostJobs) break;
    append_line(text, std::array<std::uint64_t, kFields>{id.value, milliseconds(job.attained_gpu_s),
                                                         milliseconds(job.forgiven_gpu_s), milliseconds(job.waited_s),
                                                         milliseconds(job.needs_gpu_s), job.gpus, job.preemptions,
                                                         job.promotions, job.granted ? 1U : 0U});
  }
  return text;
}

}  // namespace hadar
