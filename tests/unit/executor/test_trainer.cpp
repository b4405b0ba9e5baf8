// A trainer for the tests: counts steps into its "weights" and misbehaves on request.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/sdk/hadar_job.hpp"

namespace {

struct Wishes {
  std::uint64_t crash_at = 0;     // exit with 3 at this step of a lease
  std::uint64_t hang_at = 0;      // sleep for ever at this step
  std::uint64_t print_bytes = 0;  // at the first step
  std::int64_t crash_rank = -1;   // only this rank crashes; -1: all
  std::uint64_t samples = 2;      // per step
  bool ignore_term = false;
  bool grandchild = false;      // one in the group, one that left it
  bool reduce = false;          // sums over the gang at each step; the weights hold the sum
  bool forget_weights = false;  // asks for a path and writes nothing
  bool exit_after_lease = false;
  bool no_hello = false;
};

Wishes read_wishes(int argc, char** argv) {
  Wishes w;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&](const char* name) {
      const auto size = std::strlen(name);
      return word.compare(0, size, name) == 0 ? word.c_str() + size : nullptr;
    };
    if (const char* v = value("crash_at=")) w.crash_at = std::strtoull(v, nullptr, 10);
    if (const char* v = value("crash_rank=")) w.crash_rank = std::strtoll(v, nullptr, 10);
    if (const char* v = value("hang_at=")) w.hang_at = std::strtoull(v, nullptr, 10);
    if (const char* v = value("print_bytes=")) w.print_bytes = std::strtoull(v, nullptr, 10);
    w.ignore_term = w.ignore_term || word == "ignore_term";
    w.grandchild = w.grandchild || word == "grandchild";
    w.reduce = w.reduce || word == "reduce";
    w.forget_weights = w.forget_weights || word == "forget_weights";
    w.exit_after_lease = w.exit_after_lease || word == "exit_after_lease";
    w.no_hello = w.no_hello || word == "no_hello";
  }
  return w;
}

void sleep_for_ever() {
  for (;;) pause();
}

// Prints the pids so that the test can look for them.
void start_grandchildren() {
  for (const bool leaves : {false, true}) {
    const pid_t pid = fork();
    if (pid == 0) {
      if (leaves) setsid();
      std::signal(SIGTERM, SIG_IGN);
      sleep_for_ever();
    }
    std::printf("grandchild %d\n", pid);
  }
}

std::uint64_t load(const char* path) {
  std::uint64_t total = 0;
  if (path != nullptr) std::ifstream(path) >> total;
  return total;
}

void step(const Wishes& wishes, hadar::TrainingJob& job, const hadar_lease& lease, std::uint64_t n,
          std::uint64_t& total) {
  if (n == 1 && wishes.print_bytes > 0) {
    const std::string line(99, 'x');
    for (std::uint64_t done = 0; done < wishes.print_bytes; done += 100) std::printf("%s\n", line.c_str());
  }
  const bool mine = wishes.crash_rank < 0 || wishes.crash_rank == static_cast<std::int64_t>(lease.rank);
  if (n == wishes.crash_at && mine) {
    std::fprintf(stderr, "cannot go on\n");
    _exit(3);
  }
  if (n == wishes.hang_at) sleep_for_ever();
  float value[2] = {static_cast<float>(lease.rank + 1), 0.1F * static_cast<float>(lease.rank + 1)};
  if (wishes.reduce && job.all_reduce(value, 2)) total += static_cast<std::uint64_t>(value[0]) - 1;
  ++total;
  job.step_done(wishes.samples);
}

void run_lease(const Wishes& wishes, hadar::TrainingJob& job, const hadar_lease& lease) {
  std::printf("lease of fork %u rank %u of %u pid %d\n", lease.fork, lease.rank, lease.world_size, getpid());
  std::uint64_t total = load(lease.weights_path);
  const auto save = [&](const std::string& path) {
    if (!wishes.forget_weights) std::ofstream(path) << total << "\n";
  };
  for (std::uint64_t n = 1; job.next_step(save); ++n) step(wishes, job, lease, n, total);
  std::printf("end of lease\n");
  job.end_lease(save, {{"total", static_cast<double>(total)}});
}

}  // namespace

int main(int argc, char** argv) try {
  const Wishes wishes = read_wishes(argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (wishes.ignore_term) std::signal(SIGTERM, SIG_IGN);
  if (wishes.grandchild) start_grandchildren();
  if (wishes.no_hello) sleep_for_ever();
  hadar::TrainingJob job;
  while (const hadar_lease* lease = job.next_lease()) {
    run_lease(wishes, job, *lease);
    if (wishes.exit_after_lease) break;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 4;
}
