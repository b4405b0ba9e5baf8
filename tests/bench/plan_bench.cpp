// How long policies take for a plan of a large round: CPU time of one thread, with a fingerprint of all plans, so that
// a faster version can be held to the same plans.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "actors/pricing/prices.hpp"
#include "launchers/policies.hpp"

namespace hadar {
namespace {

struct Shape {
  std::size_t jobs = 2048;
  std::size_t nodes = 512;
  std::size_t types = 3;
  std::size_t inputs = 20;
  bool mixed = false;  // every third node has two types, every fifth another network
};

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

std::string numbered(const char* what, std::size_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%s%05zu", what, number);
  return text;
}

// Four GPUs, of one type unless mixed.
NodeCapacity node_of(const Shape& shape, std::size_t n) {
  const auto type = n % shape.types;
  NodeCapacity node{numbered("n", n), {{numbered("type", type), 4}}, {0, 1, 2, 3}, 12, 10};
  if (!shape.mixed) return node;
  if (n % 3 == 0 && type + 1 < shape.types) node.gpus = {{numbered("type", type), 1}, {numbered("type", type + 1), 3}};
  if (n % 5 == 0) node.net_gb_s = 1;
  return node;
}

// Gangs of 1, 2, 4 and 8; every job has its own speeds.
RoundInput waiting_input(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(engine() >> 11) / static_cast<double>(1ULL << 53);
  };
  RoundInput input;
  input.round = RoundId{1};
  input.now_s = 100000;
  input.round_s = input.window_s = 360;
  for (std::size_t n = 0; n < shape.nodes; ++n) input.nodes.push_back(node_of(shape, n));
  for (std::size_t j = 1; j <= shape.jobs; ++j) {
    JobView job;
    job.job = JobId{j};
    job.model = "m";
    const auto gang = draw(0, 1);
    job.gpus = gang < 0.7 ? 1 : gang < 0.8 ? 2 : gang < 0.95 ? 4 : 8;
    job.forkable = false;
    job.submitted_t_s = draw(0, input.now_s);
    const auto speed = draw(1, 100);
    double factor = 1;
    for (std::size_t t = 0; t < shape.types; ++t, factor *= draw(0.3, 0.9))
      job.estimates.push_back({numbered("type", t), Placement::kPacked, speed * factor, EstimateSource::kDeclared});
    job.steps_total = static_cast<std::uint64_t>(speed * draw(600, 200000));
    job.attained_service_gpu_s = draw(0, 1) < 0.5 ? 0 : draw(0, 50000);
    job.model_bytes = static_cast<std::uint64_t>(draw(1e6, 1e9));
    input.jobs.push_back(std::make_shared<const JobView>(std::move(job)));
  }
  return input;
}

// The next border: jobs hold what the plan gave them.
RoundInput running_input(const RoundInput& before, const RoundPlan& plan) {
  auto input = before;
  input.round.value += 1;
  input.now_s += input.round_s;
  input.memory = plan.memory;
  std::map<NodeName, NodeCapacity*> nodes;
  for (auto& node : input.nodes) nodes[node.node] = &node;
  auto allocation = plan.allocations.begin();
  for (auto& view : input.jobs) {
    auto job = *view;
    for (; allocation != plan.allocations.end() && allocation->fork.job == job.job; ++allocation) {
      job.held.push_back(*allocation);
      job.steps_issued += allocation->quota_steps;
      for (const auto& slice : allocation->slices)
        for (const auto gpu : slice.gpus) std::erase(nodes[slice.node]->idle_gpus, gpu);
    }
    view = std::make_shared<const JobView>(std::move(job));
  }
  return input;
}

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

void show(const std::string& name, const char* situation, Figures& figures) {
  std::sort(figures.ms.begin(), figures.ms.end());
  const auto at = [&](double share) {
    return figures.ms[static_cast<std::size_t>(share * static_cast<double>(figures.ms.size() - 1))];
  };
  std::printf("%-18s %-8s p50 %7.2f ms  p99 %7.2f ms  %zu gangs a plan\n", name.c_str(), situation, at(0.5), at(0.99),
              figures.granted / figures.ms.size());
}

int measure(const std::string& name, const Shape& shape) {
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
  return 0;
}

int usage() {
  std::fprintf(stderr, "plan_bench: give [--jobs N] [--nodes N] [--types N] [--inputs N] [--mixed] POLICY...\n");
  return 2;
}

int run(int argc, char** argv) {
  Shape shape;
  std::vector<std::string> names;
  const std::map<std::string, std::size_t*> numbers = {
      {"--jobs", &shape.jobs}, {"--nodes", &shape.nodes}, {"--types", &shape.types}, {"--inputs", &shape.inputs}};
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--mixed") {
      shape.mixed = true;
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
  if (names.empty()) return usage();
  std::printf("%zu jobs on %zu GPUs in %zu %snodes of %zu types, %zu inputs\n", shape.jobs, 4 * shape.nodes,
              shape.nodes, shape.mixed ? "mixed " : "", shape.types, shape.inputs);
  for (const auto& name : names)
    if (const int code = measure(name, shape); code != 0) return code;
  return 0;
}

}  // namespace
}  // namespace hadar

int main(int argc, char** argv) {
  return hadar::run(argc, argv);
}
