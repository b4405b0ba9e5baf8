// Runs the trainers of one node.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>

#include "messages/types/control.hpp"
#include "messages/types/lease.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// A lease ready to run on this node.
struct LeaseRun {
  Lease lease;
  std::filesystem::path weights;  // of the base version; empty: initialise from the seed
  double pace_steps_per_s = 0;    // 0 = as fast as it can
  std::uint64_t first_step = 0;   // steps credited to the job before this lease
};

namespace executor_event {
// The trainer entered its step loop.
struct Started {
  LeaseId lease;
};
struct Progressed {
  LeaseId lease;
  std::uint64_t steps = 0;  // since the lease's start
  double train_s = 0;
};
// Weights written while the lease goes on. Counts run from the lease's start.
struct Saved {
  LeaseId lease;
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  std::filesystem::path weights;  // empty when the workload has none; the receiver owns the file
  Metrics metrics;
  double train_s = 0;
  double pace_missed_s = 0;
};
// The lease is over and its GPUs are free; sent exactly once for each started lease. `end` is kFailed when the trainer
// broke; then steps is 0 and `detail` says how (exit code, signal, last line).
struct Ended {
  LeaseId lease;
  LeaseEndReason end = LeaseEndReason::kQuota;
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  std::filesystem::path weights;
  Metrics metrics;
  double train_s = 0;
  double pace_missed_s = 0;
  std::string detail;
};
}  // namespace executor_event

using ExecutorEvent =
    std::variant<executor_event::Started, executor_event::Progressed, executor_event::Saved, executor_event::Ended>;
// Called on a thread of the executor's choosing, one call at a time; must not block.
using ExecutorSink = std::function<void(ExecutorEvent)>;

// All calls return at once and may come from any thread; what happens is told through the sink. A trainer stays warm
// after its lease for the next lease of the same (job, fork); the executor stops warm trainers it needs the room of.
class Executor {
 public:
  virtual ~Executor() = default;

  // Must be called once before the first start().
  virtual void set_sink(ExecutorSink sink) = 0;

  // Starts the lease's trainer processes (one per GPU of the lease) or wakes the warm ones.
  virtual void start(LeaseRun run) = 0;

  // More steps on the same base. No event of its own.
  virtual void extend(LeaseId lease, std::uint64_t quota_steps, double train_for_s) = 0;

  // Ask for a Saved. Ignored when the lease is ending or unknown.
  virtual void save(LeaseId lease) = 0;

  // Ask for the end: the trainer finishes its step and saves; after `limit_s` it is killed and Ended says kFailed.
  virtual void stop(LeaseId lease, double limit_s) = 0;

  // End at once, without saving; Ended comes with kLost and no steps.
  virtual void kill(LeaseId lease) = 0;

  // The job is finished or gone: its warm trainers exit.
  virtual void release(JobId job) = 0;

  // The log of a fork's trainers on this node; kNotFound when none was written.
  virtual Result<LogPart> read_log(ForkId fork, std::uint64_t offset, std::uint32_t max_bytes) = 0;
};

}  // namespace hadar
