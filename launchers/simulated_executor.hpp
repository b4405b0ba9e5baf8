// A node's trainers in virtual time: progress is speed times time.
#pragma once

#include <array>
#include <caf/actor.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launchers/learnt_steps.hpp"
#include "messages/types/cluster.hpp"
#include "runtime/executor/executor.hpp"

namespace hadar {

// What a trainer does beside training.
struct TrainerCosts {
  double load_s = 0;  // from start() to the first step
  double save_s = 0;  // to write weights at a lease's end

  friend bool operator==(const TrainerCosts&, const TrainerCosts&) = default;
};

// What the executors of one simulation share.
struct SimulatedTrainers {
  // Steps per second of a gang member of a job on a type; 0 = it cannot run there. `spread`: its gang spans nodes.
  std::function<double(const JobSpec&, const GpuType&, bool spread)> speed;
  // The same of two jobs side by side on the same GPUs; empty, or {0, 0}: each runs at half its speed.
  std::function<std::array<double, 2>(const JobSpec&, const JobSpec&, const GpuType&)> pair_speed;
  std::function<TrainerCosts(const JobSpec&)> costs;
  std::function<double(LeaseId)> noise;  // factor on a lease's speed; empty = 1
  std::optional<LearntSteps> learnt;     // absent: trainers measure nothing
  // As the public Gavel simulator of 2022: a gang whose quota is below its number of GPUs fails when it is done, and
  // two jobs on the same GPUs end together. All leases end with their round there, so one on GPUs that its job was the
  // last to use is the same one renewed, and starts at no cost.
  bool gavel_2022 = false;

  struct Member {
    std::uint32_t gpus = 0;
    double slowest = 0;          // of its GPUs
    double sum = 0;              // over them
    std::function<void()> look;  // the gang's speed has changed
  };
  using Gang = std::map<LeaseId, Member>;  // those that are ready
  std::map<std::string, Gang> gangs;       // by their rendezvous, unlike for each
  std::set<JobId> crashed;                 // a job's declared crash comes once
  std::vector<std::string> violations;     // GPUs started on while in use
};

// Keeps the contract of Executor on the actor system's clock. A step that was begun is finished before a stop or a
// save; at a deadline it is not. Weights are names, for SimulatedBlobs. All calls on the simulation's thread.
class SimulatedExecutor final : public Executor {
 public:
  SimulatedExecutor(caf::actor_system& system, NodeName node, std::shared_ptr<SimulatedTrainers> shared);
  ~SimulatedExecutor() override;

  void set_sink(ExecutorSink sink) override { sink_ = std::move(sink); }
  void start(LeaseRun run) override;
  void extend(LeaseId lease, std::uint64_t quota_steps, double train_for_s) override;
  void save(LeaseId lease) override;
  void stop(LeaseId lease, double limit_s) override;
  void kill(LeaseId lease) override;
  void release(JobId) override {}
  Result<LogPart> read_log(ForkId fork, std::uint64_t offset, std::uint32_t max_bytes) override;

  // Everything runs at this part of its speed from now on; 0 = trainers hang.
  void set_factor(double factor);
  // The machine is gone: no event comes any more.
  void vanish();

 private:
  struct Run {
    LeaseRun what;
    double slowest = 0;  // of this lease's GPUs
    double sum = 0;      // over them
    double noise = 1;
    TrainerCosts costs;
    bool joined = false;     // its gang counts it
    bool entered = false;    // the step loop
    bool thin_pair = false;  // gavel_2022: the pair fails
    double learnt = 0;       // of the job, when the lease began
    double entered_s = 0;
    double done = 0;  // steps at `since_s`
    double since_s = 0;
    double deadline_s = 0;                        // 0 = none
    std::optional<double> stop_at;                // steps
    double kill_at_s = 0;                         // 0 = never
    std::optional<double> save_at;                // steps
    std::optional<executor_event::Ended> ending;  // weights are being written
    double ends_s = 0;
    caf::actor_clock::time_point next = caf::actor_clock::time_point::max();  // when to look at it again
  };

  [[nodiscard]] double now_s() const;
  [[nodiscard]] bool stays(const Lease& lease) const;
  [[nodiscard]] double speed_of(const Run& run) const;
  [[nodiscard]] double target_of(const Run& run) const;
  [[nodiscard]] double crash_of(const Run& run) const;
  void advance(Run& run);
  void look(LeaseId id);
  void look_again(Run& run);
  void set_alarm();
  void alarm();
  void join(Run& run);
  [[nodiscard]] Run* partner_of(const Run& run);
  void set_speeds(Run& run);
  void partner_changed(Run& run);
  void leave(LeaseId id);
  void end_at_quota(LeaseId id, double steps);
  void begin_end(LeaseId id, LeaseEndReason end, double steps, const std::string& detail);
  void end(LeaseId id);
  void tell_saved(Run& run);
  [[nodiscard]] Metrics metrics_of(const Run& run, std::uint64_t steps) const;
  [[nodiscard]] static std::filesystem::path weights_of(const Run& run, std::uint64_t steps);

  caf::actor_system& system_;
  NodeName node_;
  std::shared_ptr<SimulatedTrainers> shared_;
  ExecutorSink sink_;
  caf::actor alarms_;
  double factor_ = 1;
  bool gone_ = false;
  std::map<LeaseId, Run> runs_;
  std::map<std::uint32_t, JobId> last_on_;                // by GPU; gavel_2022
  std::vector<caf::actor_clock::time_point> alarms_set_;  // that have not come; falling
};

}  // namespace hadar
