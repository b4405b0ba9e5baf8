#include "tools/sdk/hadar_job.h"

#include <string>

#include "tools/sdk/session.hpp"

struct hadar_job {
  std::unique_ptr<hadar::sdk::Session> session;
};

namespace {
thread_local std::string last_error;

int said(const hadar::Status& status) {
  if (status) return 0;
  last_error = status.error().message;
  return -1;
}
}  // namespace

hadar_job* hadar_connect(void) {
  auto session = hadar::sdk::Session::connect();
  if (session) return new hadar_job{*std::move(session)};
  last_error = session.error().message;
  return nullptr;
}

hadar_next hadar_next_lease(hadar_job* job, hadar_lease* lease) {
  const auto next = job->session->next_lease(*lease);
  if (next == HADAR_FAULT) last_error = job->session->problem();
  return next;
}

hadar_action hadar_before_step(hadar_job* job) {
  return job->session->before_step();
}

void hadar_after_step(hadar_job* job, uint64_t samples) {
  job->session->after_step(samples);
}

const char* hadar_result_path(hadar_job* job) {
  return job->session->result_path();
}

void hadar_saved(hadar_job* job) {
  job->session->saved();
}

int hadar_metric(hadar_job* job, const char* name, double value) {
  return said(job->session->metric(name == nullptr ? "" : name, value));
}

void hadar_end_lease(hadar_job* job) {
  job->session->end_lease();
}

int hadar_all_reduce(hadar_job* job, float* values, size_t count) {
  return said(job->session->all_reduce({values, count}));
}

void hadar_close(hadar_job* job) {
  delete job;
}

const char* hadar_last_error(void) {
  return last_error.c_str();
}
