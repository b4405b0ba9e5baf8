#include "actors/policy/round_mechanism/received_time.hpp"

#include <algorithm>

#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kNoTimeYet = 1e9;  // a share that got no time at all comes before any other (public Gavel code)

}  // namespace

Combination pair_of(JobId a, JobId b) {
  return a < b ? Combination{a, b} : Combination{b, a};
}

std::optional<std::size_t> ReceivedTime::find(const Combination& what) const {
  const auto it = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.what == what; });
  if (it == rows_.end()) return std::nullopt;
  return static_cast<std::size_t>(it - rows_.begin());
}

void ReceivedTime::admit(const Combination& what, std::uint32_t gpus, double credit_s) {
  rows_.push_back({what, gpus, false});
  share_.resize(rows_.size() * types(), 0);
  time_s_.resize(rows_.size() * types(), credit_s);
  deficit_s_.resize(rows_.size() * types(), 0);
}

void ReceivedTime::remove_if(const std::function<bool(const Combination&)>& gone) {
  std::size_t kept = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (gone(rows_[r].what)) continue;
    rows_[kept] = rows_[r];
    for (std::size_t type = 0; type < types(); ++type) {
      share_[cell(kept, type)] = share_[cell(r, type)];
      time_s_[cell(kept, type)] = time_s_[cell(r, type)];
      deficit_s_[cell(kept, type)] = deficit_s_[cell(r, type)];
    }
    ++kept;
  }
  rows_.resize(kept);
  share_.resize(kept * types());
  time_s_.resize(kept * types());
  deficit_s_.resize(kept * types());
}

void ReceivedTime::remove(const Combination& what) {
  remove_if([&](const Combination& row) { return row == what; });
}

void ReceivedTime::remove(JobId job) {
  remove_if([&](const Combination& row) { return row.has(job); });
}

void ReceivedTime::receive(std::size_t r, std::size_t type, double seconds) {
  time_s_[cell(r, type)] += seconds;
  type_time_[type] += seconds;
}

void ReceivedTime::reset(double elapsed_s, double credit_s) {
  for (std::size_t type = 0; type < types(); ++type) {
    type_time_[type] = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto promised_s = share_[cell(r, type)] * elapsed_s;
      deficit_s_[cell(r, type)] += promised_s - (time_s_[cell(r, type)] - credit_s);
      time_s_[cell(r, type)] = credit_s;
      type_time_[type] += credit_s;
    }
  }
}

void ReceivedTime::clear_shares() {
  for (auto& row : rows_) row.shared = false;
  std::fill(share_.begin(), share_.end(), 0.0);
}

void ReceivedTime::set_share(std::size_t r, const std::vector<double>& shares) {
  HADAR_REQUIRE(shares.size() == types());
  rows_[r].shared = true;
  std::copy(shares.begin(), shares.end(), share_.begin() + static_cast<std::ptrdiff_t>(cell(r, 0)));
}

double ReceivedTime::priority(std::size_t r, std::size_t type) const {
  const auto x = share_[cell(r, type)];
  if (x == 0) return 0;
  if (type_time_[type] == 0 || time_s_[cell(r, type)] == 0) return x * kNoTimeYet;
  return x / (time_s_[cell(r, type)] / type_time_[type]);
}

void ReceivedTime::restore(const Row& row, const std::vector<Cell>& cells) {
  HADAR_REQUIRE(cells.size() == types());
  rows_.push_back(row);
  for (const auto& value : cells) {
    share_.push_back(value.share);
    time_s_.push_back(value.time_s);
    deficit_s_.push_back(value.deficit_s);
  }
}

}  // namespace hadar
