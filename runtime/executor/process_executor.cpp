#include "runtime/executor/process_executor.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include "messages/types/check.hpp"
#include "runtime/executor/executor_core.hpp"

namespace hadar {
namespace {
constexpr double kStopSlackS = 6;  // beyond term_grace_s: the hunt for what is left of a tree takes at most 5 s
}  // namespace

struct ProcessExecutor::Shared {
  EventLoop& loop;
  ProcessExecutorOptions options;
  LogStore logs;
  std::atomic<std::uint64_t> frames_refused = 0;
  std::unique_ptr<ExecutorCore> core;  // touched on the loop only

  Shared(EventLoop& event_loop, ProcessExecutorOptions chosen)
      : loop(event_loop), options(std::move(chosen)), logs(options.log_folder, options.logs) {}
};

namespace {
// Runs `task` on the core when its turn comes; nothing once the core is gone.
template <class Shared, class Task>
void on_core(const std::shared_ptr<Shared>& shared, Task task) {
  shared->loop.post([shared, task = std::move(task)]() mutable {
    if (shared->core) task(*shared->core);
  });
}
}  // namespace

Result<std::unique_ptr<ProcessExecutor>> ProcessExecutor::create(EventLoop& loop, ProcessExecutorOptions options) {
  HADAR_REQUIRE(!loop.on_loop());
  auto shared = std::make_shared<Shared>(loop, std::move(options));
  std::promise<Status> made;
  loop.post([&] {
    auto core = ExecutorCore::create(shared->loop, shared->options, shared->logs, shared->frames_refused);
    if (core) shared->core = *std::move(core);
    made.set_value(core ? Status{} : Status{fail(std::move(core))});
  });
  auto status = made.get_future().get();
  if (!status) return fail(std::move(status));
  return std::unique_ptr<ProcessExecutor>(new ProcessExecutor(std::move(shared)));
}

ProcessExecutor::ProcessExecutor(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

ProcessExecutor::~ProcessExecutor() {
  HADAR_REQUIRE(!shared_->loop.on_loop());
  auto empty = std::make_shared<std::promise<void>>();
  auto emptied = empty->get_future();
  on_core(shared_, [empty](ExecutorCore& core) { core.shut_down([empty] { empty->set_value(); }); });
  const auto limit = std::chrono::duration<double>(shared_->options.term_grace_s + kStopSlackS);
  emptied.wait_for(limit);
  std::promise<void> gone;
  shared_->loop.post([&] {
    shared_->core.reset();
    gone.set_value();
  });
  gone.get_future().wait();
}

void ProcessExecutor::set_sink(ExecutorSink sink) {
  on_core(shared_, [sink = std::move(sink)](ExecutorCore& core) mutable { core.set_sink(std::move(sink)); });
}

void ProcessExecutor::start(LeaseRun run) {
  on_core(shared_, [run = std::move(run)](ExecutorCore& core) mutable { core.start(std::move(run)); });
}

void ProcessExecutor::extend(LeaseId lease, std::uint64_t quota_steps, double train_for_s) {
  on_core(shared_, [=](ExecutorCore& core) { core.extend(lease, quota_steps, train_for_s); });
}

void ProcessExecutor::save(LeaseId lease) {
  on_core(shared_, [=](ExecutorCore& core) { core.save(lease); });
}

void ProcessExecutor::stop(LeaseId lease, double limit_s) {
  on_core(shared_, [=](ExecutorCore& core) { core.stop(lease, limit_s); });
}

void ProcessExecutor::kill(LeaseId lease) {
  on_core(shared_, [=](ExecutorCore& core) { core.kill(lease); });
}

void ProcessExecutor::release(JobId job) {
  on_core(shared_, [=](ExecutorCore& core) { core.release(job); });
}

Result<LogPart> ProcessExecutor::read_log(ForkId fork, std::uint64_t offset, std::uint32_t max_bytes) {
  return shared_->logs.read(fork, offset, max_bytes);
}

std::uint64_t ProcessExecutor::frames_refused() const {
  return shared_->frames_refused;
}

}  // namespace hadar
