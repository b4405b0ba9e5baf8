// What the process executor does, on the loop's thread only.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "runtime/executor/crew.hpp"
#include "runtime/executor/process_executor.hpp"
#include "runtime/loop/child_keeper.hpp"
#include "runtime/transport/trainer_channel.hpp"

namespace hadar {

class ExecutorCore {
 public:
  static Result<std::unique_ptr<ExecutorCore>> create(EventLoop& loop, const ProcessExecutorOptions& options,
                                                      LogStore& logs, std::atomic<std::uint64_t>& frames_refused);
  ~ExecutorCore();
  ExecutorCore(const ExecutorCore&) = delete;
  ExecutorCore& operator=(const ExecutorCore&) = delete;

  void set_sink(ExecutorSink sink) { sink_ = std::move(sink); }
  void start(LeaseRun run);
  void extend(LeaseId lease, std::uint64_t quota_steps, double train_for_s);
  void save(LeaseId lease);
  void stop(LeaseId lease, double limit_s);
  void kill(LeaseId lease);
  void release(JobId job);

  // Ends all trainers and calls `done` when none is left. Nothing may be started after it.
  void shut_down(std::function<void()> done);

 private:
  using CrewNumber = std::uint64_t;

  ExecutorCore(EventLoop& loop, const ProcessExecutorOptions& options, LogStore& logs,
               std::atomic<std::uint64_t>& frames_refused, std::unique_ptr<TrainerServer> server);

  // Starting.
  Crew* warm_crew_for(const Lease& lease);
  bool gpus_in_use(const Crew& crew) const;
  void launch(Crew& crew);
  void launch_waiting();
  Status launch_member(Crew& crew, std::uint32_t local_rank);
  void send_lease(Crew& crew);
  void arm_limit(Crew& crew, double seconds, std::string detail);

  // What trainers say.
  void pump();
  void hear(const TrainerServer::Incoming& incoming);
  void on_hello(Crew& crew, CrewMember& member);
  void on_progress(Crew& crew, const TrainerProgress& progress);
  void on_saved(Crew& crew, CrewMember& member, const TrainerSaved& saved);
  void on_over(Crew& crew, CrewMember& member, const TrainerSaved& saved);
  void on_exit(CrewNumber number, const std::string& token, const ChildExit& exit);
  void bury(CrewNumber number, const std::string& token, const ChildExit& exit);

  // Ending.
  void conclude(Crew& crew);
  void fail_lease(Crew& crew, CrewFailure failure);
  void end_lease(Crew& crew, executor_event::Ended ended);
  void retire(Crew& crew);
  void escalate(const Crew& crew);
  void after_lease(CrewNumber number);
  void restart(CrewNumber number);
  void signal(const Crew& crew, int number);
  void tell(const Crew& crew, const TrainerMessage& message);
  void trim_warm();
  void remove_crew(CrewNumber number);
  Result<std::filesystem::path> accept_weights(CrewLease& lease, const std::string& path) const;
  void delete_results(const CrewLease& lease) const;

  Crew* find(CrewNumber number);
  Crew* find(LeaseId lease);
  CrewMember* member_of(Crew& crew, const std::string& token);
  void emit(ExecutorEvent event);
  void later(double seconds, std::function<void()> task);

  EventLoop& loop_;
  ProcessExecutorOptions options_;
  LogStore& logs_;
  std::atomic<std::uint64_t>& frames_refused_;
  std::unique_ptr<TrainerServer> server_;
  ChildKeeper children_;
  EventLoop::WatchId watch_{};
  ExecutorSink sink_;
  std::list<Crew> crews_;
  std::map<std::string, CrewNumber> tokens_;
  std::set<JobId> crashed_;  // sleep jobs whose declared crash has happened
  std::uint64_t last_number_ = 0;
  std::uint64_t idle_clock_ = 0;
  std::function<void()> on_empty_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hadar
