#include "tools/repro/class_mix.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <string_view>

#include "tools/traces/measured_speeds.hpp"
#include "tools/traces/model_draw.hpp"
#include "tools/traces/random.hpp"

namespace hadar::repro {
namespace {

constexpr double kHour_s = 3600;
constexpr std::array<std::uint32_t, 4> kGpus{1, 2, 4, 8};
// Streams of random numbers.
constexpr std::uint64_t kShapes = 1;
constexpr std::uint64_t kModels = 2;
constexpr std::uint64_t kArrivals = 3;

struct SizeClass {
  std::string_view name;
  std::vector<std::string_view> models;
  double least_gpu_h, most_gpu_h;
};
const std::array<SizeClass, 4> kClasses{SizeClass{"S", {"ResNet-18"}, 0.02, 1}, SizeClass{"M", {"CycleGAN"}, 1, 10},
                                        SizeClass{"L", {"LM", "Transformer"}, 10, 50},
                                        SizeClass{"XL", {"ResNet-50"}, 60, 100}};

std::size_t drawn_place(const std::array<double, 4>& shares, double part) {
  std::size_t place = 0;
  for (; place + 1 < shares.size() && part >= shares[place]; ++place) part -= shares[place];
  while (shares[place] <= 0 && place > 0) --place;
  return place;
}

std::vector<traces::JobType> types_of(const traces::ModelDraw& models, const SizeClass& size, std::uint32_t gpus) {
  const auto& all = models.types_for(gpus);
  std::vector<traces::JobType> types;
  std::copy_if(all.begin(), all.end(), std::back_inserter(types), [&](const traces::JobType& type) {
    return std::find(size.models.begin(), size.models.end(), type.model) != size.models.end();
  });
  return types;
}

std::string shares_text(const std::array<double, 4>& shares) {
  std::string text;
  for (const double share : shares) text += fmt::format("{}{:g}", text.empty() ? "" : "/", 100 * share);
  return text;
}

}  // namespace

const std::array<std::array<double, 4>, 4>& gangs_of_philly() {
  static constexpr std::array<std::array<double, 4>, 4> kGangs{
      {{0.98, 0.02, 0, 0}, {1, 0, 0, 0}, {0.69, 0.05, 0.12, 0.14}, {0.35, 0.10, 0.30, 0.25}}};
  return kGangs;
}

std::array<std::array<double, 4>, 4> gangs_alike(std::array<double, 4> shares) {
  return {shares, {1, 0, 0, 0}, shares, shares};
}

DrawnWorkload draw_workload(const ClassMix& mix, std::uint64_t jobs, std::uint64_t seed) {
  const traces::ModelDraw models(traces::gavel_throughput_file().rows);
  traces::Random shapes(seed, kShapes);
  traces::Random types(seed, kModels);
  traces::Random arrivals(seed, kArrivals);
  DrawnWorkload workload;
  double now_s = 0;
  for (std::uint64_t i = 0; i < jobs; ++i) {
    if (i > 0 && mix.jobs_per_h > 0) now_s += std::round(arrivals.exponential(kHour_s / mix.jobs_per_h) * 1000) / 1000;
    const auto place = drawn_place(mix.shares, shapes.unit());
    const auto& size = kClasses[place];
    const auto gpus = kGpus[drawn_place(mix.gangs[place], shapes.unit())];
    const double gpu_h = shapes.uniform(size.least_gpu_h, size.most_gpu_h);
    const auto fitting = types_of(models, size, gpus);
    const auto& type = fitting[types.below(fitting.size())];
    TraceJob job;
    job.arrival_s = now_s;
    job.spec.name = fmt::format("{}-{}", size.name, i + 1);
    job.spec.workload = kTraceWorkload;
    job.spec.model = type.model;
    job.spec.batch_size = type.batch_size;
    job.spec.gpus = gpus;
    job.spec.total_steps =
        static_cast<std::uint64_t>(std::max(1.0, std::floor(gpu_h * kHour_s / gpus * type.steps_per_s)));
    job.spec.forkable = false;
    workload.useful_gpu_s += static_cast<double>(job.spec.total_steps) / type.steps_per_s * gpus;
    workload.jobs.push_back(std::move(job));
  }
  return workload;
}

std::string text_of(const ClassMix& mix) {
  std::string gangs;
  for (std::size_t i = 0; i < kClasses.size(); ++i)
    gangs += fmt::format("{}{} {}", i == 0 ? "" : ", ", kClasses[i].name, shares_text(mix.gangs[i]));
  return fmt::format("S/M/L/XL {} %; 1/2/4/8 GPUs in % of {}; {}", shares_text(mix.shares), gangs,
                     mix.jobs_per_h > 0 ? fmt::format("{:g} jobs/h, Poisson", mix.jobs_per_h) : "all at 0");
}

}  // namespace hadar::repro
