#include "tools/repro/class_mix.hpp"

#include <gmock/gmock.h>
#include <map>

#include "tools/repro/clusters.hpp"
#include "tools/traces/model_draw.hpp"

namespace hadar::repro {
namespace {

constexpr std::uint64_t kMany = 20000;
constexpr double kHour_s = 3600;

ClassMix mix(double jobs_per_h = 0) {
  return {"test", {.60, .25, .10, .05}, gangs_of_philly(), jobs_per_h};
}

std::string class_of(const TraceJob& job) {
  return job.spec.name.substr(0, job.spec.name.find('-'));
}

// The standard deviation of a share of `kMany` draws is below .004; four of them.
constexpr double kShareError = 0.016;

TEST(ClassMix, HasTheSharesItWasAskedFor) {
  std::map<std::string, double> classes;
  std::map<std::uint32_t, double> xl_gangs;
  for (const auto& job : draw_workload(mix(), kMany, 1).jobs) {
    classes[class_of(job)] += 1.0 / kMany;
    if (class_of(job) == "XL") ++xl_gangs[job.spec.gpus];
  }
  EXPECT_NEAR(classes["S"], .60, kShareError);
  EXPECT_NEAR(classes["M"], .25, kShareError);
  EXPECT_NEAR(classes["L"], .10, kShareError);
  EXPECT_NEAR(classes["XL"], .05, kShareError);
  EXPECT_NEAR(xl_gangs[4] / (classes["XL"] * kMany), .30, .06);
}

TEST(ClassMix, KeepsEachClassWithinItsGpuHoursAndModels) {
  const traces::ModelDraw models(free_placement_speeds());
  const std::map<std::string, std::pair<double, double>> hours{
      {"S", {0.02, 1}}, {"M", {1, 10}}, {"L", {10, 50}}, {"XL", {60, 100}}};
  double useful_gpu_s = 0;
  const auto drawn = draw_workload(mix(), 2000, 2);
  for (const auto& job : drawn.jobs) {
    const auto* type = models.find(job.spec.model, job.spec.batch_size, job.spec.gpus);
    ASSERT_NE(type, nullptr) << job.spec.model << " is not measured on " << job.spec.gpus << " GPUs";
    const double gpu_s = static_cast<double>(job.spec.total_steps) / type->steps_per_s * job.spec.gpus;
    const auto [least_h, most_h] = hours.at(class_of(job));
    EXPECT_GE(gpu_s, least_h * kHour_s - job.spec.gpus / type->steps_per_s) << "less a step";
    EXPECT_LE(gpu_s, most_h * kHour_s);
    useful_gpu_s += gpu_s;
  }
  EXPECT_DOUBLE_EQ(drawn.useful_gpu_s, useful_gpu_s);
}

TEST(ClassMix, IsTheSameForASeedAndAnotherForAnother) {
  EXPECT_EQ(draw_workload(mix(), 200, 3).jobs, draw_workload(mix(), 200, 3).jobs);
  EXPECT_NE(draw_workload(mix(), 200, 3).jobs, draw_workload(mix(), 200, 4).jobs);
}

TEST(ClassMix, ArrivesAtTheRateAskedForWithoutChangingTheJobs) {
  const auto at_once = draw_workload(mix(), kMany, 5).jobs;
  const auto arriving = draw_workload(mix(8), kMany, 5).jobs;
  EXPECT_EQ(at_once.back().arrival_s, 0);
  EXPECT_NEAR(arriving.back().arrival_s / kHour_s, kMany / 8.0, kMany / 8.0 * 0.03);
  for (std::size_t i = 0; i < at_once.size(); ++i) ASSERT_EQ(at_once[i].spec, arriving[i].spec);
}

}  // namespace
}  // namespace hadar::repro
