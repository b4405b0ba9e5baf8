#include "runtime/loop/event_loop.hpp"

#include <asio.hpp>
#include <chrono>
#include <list>
#include <map>
#include <thread>
#include <utility>

#include "messages/types/check.hpp"

namespace hadar {

struct EventLoop::Impl {
  // The descriptor belongs to someone else; it is let go, never closed.
  struct Watch {
    asio::posix::stream_descriptor descriptor;
    Task on_ready;
    Watch(asio::io_context& io, int fd, Task task) : descriptor(io, fd), on_ready(std::move(task)) {}
    ~Watch() { descriptor.release(); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
  };

  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::map<std::uint64_t, asio::steady_timer> timers;
  std::map<std::uint64_t, std::shared_ptr<Watch>> watches;
  std::list<asio::signal_set> signals;
  std::uint64_t last_id = 0;
  std::thread thread{[this] { io.run(); }};

  void run_watch(std::uint64_t id) {
    const auto found = watches.find(id);
    if (found == watches.end()) return;
    const auto watch = found->second;  // the callback may unwatch itself
    watch->on_ready();
    if (!watches.contains(id)) return;
    watch->descriptor.async_wait(asio::posix::stream_descriptor::wait_read, [this, id](const asio::error_code& error) {
      if (!error) run_watch(id);
    });
  }

  void run_signal(asio::signal_set& set, const Task& task) {
    set.async_wait([this, &set, task](const asio::error_code& error, int) {
      if (error) return;
      task();
      run_signal(set, task);
    });
  }
};

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}

EventLoop::~EventLoop() {
  HADAR_REQUIRE(!on_loop());
  impl_->io.stop();
  impl_->thread.join();
}

void EventLoop::post(Task task) {
  asio::post(impl_->io, std::move(task));
}

bool EventLoop::on_loop() const {
  return std::this_thread::get_id() == impl_->thread.get_id();
}

EventLoop::TimerId EventLoop::after(double seconds, Task task) {
  HADAR_REQUIRE(on_loop());
  const auto id = ++impl_->last_id;
  const auto delay = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  auto& timer = impl_->timers.try_emplace(id, impl_->io, delay).first->second;
  timer.async_wait([this, id, task = std::move(task)](const asio::error_code&) {
    if (impl_->timers.erase(id) > 0) task();
  });
  return TimerId{id};
}

void EventLoop::cancel(TimerId timer) {
  HADAR_REQUIRE(on_loop());
  impl_->timers.erase(static_cast<std::uint64_t>(timer));
}

EventLoop::WatchId EventLoop::watch(int fd, Task on_ready) {
  HADAR_REQUIRE(on_loop());
  const auto id = ++impl_->last_id;
  impl_->watches.emplace(id, std::make_shared<Impl::Watch>(impl_->io, fd, std::move(on_ready)));
  post([this, id] { impl_->run_watch(id); });
  return WatchId{id};
}

void EventLoop::unwatch(WatchId watch) {
  HADAR_REQUIRE(on_loop());
  impl_->watches.erase(static_cast<std::uint64_t>(watch));
}

void EventLoop::on_signal(int number, Task task) {
  HADAR_REQUIRE(on_loop());
  auto& set = impl_->signals.emplace_back(impl_->io, number);
  impl_->run_signal(set, task);
}

}  // namespace hadar
