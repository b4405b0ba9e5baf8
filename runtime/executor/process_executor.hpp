// Trainers as child processes of this one, over the SDK's channel. Whatever happens, no process of theirs stays behind.
#pragma once

#include <filesystem>
#include <memory>

#include "runtime/executor/executor.hpp"
#include "runtime/executor/log_store.hpp"
#include "runtime/executor/trainer_command.hpp"
#include "runtime/loop/event_loop.hpp"

namespace hadar {

struct ProcessExecutorOptions {
  std::filesystem::path work_folder;  // sockets and fresh weights; what an earlier process left there is deleted
  std::filesystem::path log_folder;
  TrainerSetup trainers;
  LogCaps logs;
  double hello_limit_s = 30;     // from a trainer's start to its hello
  double stop_grace_s = 10;      // for a trainer that should end by itself: at its deadline, or told to exit
  double term_grace_s = 1;       // from SIGTERM to SIGKILL
  std::uint32_t warm_limit = 4;  // idle trainers kept; the one idle for longest goes first
};

class ProcessExecutor : public Executor {
 public:
  // Trainers are children of `loop`'s thread; the loop must outlive the executor. kIo: a folder or the socket cannot be
  // made. Not from the loop's own thread.
  static Result<std::unique_ptr<ProcessExecutor>> create(EventLoop& loop, ProcessExecutorOptions options);

  // Ends all trainers within term_grace_s + 6 s, without a word to the sink. Not from the loop's own thread.
  ~ProcessExecutor() override;

  // The sink is called on the loop's thread.
  void set_sink(ExecutorSink sink) override;
  void start(LeaseRun run) override;
  void extend(LeaseId lease, std::uint64_t quota_steps, double train_for_s) override;
  void save(LeaseId lease) override;
  void stop(LeaseId lease, double limit_s) override;
  void kill(LeaseId lease) override;
  void release(JobId job) override;
  Result<LogPart> read_log(ForkId fork, std::uint64_t offset, std::uint32_t max_bytes) override;

  // Frames on the trainers' socket that were dropped: from strangers, or broken.
  [[nodiscard]] std::uint64_t frames_refused() const;

 private:
  struct Shared;
  explicit ProcessExecutor(std::shared_ptr<Shared> shared);
  std::shared_ptr<Shared> shared_;
};

}  // namespace hadar
