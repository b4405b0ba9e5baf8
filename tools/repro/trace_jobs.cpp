#include "tools/repro/trace_jobs.hpp"

namespace hadar {
namespace {

TraceJob job_of(const traces::TraceJob& row) {
  TraceJob job;
  job.arrival_s = row.arrival_s;
  auto& spec = job.spec;
  spec.name = row.job_id;
  spec.workload = kTraceWorkload;
  spec.model = row.model;
  spec.batch_size = row.batch_size;
  spec.gpus = row.gpus;
  spec.total_steps = row.total_steps;
  spec.weight = row.weight;
  spec.deadline_s = row.deadline_s;
  spec.user = row.user;
  spec.forkable = row.forkable && row.gpus == 1;
  return job;
}

}  // namespace

std::vector<TraceJob> jobs_of(const traces::Trace& trace) {
  std::vector<TraceJob> jobs;
  jobs.reserve(trace.jobs.size());
  for (const auto& row : trace.jobs) jobs.push_back(job_of(row));
  return jobs;
}

}  // namespace hadar
