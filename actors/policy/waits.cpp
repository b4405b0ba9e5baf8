#include "actors/policy/waits.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "actors/policy/memory_text.hpp"

namespace hadar {
namespace {

constexpr std::string_view kHeader = "waits 1\n";

}  // namespace

Waits Waits::read(const std::string& memory) {
  Waits waits;
  std::string_view text = memory;
  if (!text.starts_with(kHeader)) return waits;
  text.remove_prefix(kHeader.size());
  while (!text.empty()) {
    JobId job;
    std::uint32_t rounds = 0;
    if (!read_number(text, ' ', job.value) || !read_number(text, '\n', rounds)) return {};
    waits.rounds_[job] = rounds;
  }
  return waits;
}

std::uint32_t Waits::rounds(JobId job) const {
  const auto it = rounds_.find(job);
  return it == rounds_.end() ? 0 : it->second;
}

void Waits::count(const RoundInput& input, const RoundPlan& plan) {
  std::map<JobId, std::uint32_t> next;
  for (const auto& outcome : plan.outcomes) {
    auto waited = rounds(outcome.job);
    if (!input.early) waited = outcome.kind == OutcomeKind::kWaiting ? waited + 1 : 0;
    if (waited > 0) next[outcome.job] = waited;
  }
  rounds_ = std::move(next);
}

std::string Waits::write() const {
  std::vector<std::pair<JobId, std::uint32_t>> entries(rounds_.begin(), rounds_.end());
  if (entries.size() > kMostJobs) {
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    entries.resize(kMostJobs);
    std::sort(entries.begin(), entries.end());
  }
  std::string text(kHeader);
  for (const auto& [job, rounds] : entries) text += std::to_string(job.value) + " " + std::to_string(rounds) + "\n";
  return text;
}

}  // namespace hadar
