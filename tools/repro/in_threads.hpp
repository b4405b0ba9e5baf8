// Independent pieces of work on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace hadar {

// Calls work(0) … work(count - 1), `threads` of them at a time, each once and in rising order of their begin; tick() on
// the calling thread a few times a second meanwhile (may be empty). Returns when all have returned. `work` must not
// throw and must be safe to call from several threads. One thread without a tick is the calling one: a process that
// never had a second thread allocates and counts references faster.
void in_threads(std::size_t count, std::uint32_t threads, const std::function<void(std::size_t)>& work,
                const std::function<void()>& tick);

}  // namespace hadar
