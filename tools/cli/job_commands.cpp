#include <fmt/format.h>
#include <utility>

#include "messages/codec/client_codec.hpp"
#include "messages/codec/node_codec.hpp"
#include "runtime/config/job_file.hpp"
#include "tools/cli/client.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/interrupt.hpp"
#include "tools/cli/job_queries.hpp"
#include "tools/cli/json_views.hpp"
#include "tools/cli/text.hpp"

namespace hadar::cli {
namespace {

constexpr double kWaitPollS = 0.3;
constexpr double kOutagePatienceS = 120;  // a restarted tracker or gateway is back long before

std::string version_cell(const JobStatus& job) {
  return fmt::format("v{}", job.version.version);
}

std::string steps_cell(const JobStatus& job) {
  return fmt::format("{}/{}", job.steps_credited, job.spec.total_steps);
}

ExitCode ended_as(const JobStatus& job) {
  return job.state == JobState::kCompleted ? ExitCode::kDone : ExitCode::kFailed;
}

// Waits for a job's end through outages of the cluster, which are bounded by kOutagePatienceS.
Result<JobStatus> wait_for_end(Client& client, const std::string& job) {
  catch_interrupts();
  double silent_s = 0;
  while (true) {
    auto status = query_job(client, job);
    if (status && is_final(status->state)) return status;
    const bool away = !status && exit_code_of(status.error().code) == ExitCode::kUnknown;
    if (!status && !away) return status;
    silent_s = away ? silent_s + kWaitPollS : 0;
    if (silent_s > kOutagePatienceS) return status;
    if (!pause_for(kWaitPollS))
      return fail(ErrorCode::kTimedOut,
                  fmt::format("interrupted while waiting for job {}; the job goes on, see hadar show {}", job, job));
  }
}

CommandResult wait_and_tell(Client& client, const Settings& settings, const JobId job) {
  auto status = wait_for_end(client, std::to_string(job.value));
  if (!status) return stop(std::move(status.error()));
  if (settings.json)
    print(job_json(*status));
  else
    print(fmt::format("job {} {}: {} steps credited, {}\n", job.value, name_of(status->state), steps_cell(*status),
                      metrics_text(status->metrics)));
  return ended_as(*status);
}

}  // namespace

Result<JobStatus> query_job(Client& client, const std::string& job) {
  auto list = client.ask<JobList>(QueryJobs{.job = job, .all = true});
  if (!list) return fail(std::move(list));
  if (list->jobs.empty())
    return fail(ErrorCode::kNotFound, fmt::format("no job named or numbered '{}'; hadar jobs --all lists them", job));
  return std::move(list->jobs.front());
}

CommandResult run_submit(const Settings& settings, const SubmitArgs& args) {
  auto spec = load_job(args.file);
  if (!spec) return stop_usage(std::move(spec.error()));
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  const auto name = spec->name;
  auto answer = (*client)->ask<JobSubmitted>(
      SubmitJob{.spec = std::move(*spec), .key = args.key, .keep_infeasible = args.keep_infeasible}, Effect::kChanges);
  if (!answer) return stop(std::move(answer.error()));
  if (settings.json && !args.wait) print(submitted_json(*answer, name));
  if (!settings.json) {
    std::string note = answer->existed ? " (submitted before with this key)" : "";
    if (!answer->reason.text.empty()) note += "; kept as infeasible: " + answer->reason.text;
    print(fmt::format("job {} {}{}\n", answer->job.value, name, note));
  }
  return args.wait ? wait_and_tell(**client, settings, answer->job) : CommandResult(ExitCode::kDone);
}

CommandResult run_job_action(const Settings& settings, const std::string& job, JobAction action) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto answer = (*client)->ask<Ack>(CommandJob{.job = job, .action = action}, Effect::kChanges);
  if (!answer) return stop(std::move(answer.error()));
  if (settings.json) print(done_json("job", job));
  return ExitCode::kDone;
}

CommandResult run_jobs(const Settings& settings, bool all) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto list = (*client)->ask<JobList>(QueryJobs{.job = "", .all = all});
  if (!list) return stop(std::move(list.error()));
  if (settings.json) {
    print(jobs_json(list->jobs));
    return ExitCode::kDone;
  }
  Table table({"JOB", "NAME", "STATE", "GPUS", "FORKS", "STEPS", "VERSION", "AGE", "REASON"});
  for (const auto& job : list->jobs)
    table.add({std::to_string(job.job.value), job.spec.name, name_of(job.state), std::to_string(job.spec.gpus),
               std::to_string(job.forks), steps_cell(job), version_cell(job),
               duration_text(job.finished_t_s.value_or(list->now_s) - job.submitted_t_s), reason_code(job)});
  print(table.text());
  return ExitCode::kDone;
}

CommandResult run_show(const Settings& settings, const std::string& name) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto job = query_job(**client, name);
  if (!job) return stop(std::move(job.error()));
  if (settings.json) {
    print(job_json(*job));
    return ExitCode::kDone;
  }
  std::string types;
  for (const auto& type : job->spec.gpu_types) types += (types.empty() ? "" : ", ") + type;
  const std::vector<std::pair<const char*, std::string>> rows = {
      {"job", fmt::format("{} {}", job->job.value, job->spec.name)},
      {"state", fmt::format("{} ({})", name_of(job->state), reason_text(*job))},
      {"workload",
       job->spec.workload.empty() ? fmt::format("{}", fmt::join(job->spec.command, " ")) : job->spec.workload},
      {"gpus", fmt::format("{} of {}{}", job->spec.gpus, types.empty() ? "any type" : types,
                           job->spec.forkable ? ", forkable" : "")},
      {"steps",
       fmt::format("{} credited of {}, {} running", job->steps_credited, job->spec.total_steps, job->steps_running)},
      {"worth", worth_text(*job)},
      {"forks", fmt::format("{} now, {} at most, {} consolidations", job->forks, job->forks_max, job->consolidations)},
      {"model", fmt::format("{} {}", version_cell(*job), job->version.weights.hash)},
      {"metrics", metrics_text(job->metrics)},
      {"submitted", fmt::format("{:.3f} s", job->submitted_t_s)},
      {"started", job->started_t_s ? fmt::format("{:.3f} s", *job->started_t_s) : "-"},
      {"finished", job->finished_t_s ? fmt::format("{:.3f} s", *job->finished_t_s) : "-"},
  };
  std::string out;
  for (const auto& [key, value] : rows) out += fmt::format("{:<10} {}\n", key, value);
  print(out);
  return ExitCode::kDone;
}

CommandResult run_explain(const Settings& settings, const std::string& name) {
  auto client = open_client(settings.where);
  if (!client) return stop(std::move(client.error()));
  auto job = query_job(**client, name);
  if (!job) return stop(std::move(job.error()));
  if (settings.json) {
    print(explain_json(*job));
    return ExitCode::kDone;
  }
  std::string out = fmt::format("job {} {} {}\n{}: {}\n", job->job.value, job->spec.name, name_of(job->state),
                                reason_code(*job), reason_text(*job));
  for (const auto& [key, value] : job->reason.numbers) out += fmt::format("  {} = {}\n", key, number_text(value));
  print(out);
  return ExitCode::kDone;
}

}  // namespace hadar::cli
