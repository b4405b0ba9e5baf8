// How long policies take for a plan of a large round, and how much memory: CPU time of one thread, with a fingerprint
// of all plans, so that a faster version can be held to the same plans.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "actors/pricing/prices.hpp"
#include "launchers/policies.hpp"
#include "tests/bench/plan_inputs.hpp"

namespace hadar {
namespace {

// Figures of one policy in one situation.
struct Figures {
  std::vector<double> ms;
  std::size_t granted = 0;
};

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// FNV-1a, 64 bits.
class Fingerprint {
 public:
  void add(const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      value_ = (value_ ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211;
  }
  template <class T>
  void add(T value) {
    add(&value, sizeof value);
  }
  void add(const std::string& text) {
    add(text.size());
    add(text.data(), text.size());
  }
  void add(const RoundPlan& plan) {
    for (const auto& allocation : plan.allocations) {
      add(allocation.fork.job.value);
      add(allocation.fork.fork);
      for (const auto& slice : allocation.slices) {
        add(slice.node);
        for (const auto gpu : slice.gpus) add(gpu);
      }
      add(allocation.quota_steps);
      add(allocation.ends_at_border);
      add(allocation.steps_per_s);
    }
    for (const auto& outcome : plan.outcomes) {
      add(outcome.job.value);
      add(outcome.kind);
      add(outcome.reason.code);
      add(outcome.reason.text);
      for (const auto& [name, value] : outcome.reason.numbers) {
        add(name);
        add(value);
      }
    }
    add(plan.memory);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037ULL;
};

RoundPlan timed(Policy& policy, RoundInput& input, PriceBoard& board, Figures& figures, Fingerprint& print) {
  if (policy.traits().needs_prices) input.prices = board = make_prices(input, {}, board);
  const double start = cpu_ms();
  auto plan = policy.plan(input);
  figures.ms.push_back(cpu_ms() - start);
  if (!plan) {
    std::fprintf(stderr, "plan_bench: %s\n", plan.error().message.c_str());
    std::exit(1);
  }
  figures.granted += plan->allocations.size();
  print.add(*plan);
  return *std::move(plan);
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void show(const std::string& name, const char* situation, Figures& figures) {
  std::sort(figures.ms.begin(), figures.ms.end());
  std::printf("%-18s %-8s p50 %8.2f ms  p99 %8.2f ms  %zu gangs a plan\n", name.c_str(), situation,
              quantile(figures.ms, 0.5), quantile(figures.ms, 0.99), figures.granted / figures.ms.size());
}

int measure(const std::string& name, const Shape& shape, double bar_ms = HUGE_VAL) {
  auto policy = make_policy(name);
  if (!policy) {
    std::fprintf(stderr, "plan_bench: %s\n", policy.error().message.c_str());
    return 2;
  }
  Figures waiting;
  Figures running;
  Fingerprint print;
  for (std::size_t seed = 0; seed < shape.inputs; ++seed) {
    PriceBoard board;
    auto input = waiting_input(shape, seed);
    const auto plan = timed(**policy, input, board, waiting, print);
    auto next = running_input(input, plan);
    timed(**policy, next, board, running, print);
  }
  show(name, "waiting", waiting);
  show(name, "running", running);
  std::printf("%-18s plans    %016llx\n", name.c_str(), static_cast<unsigned long long>(print.value()));
  return quantile(waiting.ms, 0.5) <= bar_ms ? 0 : 1;
}

void title(const Shape& shape) {
  std::printf("%zu jobs on %zu GPUs in %zu %snodes of %zu types, %zu inputs\n", shape.jobs, 4 * shape.nodes,
              shape.nodes, shape.mixed ? "mixed " : "", shape.types, shape.inputs);
}

// In a process of its own, so that the memory is this row's. True when the bar is kept.
bool row(const std::string& name, const Shape& shape, double bar_ms = HUGE_VAL) {
  title(shape);
  std::fflush(stdout);
  const auto child = fork();
  if (child == 0) {
    const int code = measure(name, shape, bar_ms);
    std::fflush(stdout);
    _exit(code);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) std::exit(1);
  std::printf("%-18s memory   %ld MiB", name.c_str(), used.ru_maxrss / 1024);
  if (std::isfinite(bar_ms)) std::printf(", bar p50 %.0f ms waiting", bar_ms);
  std::printf("\n");
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) std::exit(1);
  return WEXITSTATUS(status) == 0;
}

int budgets(bool check) {
  bool kept = row("hadar", {.jobs = 2048, .nodes = 512}, 20);
  kept = row("hadar", {.jobs = 16384, .nodes = 2048, .inputs = 5}, 250) && kept;
  kept = row("hadare", {.jobs = 500, .nodes = 1000, .inputs = 5, .forkable = true}, 50) && kept;
  return check && !kept ? 1 : 0;
}

// Twice as many jobs from row to row, two a GPU.
void growth(const std::vector<std::string>& names) {
  for (const auto& name : names)
    for (std::size_t jobs = 128; jobs <= 16384; jobs *= 2) row(name, {.jobs = jobs, .nodes = jobs / 8, .inputs = 3});
}

int usage() {
  std::fprintf(stderr,
               "plan_bench: give [--jobs N] [--nodes N] [--types N] [--inputs N] [--mixed] [--forkable] POLICY...\n"
               "            or --budgets [--check], or --growth [POLICY...]\n");
  return 2;
}

int run(int argc, char** argv) {
  Shape shape;
  std::vector<std::string> names;
  std::map<std::string, bool> flags = {
      {"--budgets", false}, {"--check", false}, {"--growth", false}, {"--mixed", false}, {"--forkable", false}};
  const std::map<std::string, std::size_t*> numbers = {
      {"--jobs", &shape.jobs}, {"--nodes", &shape.nodes}, {"--types", &shape.types}, {"--inputs", &shape.inputs}};
  for (int i = 1; i < argc; ++i) {
    if (const auto flag = flags.find(argv[i]); flag != flags.end()) {
      flag->second = true;
      continue;
    }
    const auto number = numbers.find(argv[i]);
    if (number == numbers.end() && argv[i][0] == '-') return usage();
    if (number == numbers.end()) {
      names.emplace_back(argv[i]);
      continue;
    }
    if (++i == argc) return usage();
    *number->second = std::strtoul(argv[i], nullptr, 10);
    if (*number->second == 0) return usage();
  }
  if (flags["--budgets"]) return names.empty() ? budgets(flags["--check"]) : usage();
  if (flags["--growth"]) {
    growth(names.empty() ? std::vector<std::string>{"hadar", "gavel-las", "gavel-hierarchical"} : names);
    return 0;
  }
  if (names.empty()) return usage();
  shape.mixed = flags["--mixed"];
  shape.forkable = flags["--forkable"];
  title(shape);
  for (const auto& name : names)
    if (const int code = measure(name, shape); code != 0) return code;
  return 0;
}

}  // namespace
}  // namespace hadar

int main(int argc, char** argv) {
  return hadar::run(argc, argv);
}
