// How much time every job and pair of jobs got on every GPU type, against the share it was promised.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "messages/types/ids.hpp"

namespace hadar {

// What the mechanism gives time to: a job alone, or two jobs on the same GPUs (a < b).
struct Combination {
  JobId a;
  JobId b;  // 0 = alone

  [[nodiscard]] bool pair() const { return b.value != 0; }
  [[nodiscard]] bool has(JobId job) const { return job == a || job == b; }
  friend constexpr auto operator<=>(const Combination&, const Combination&) = default;
};

// The two jobs in a pair's order.
[[nodiscard]] Combination pair_of(JobId a, JobId b);

// The time ledger behind priorities (Gavel, OSDI'20, section 5). Rows are in order of admission and found by number;
// columns are GPU types. Seconds are those of the combination, not of its GPUs. Plain value, single thread.
class ReceivedTime {
 public:
  struct Row {
    Combination what;
    std::uint32_t gpus = 1;
    bool shared = false;  // named in the shares last taken

    friend bool operator==(const Row&, const Row&) = default;
  };

  ReceivedTime() = default;
  explicit ReceivedTime(std::size_t types) : type_time_(types, 0.0) {}

  [[nodiscard]] std::size_t types() const { return type_time_.size(); }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] const Row& row(std::size_t r) const { return rows_[r]; }
  [[nodiscard]] std::optional<std::size_t> find(const Combination& what) const;
  [[nodiscard]] double share(std::size_t r, std::size_t type) const { return share_[cell(r, type)]; }
  [[nodiscard]] double time_s(std::size_t r, std::size_t type) const { return time_s_[cell(r, type)]; }
  [[nodiscard]] double deficit_s(std::size_t r, std::size_t type) const { return deficit_s_[cell(r, type)]; }
  // Time of all rows, those removed since the last reset included.
  [[nodiscard]] double type_time_s(std::size_t type) const { return type_time_[type]; }

  // A new last row without share that counts as having had `credit_s` on every type; types' sums stay as they are.
  void admit(const Combination& what, std::uint32_t gpus, double credit_s);
  // Forgets a row, or every row with the job in it.
  void remove(const Combination& what);
  void remove(JobId job);
  void receive(std::size_t r, std::size_t type, double seconds);

  // Ends the time span of `elapsed_s`: what a row was promised in it minus what it got (without its credit) goes to its
  // deficit; every row starts again with `credit_s`. Shares stay.
  void reset(double elapsed_s, double credit_s);
  void clear_shares();
  // `shares` by type.
  void set_share(std::size_t r, const std::vector<double>& shares);

  // Share by part of the type's time received; a share whose row or type got none comes first. 0 without share.
  [[nodiscard]] double priority(std::size_t r, std::size_t type) const;

  // For reading a stored ledger back.
  struct Cell {
    double share = 0;
    double time_s = 0;
    double deficit_s = 0;
  };
  void restore(const Row& row, const std::vector<Cell>& cells);
  void restore_type_time(std::vector<double> type_time_s) { type_time_ = std::move(type_time_s); }

  friend bool operator==(const ReceivedTime&, const ReceivedTime&) = default;

 private:
  [[nodiscard]] std::size_t cell(std::size_t r, std::size_t type) const { return r * types() + type; }
  void remove_if(const std::function<bool(const Combination&)>& gone);

  std::vector<Row> rows_;
  std::vector<double> share_;  // these three by cell
  std::vector<double> time_s_;
  std::vector<double> deficit_s_;
  std::vector<double> type_time_;
};

}  // namespace hadar
