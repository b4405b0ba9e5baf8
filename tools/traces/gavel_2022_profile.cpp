// The very jobs of Gavel's published simulations: what the public code (utils.generate_job, 2022) draws for a seed from
// Python's generator, in its order: gang size, short or long, duration, job type.
#include <array>
#include <cmath>

#include "messages/types/python_random.hpp"
#include "tools/traces/profile.hpp"

namespace hadar::traces {
namespace {

// Added to the seed: the public code has one generator for each purpose.
constexpr std::uint64_t kJobSeed = 2;
constexpr std::uint64_t kArrivalSeed = 3;

struct Kind {
  const char* model;
  std::uint32_t batch_size;
};
// Those behind the 19th run on one GPU only.
constexpr std::uint32_t kGangKinds = 19;
constexpr std::array<Kind, 26> kKinds{{{"ResNet-18", 16},
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

double uniform(PythonRandom& random, double low, double high) {
  return low + (high - low) * random.unit();
}

std::uint32_t gang_of(double part) {
  return part < 0.7 ? 1 : part < 0.8 ? 2 : part < 0.95 ? 4 : 8;
}

}  // namespace

std::vector<DrawnJob> gavel_2022_jobs(std::uint64_t jobs, double jobs_per_h, std::uint64_t seed, bool gangs) {
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
    std::uint32_t kind = 0;
    do kind = random.below(kKinds.size());
    while (job.shape.gpus > 1 && kind >= kGangKinds);
    job.model = kKinds[kind].model;
    job.batch_size = kKinds[kind].batch_size;
    out.push_back(std::move(job));
  }
  return out;
}

}  // namespace hadar::traces
