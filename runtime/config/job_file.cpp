#include "runtime/config/job_file.hpp"

#include "runtime/config/job_rules.hpp"
#include "runtime/config/table_reader.hpp"
#include "runtime/config/text.hpp"
#include "runtime/config/toml_tree.hpp"

namespace hadar {
namespace {

// Types and widths only: the rules themselves are in job_rules, where jobs from the wire meet them too.
void read_sleep(TableReader& job, FirstFault& fault, SleepSpec& sleep) {
  const auto* member = job.find("sleep");
  if (!member) return;
  const auto* table = std::get_if<TomlTable>(&member->value.data);
  if (!table) return job.fault("sleep", "got " + describe(member->value) + ", must be a table");
  TableReader reader(*table, "sleep.", fault);
  if (const auto* speeds = reader.find("steps_per_s")) {
    const auto* types = std::get_if<TomlTable>(&speeds->value.data);
    if (!types)
      return reader.fault("steps_per_s", "got " + describe(speeds->value) + ", must be a table like {V100 = 100}");
    TableReader type_reader(*types, "sleep.steps_per_s.", fault);
    for (const auto& type : *types) type_reader.read(type.key, sleep.steps_per_s[type.key], {kLeastRate, kMostNumber});
  }
  reader.read("checkpoint_bytes", sleep.checkpoint_bytes, {});
  reader.read("crash_at_step", sleep.crash_at_step, {});
  reader.read("log_bytes_per_s", sleep.log_bytes_per_s, {0, kMostNumber});
  reader.done();
}

void read_target(TableReader& job, FirstFault& fault, TargetMetric& target) {
  const auto* member = job.find("target");
  if (!member) return;
  const auto* table = std::get_if<TomlTable>(&member->value.data);
  if (!table) return job.fault("target", "got " + describe(member->value) + ", must be a table");
  TableReader reader(*table, "target.", fault);
  reader.read("metric", target.metric);
  target.at_least = reader.find("at_most") == nullptr;
  if (!target.at_least && reader.find("at_least"))
    return job.fault("target", "got both at_least and at_most, must have one of them");
  const auto* bound = target.at_least ? "at_least" : "at_most";
  if (!reader.find(bound) || target.metric.empty())
    return job.fault("target", "got no metric or no bound, must be like {metric = \"accuracy\", at_least = 0.97}");
  reader.read(bound, target.value, {-kMostNumber, kMostNumber});
  reader.done();
}

void read_job(TableReader& reader, FirstFault& fault, JobSpec& spec) {
  reader.read("name", spec.name);
  reader.read("workload", spec.workload);
  reader.read("command", spec.command);
  reader.read("model", spec.model);
  reader.read("batch_size", spec.batch_size, {1});
  reader.read("gpus", spec.gpus, {1, kMostGangGpus});
  reader.read("total_steps", spec.total_steps, {1});
  reader.read("gpu_types", spec.gpu_types);
  reader.read("forkable", spec.forkable);
  reader.read("weight", spec.weight, {kLeastRate, kMostNumber});
  reader.read("deadline_s", spec.deadline_s, {0, kMostNumber});
  reader.read("user", spec.user);
  reader.read("proportional_batch", spec.proportional_batch);
  reader.read("checkpoint_every_s", spec.checkpoint_every_s, {0, kMostNumber});
  reader.read("seed", spec.seed, {});
  read_sleep(reader, fault, spec.sleep);
  read_target(reader, fault, spec.target);
  reader.read("effective_steps", spec.effective_steps);
  reader.done();
  if (spec.model.empty()) spec.model = spec.workload.empty() ? spec.name : spec.workload;
}

}  // namespace

Result<JobSpec> parse_job(const std::string& text, const std::string& name) {
  const auto table = parse_toml(text, name);
  if (!table) return tl::unexpected(table.error());
  FirstFault fault(name);
  TableReader reader(*table, "", fault);
  JobSpec spec;
  read_job(reader, fault, spec);
  if (!fault.any())
    if (const auto broken = broken_rule(spec)) reader.fault(broken->key, broken->text);
  if (auto status = fault.status(); !status) return tl::unexpected(status.error());
  return spec;
}

Result<JobSpec> load_job(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  return parse_job(*text, file.string());
}

}  // namespace hadar
