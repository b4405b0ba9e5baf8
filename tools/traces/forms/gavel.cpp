// Gavel's (OSDI'20) trace files as its code reads and writes them: tab-separated, no header.
#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

// A deadline is a multiple of the time alone on V100s (scheduler.add_job of the public code); -1 means none.
void read_slo(Fields& row, Collector& jobs, Draft& draft) {
  constexpr std::string_view kRule = "-1 for none, or a multiple of the time alone on V100s above 0";
  const double slo = row.number("SLO", kRule);
  if (row.refused() || slo == -1) return;
  if (slo <= 0) return row.wrong("SLO", kRule);
  const auto* type = jobs.models().find(draft.model, draft.batch_size, static_cast<std::uint32_t>(draft.gpus));
  if (type == nullptr) return row.wrong("SLO", "-1, since the throughput table has no speed for this job type");
  draft.deadline_s = slo * static_cast<double>(*draft.total_steps) / type->steps_per_s;
}

void read_common(Fields& row, Draft& draft) {
  read_job_type(row, draft);
  draft.gpus_column = "scale_factor";
  draft.gpus = row.whole_gpus("scale_factor");
  draft.total_steps = row.steps("total_steps");
  draft.time_s = row.time("arrival_time");
}

void read_ten(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  read_common(row, draft);
  draft.weight = row.weight("priority_weight");
  if (!row.refused()) read_slo(row, jobs, draft);
  if (!row.refused()) jobs.take(std::move(draft));
}

void read_seven(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  read_common(row, draft);
  if (!row.refused()) jobs.take(std::move(draft));
}

void read_twelve(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  read_common(row, draft);
  draft.weight = row.weight("priority_weight");
  draft.duration_s = row.duration("duration");
  draft.duration_column = "duration";
  const bool batch_changes = read_batch_changes(row);
  if (!row.refused()) read_slo(row, jobs, draft);
  if (row.refused()) return;
  if (batch_changes) jobs.remark(kBatchChanges);
  jobs.take(std::move(draft));
}

}  // namespace

Form gavel_form() {
  return {.name = "gavel",
          .summary = "Gavel's traces, 10 tab-separated cells without a header",
          .separator = '\t',
          .columns = {"job_type", "command", "working_directory", "num_steps_arg", "needs_data_dir", "total_steps",
                      "scale_factor", "priority_weight", "SLO", "arrival_time"},
          .header = false,
          .read_row = read_ten,
          .looks_like = [](const TextRow& first, std::string_view) {
            return first.cell_count == 10 && is_number(first.cells[5]);
          }};
}

Form gavel_msr_form() {
  return {.name = "gavel-msr",
          .summary = "Gavel's older traces (traces/msr), 7 tab-separated cells without a header",
          .separator = '\t',
          .columns = {"job_type", "command", "num_steps_arg", "needs_data_dir", "total_steps", "arrival_time",
                      "scale_factor"},
          .header = false,
          .read_row = read_seven,
          .looks_like = [](const TextRow& first, std::string_view) {
            return first.cell_count == 7 && is_number(first.cells[4]);
          }};
}

Form shockwave_form() {
  return {.name = "shockwave",
          .summary = "Shockwave's traces, 12 tab-separated cells without a header",
          .separator = '\t',
          .columns = {"job_type", "command", "working_directory", "num_steps_arg", "needs_data_dir", "total_steps",
                      "scale_factor", "mode", "priority_weight", "SLO", "duration", "arrival_time"},
          .header = false,
          .read_row = read_twelve,
          .looks_like = [](const TextRow& first, std::string_view) {
            return first.cell_count == 12 && is_number(first.cells[5]);
          }};
}

}  // namespace hadar::traces
