#include <fmt/format.h>

#include "tools/repro/clusters.hpp"
#include "tools/repro/recipe.hpp"
#include "tools/traces/model_draw.hpp"
#include "tools/traces/random.hpp"

namespace hadar::repro {
namespace {

constexpr double kHour_s = 3600;
constexpr double kRestart_s = 10;

// A job of a model that is measured at every gang size, so many hours alone on V100s.
TraceJob job_of(const std::string& name, const std::string& model, std::uint32_t batch_size, std::uint32_t gpus,
                double alone_h) {
  static const traces::ModelDraw kModels(free_placement_speeds());
  const auto* type = kModels.find(model, batch_size, gpus);
  TraceJob job;
  job.spec.name = name;
  job.spec.workload = kTraceWorkload;
  job.spec.model = model;
  job.spec.batch_size = batch_size;
  job.spec.gpus = gpus;
  job.spec.total_steps = static_cast<std::uint64_t>(alone_h * kHour_s * type->steps_per_s);
  job.spec.forkable = false;
  return job;
}

Case case_of(std::vector<NodeInventory> nodes, std::vector<TraceJob> workload) {
  Case made;
  made.base.nodes = std::move(nodes);
  made.base.throughputs = free_placement_speeds();
  made.base.costs = [](const JobSpec&) { return TrainerCosts{kRestart_s, 0}; };
  made.workload = std::move(workload);
  return made;
}

// No type has as many GPUs as the gang wants.
Result<Case> three_and_three(std::uint64_t) {
  auto made = case_of(nodes_of({{"V100", 3, 1}, {"P100", 3, 1}}),
                      {job_of("gang-of-4", "ResNet-50", 64, 4, 2), job_of("single-1", "ResNet-18", 64, 1, 1),
                       job_of("single-2", "LM", 20, 1, 1)});
  made.base.limit_s = 48 * kHour_s;
  return made;
}

// Gangs of 8 fit whole only on the slowest type; 12 faster GPUs of two types lie beside it.
Result<Case> slow_pool(std::uint64_t seed) {
  traces::Random random(seed);
  std::vector<TraceJob> workload;
  for (int i = 1; i <= 8; ++i)
    workload.push_back(job_of(fmt::format("gang-of-8-{}", i), i % 2 == 0 ? "ResNet-50" : "Transformer", 64, 8,
                              random.uniform(0.5, 2)));
  for (int i = 1; i <= 16; ++i)
    workload.push_back(job_of(fmt::format("single-{}", i), "ResNet-18", 64, 1, random.uniform(0.1, 2)));
  return case_of(nodes_of({{"V100", 3, 2}, {"P100", 3, 2}, {"K80", 4, 2}}), std::move(workload));
}

Experiment experiment(std::string name, std::string setup, Result<Case> (*make)(std::uint64_t)) {
  Experiment made;
  made.name = std::move(name);
  made.setup = std::move(setup);
  made.make = make;
  made.schemes = {{"hadar", "hadar"}, {"gavel-las", "gavel-las"}};
  for (const auto figure : {Figure::kMakespan, Figure::kGpusBusy, Figure::kMeanJct})
    made.comparisons.push_back({"hadar", "gavel-las", figure});
  return made;
}

}  // namespace

Result<Report> mixed_gangs(const RecipeOptions& options) {
  return run_experiments(
      {"Pools smaller than a gang: a scheduler that gives a job GPUs of one type cannot start it there",
       "Rounds of 360 s; 10 s from a lease's start to its first step; a mixed gang is as fast as its slowest member"},
      {experiment("3 + 3", "a gang of 4 and two single jobs on 3 V100 + 3 P100; given up after 48 h", three_and_three),
       experiment("slow pool", "8 gangs of 8 and 16 single jobs on 6 V100 + 6 P100 + 8 K80", slow_pool)},
      {}, options);
}

}  // namespace hadar::repro
