#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

void read_row(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.gpus_column = "gpus";
  draft.id = row.word("job_id");
  draft.time_s = row.time("arrival_s");
  if (row.saw_date())
    jobs.times_are_dates();
  else
    jobs.times_are_kept();
  draft.model = row.word("model");
  draft.gpus = row.whole_gpus("gpus");
  draft.total_steps = row.steps("total_steps");
  if (row.has("batch_size")) draft.batch_size = row.batch_size("batch_size");
  if (row.has("weight")) draft.weight = row.weight("weight");
  if (row.has("deadline_s")) draft.deadline_s = row.at_least_0("deadline_s");
  if (row.has("forkable")) draft.forkable = row.flag("forkable");
  draft.user = row.word_or_empty("user");
  if (!row.refused()) jobs.take(std::move(draft));
}

}  // namespace

Form hadar_form() {
  return {.name = "hadar",
          .summary = "our CSV: job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable",
          .columns = {"job_id", "arrival_s", "model", "gpus", "total_steps"},
          .optional = {"batch_size", "weight", "deadline_s", "user", "forkable"},
          .strict = true,
          .read_row = read_row};
}

}  // namespace hadar::traces
