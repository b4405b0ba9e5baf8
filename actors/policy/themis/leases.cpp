#include "actors/policy/themis/leases.hpp"

#include <string_view>

#include "actors/policy/memory_text.hpp"

namespace hadar {
namespace {

constexpr std::string_view kHeader = "themis 1\n";

}  // namespace

Leases Leases::read(const std::string& memory) {
  Leases leases;
  std::string_view text = memory;
  if (!text.starts_with(kHeader)) return leases;
  text.remove_prefix(kHeader.size());
  while (!text.empty()) {
    JobId job;
    std::uint32_t rounds = 0;
    if (!read_number(text, ' ', job.value) || !read_number(text, '\n', rounds)) return {};
    leases.rounds_[job] = rounds;
  }
  return leases;
}

void Leases::open_round() {
  for (auto lease = rounds_.begin(); lease != rounds_.end();)
    if (lease->second <= 1)
      lease = rounds_.erase(lease);
    else
      (lease++)->second -= 1;
}

void Leases::count(const RoundPlan& plan, std::uint32_t lease_rounds) {
  std::map<JobId, std::uint32_t> next;
  for (const auto& allocation : plan.allocations) {
    const auto it = rounds_.find(allocation.fork.job);
    next.emplace(allocation.fork.job, it == rounds_.end() ? lease_rounds : it->second);
  }
  rounds_ = std::move(next);
}

std::string Leases::write() const {
  std::string text(kHeader);
  std::size_t written = 0;
  for (const auto& [job, rounds] : rounds_) {
    if (++written > kMostJobs) break;
    text += std::to_string(job.value) + " " + std::to_string(rounds) + "\n";
  }
  return text;
}

}  // namespace hadar
