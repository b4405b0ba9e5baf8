#include "tools/repro/in_threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace hadar {

void in_threads(std::size_t count, std::uint32_t threads, const std::function<void(std::size_t)>& work,
                const std::function<void()>& tick) {
  constexpr std::chrono::milliseconds kTickEvery(200);
  if (threads == 1 && !tick) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::size_t over = 0;
  std::mutex mutex;
  std::condition_variable one_over;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
      const std::lock_guard lock(mutex);
      ++over;
      one_over.notify_all();
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < std::min<std::size_t>(threads, count); ++i) workers.emplace_back(loop);
  std::unique_lock lock(mutex);
  while (over < count) {
    one_over.wait_for(lock, kTickEvery);
    if (tick) tick();
  }
}

}  // namespace hadar
