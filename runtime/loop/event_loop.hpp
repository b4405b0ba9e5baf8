// One thread that waits for everything a process waits for outside its actors: timers, readable descriptors, signals,
// children. All callbacks run on that thread, one at a time, and must not block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace hadar {

class EventLoop {
 public:
  using Task = std::function<void()>;
  enum class TimerId : std::uint64_t { kNone = 0 };
  enum class WatchId : std::uint64_t { kNone = 0 };

  // Starts the thread. It lives as long as the loop: children whose death signal follows it die with it.
  EventLoop();
  // Ends after the running callback; tasks still queued are dropped. Not from the loop's own thread.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs `task` on the loop, after those posted before. From any thread.
  void post(Task task);

  [[nodiscard]] bool on_loop() const;

  // The rest is for the loop's own thread only.

  // Runs `task` once, `seconds` from now (at once when not positive), unless cancelled.
  TimerId after(double seconds, Task task);
  void cancel(TimerId timer);

  // Runs `on_ready` whenever `fd` is readable or hung up, until unwatch(); call that before the descriptor closes. It
  // also runs once at the start, since news may have come before.
  WatchId watch(int fd, Task on_ready);
  void unwatch(WatchId watch);

  // Runs `task` after each delivery of the signal to this process; several may fold into one. For good.
  void on_signal(int number, Task task);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hadar
