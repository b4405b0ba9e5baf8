// The very jobs of Gavel's published simulations: what the public code (utils.generate_job) draws for a seed from
// Python's generator, in its order: gang size, short or long, duration, job type. Its list of job types was put in
// another order before the code of 2022; the logs behind the OSDI'20 figures are of the order before.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "messages/types/python_random.hpp"
#include "tools/traces/profile.hpp"

namespace hadar::traces {
namespace {

// Added to the seed: the public code has one generator for each purpose.
constexpr std::uint64_t kJobSeed = 2;
constexpr std::uint64_t kArrivalSeed = 3;

struct Kind {
  std::string_view model;
  std::uint32_t batch_size;
};
constexpr std::size_t kKindCount = 26;
using Kinds = std::array<Kind, kKindCount>;
constexpr Kinds kKinds2022{{{"ResNet-18", 16},
                            {"ResNet-18", 32},
                            {"ResNet-18", 64},
                            {"ResNet-18", 128},
                            {"ResNet-18", 256},
                            {"ResNet-50", 16},
                            {"ResNet-50", 32},
                            {"ResNet-50", 64},
                            {"ResNet-50", 128},
                            {"Transformer", 16},
                            {"Transformer", 32},
                            {"Transformer", 64},
                            {"Transformer", 128},
                            {"Transformer", 256},
                            {"LM", 5},
                            {"LM", 10},
                            {"LM", 20},
                            {"LM", 40},
                            {"LM", 80},
                            {"Recommendation", 512},
                            {"Recommendation", 1024},
                            {"Recommendation", 2048},
                            {"Recommendation", 4096},
                            {"Recommendation", 8192},
                            {"A3C", 1},
                            {"CycleGAN", 1}}};
constexpr std::size_t kA3cIn2020 = 14;
constexpr std::size_t kA3cIn2022 = 24;

// A3C stood before the language models.
constexpr Kinds kinds_2020() {
  auto kinds = kKinds2022;
  for (auto place = kA3cIn2022; place > kA3cIn2020; --place) std::swap(kinds[place], kinds[place - 1]);
  return kinds;
}

bool runs_as_gang(const Kind& kind) {
  constexpr std::array<std::string_view, 4> kGangModels{"ResNet-18", "ResNet-50", "Transformer", "LM"};
  return std::find(kGangModels.begin(), kGangModels.end(), kind.model) != kGangModels.end();
}

double uniform(PythonRandom& random, double low, double high) {
  return low + (high - low) * random.unit();
}

std::uint32_t gang_of(double part) {
  return part < 0.7 ? 1 : part < 0.8 ? 2 : part < 0.95 ? 4 : 8;
}

std::vector<DrawnJob> drawn_from(const Kinds& kinds, std::uint64_t jobs, double jobs_per_h, std::uint64_t seed,
                                 bool gangs) {
  PythonRandom random(seed + kJobSeed);
  PythonRandom arrivals(seed + kArrivalSeed);
  std::vector<DrawnJob> out;
  double now_s = 0;
  for (std::uint64_t i = 0; i < jobs; ++i) {
    if (i > 0 && jobs_per_h > 0) now_s -= 3600 / jobs_per_h * std::log(1 - arrivals.unit());
    const auto gpus = gang_of(uniform(random, 0, 1));
    DrawnJob job;
    job.arrival_s = now_s;
    job.shape.gpus = gangs ? gpus : 1;
    const bool is_long = random.unit() >= 0.8;
    job.shape.alone_s = 60 * std::pow(10.0, is_long ? uniform(random, 3, 4) : uniform(random, 1.5, 3));
    const Kind* kind = nullptr;
    do kind = &kinds[random.below(kinds.size())];
    while (job.shape.gpus > 1 && !runs_as_gang(*kind));
    job.model = kind->model;
    job.batch_size = kind->batch_size;
    out.push_back(std::move(job));
  }
  return out;
}

}  // namespace

std::vector<DrawnJob> gavel_2020_jobs(std::uint64_t jobs, double jobs_per_h, std::uint64_t seed, bool gangs) {
  return drawn_from(kinds_2020(), jobs, jobs_per_h, seed, gangs);
}

std::vector<DrawnJob> gavel_2022_jobs(std::uint64_t jobs, double jobs_per_h, std::uint64_t seed, bool gangs) {
  return drawn_from(kKinds2022, jobs, jobs_per_h, seed, gangs);
}

}  // namespace hadar::traces
