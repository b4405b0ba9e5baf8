#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

void read_row(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.id = row.word("job_name");
  draft.time_s = row.time("submit_s");
  if (row.has("deadline_s")) draft.deadline_s = row.at_least_0("deadline_s");
  draft.duration_column = "V100_s";
  draft.duration_s = row.duration("V100_s");
  if (row.refused()) return;
  jobs.remark("the run time on V100 counts; those on A100 and 2080 Ti follow from the drawn model instead");
  jobs.take(std::move(draft));
}

}  // namespace

Form hydra_form() {
  return {.name = "hydra",
          .summary = "Hydra's jobs: job_name,submit_s,deadline_s,A100_s,V100_s,GTX2080Ti_s (run times on one GPU)",
          .columns = {"job_name", "submit_s", "V100_s"},
          .optional = {"deadline_s", "A100_s", "GTX2080Ti_s"},
          .read_row = read_row};
}

}  // namespace hadar::traces
