// What a form of trace is: its columns and how one row becomes a draft. Internal to this folder.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/traces/collector.hpp"
#include "tools/traces/text_rows.hpp"

namespace hadar::traces {

// The cells of one row by the names of their columns. The first cell that breaks a rule is kept, the rest is then read
// but does not count.
class Fields {
 public:
  // `places`: where each column of the form stands in the row, nullopt = this file has no such column.
  Fields(std::span<const std::string_view> columns, std::span<const std::optional<std::size_t>> places)
      : columns_(columns), places_(places) {}
  void start(const TextRow& row);

  [[nodiscard]] bool has(std::string_view column) const;          // such a column, and a cell that is not empty
  [[nodiscard]] std::string_view cell(std::string_view column);   // as it stands; empty when there is no such column
  std::string word(std::string_view column);                      // 1 to 256 bytes of UTF-8, no control characters
  std::string word_or_empty(std::string_view column);             // 0 to 256 bytes
  double number(std::string_view column, std::string_view rule);  // finite, of magnitude up to 1e15
  double at_least_0(std::string_view column);                     // 0 to 1e15
  double time(std::string_view column);                           // seconds 0 to 4e9, or a date: one kind in a file
  double duration(std::string_view column);                       // above 0 s and at most 4e9 s
  double gpus(std::string_view column);                           // above 0; 0 is named CPU-only
  std::uint32_t whole_gpus(std::string_view column);              // 1 to 65536
  std::uint32_t batch_size(std::string_view column);              // 1 to 1e9
  std::uint64_t steps(std::string_view column);                   // 1 to 2^53
  double weight(std::string_view column);                         // 1e-9 to 1e15
  bool flag(std::string_view column);                             // true or false in any letter case, 1 or 0

  // Refuses the row for a cell; `rule` and `column` are static.
  void wrong(std::string_view column, std::string_view rule);
  [[nodiscard]] bool refused() const { return !rule_.empty(); }
  // Rows from now on must have times of the same kind as this one.
  void keep_time_kind();
  [[nodiscard]] bool saw_date() const { return time_kind_ == TimeKind::kDate || row_time_kind_ == TimeKind::kDate; }
  [[nodiscard]] std::uint32_t line() const { return row_->line; }
  void report_to(Collector& jobs) const { jobs.refuse(row_->line, column_, value_, rule_); }

 private:
  enum class TimeKind { kUnknown, kSeconds, kDate };
  bool fits_time_kind(std::string_view column, TimeKind kind);
  std::uint64_t whole(std::string_view column, std::uint64_t least, std::uint64_t most, std::string_view rule);

  std::span<const std::string_view> columns_;
  std::span<const std::optional<std::size_t>> places_;
  const TextRow* row_ = nullptr;
  std::string_view column_, value_, rule_;
  TimeKind time_kind_ = TimeKind::kUnknown;  // of the rows that were taken
  TimeKind row_time_kind_ = TimeKind::kUnknown;
};

// Text of a whole file.
struct Source {
  std::string_view text;
  const std::string& name;
};

struct Form {
  std::string_view name;
  std::string_view summary;
  char separator = ',';
  std::vector<std::string_view> columns = {};   // all must be in the header; without a header: the cells in their order
  std::vector<std::string_view> optional = {};  // may be in the header
  bool header = true;
  bool strict = false;  // another column in the header is an error; otherwise it is noted
  // One row; drafts go to Collector::take or ::join.
  void (*read_row)(Fields& row, Collector& jobs) = nullptr;
  // For a form that is no table: everything. Then read_row is null and `looks_like` decides.
  Status (*read_all)(const Source& source, Collector& jobs) = nullptr;
  // For forms without a header: whether the first row looks like one.
  bool (*looks_like)(const TextRow& first, std::string_view text) = nullptr;
};

// Every form, the one that says most about its columns first among equals.
const std::vector<Form>& forms();

// Reads "MODEL (batch size N)" or "MODEL", which gets batch size 1, into the draft; refuses the row otherwise.
void read_job_type(Fields& row, Draft& draft);

// Reads Shockwave's column `mode`: true when the job's batch size changes while it runs. Refuses the row unless it is
// static, accordion or gns.
bool read_batch_changes(Fields& row);
inline constexpr std::string_view kBatchChanges =
    "their batch size may change while they run (mode accordion or gns): the first counts";

// 1 to 256 bytes of UTF-8 without control characters.
bool is_word(std::string_view text);

// A draft begun with what nearly every form has.
Draft begin_draft(const Fields& row);

// The forms, each in its file under forms/.
Form hadar_form();
Form gavel_form();
Form gavel_msr_form();
Form gavel_table_form();
Form gavel_steps_form();
Form shockwave_form();
Form shockwave_table_form();
Form tiresias_form();
Form muri_form();
Form chronus_form();
Form elasticflow_form();
Form sia_form();
Form hydra_form();
Form philly_json_form();
Form philly_csv_form();
Form durations_form();
Form helios_form();
Form acme_form();
Form pai_2020_form();
Form pai_2020_jobs_form();
Form alibaba_2023_form();
Form alibaba_2026_form();

}  // namespace hadar::traces
