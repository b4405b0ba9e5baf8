#include "tools/trainer/lease_work.hpp"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <string>

namespace hadar::trainer {
namespace {

using Clock = std::chrono::steady_clock;

// Tells the log how far a lease is, once a second at most.
class ProgressLog {
 public:
  explicit ProgressLog(const hadar_lease& lease) : lease_(lease), last_(Clock::now()) {
    std::printf("lease: fork %" PRIu32 " rank %" PRIu32 "/%" PRIu32 ", job step %" PRIu64 " of %" PRIu64
                ", up to %" PRIu64 " steps of %" PRIu32 " samples, %s\n",
                lease.fork, lease.rank, lease.world_size, lease.first_step, lease.total_steps, lease.quota_steps,
                lease.batch_size, lease.weights_path == nullptr ? "fresh weights" : "weights of the last version");
    std::fflush(stdout);
  }

  void stepped(std::uint64_t steps) {
    const auto now = Clock::now();
    if (now - last_ < std::chrono::seconds(1)) return;
    last_ = now;
    std::printf("step %" PRIu64 " of %" PRIu64 "\n", steps, lease_.quota_steps);
    std::fflush(stdout);
  }

  static void ended(std::uint64_t steps, const Metrics& metrics) {
    std::printf("lease over: %" PRIu64 " steps", steps);
    for (const auto& [name, value] : metrics) std::printf(", %s %.4g", name.c_str(), value);
    std::printf("\n");
    std::fflush(stdout);
  }

 private:
  hadar_lease lease_;
  Clock::time_point last_;
};

// The weights go to the node worker when it wants them; metrics go along in any case.
Status hand_over(hadar_job* job, LeaseWork& work, const Metrics& metrics) {
  for (const auto& [name, value] : metrics)
    if (hadar_metric(job, name.c_str(), value) != 0)
      std::fprintf(stderr, "hadar-trainer: metric %s is left out: %s\n", name.c_str(), hadar_last_error());
  if (!work.has_weights()) return {};
  const char* path = hadar_result_path(job);
  if (path == nullptr) return {};
  return work.save(path);
}

Status run_lease(hadar_job* job, const hadar_lease& lease, LeaseWork& work) {
  if (auto begun = work.begin(lease); !begun) return begun;
  ProgressLog log(lease);
  const AllReduce reduce = [job](std::span<float> values) {
    return hadar_all_reduce(job, values.data(), values.size()) == 0;
  };
  std::uint64_t steps = 0;
  for (auto action = hadar_before_step(job); action != HADAR_END; action = hadar_before_step(job)) {
    if (action == HADAR_SAVE) {
      if (auto done = hand_over(job, work, work.metrics()); !done) return done;
      hadar_saved(job);
      continue;
    }
    if (!work.step(reduce)) continue;  // the next hadar_before_step ends the lease
    hadar_after_step(job, lease.batch_size);
    log.stepped(++steps);
  }
  const Metrics metrics = work.metrics();
  if (auto done = hand_over(job, work, metrics); !done) return done;
  hadar_end_lease(job);
  ProgressLog::ended(steps, metrics);
  return {};
}

}  // namespace

Status run_leases(hadar_job* job, LeaseWork& work) {
  hadar_lease lease{};
  hadar_next next = hadar_next_lease(job, &lease);
  for (; next == HADAR_GO; next = hadar_next_lease(job, &lease))
    if (auto done = run_lease(job, lease, work); !done) return done;
  if (next == HADAR_FAULT) return fail(ErrorCode::kInternal, hadar_last_error());
  return {};
}

}  // namespace hadar::trainer
