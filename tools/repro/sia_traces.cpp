#include <filesystem>
#include <set>

#include "tools/repro/clusters.hpp"
#include "tools/repro/recipe.hpp"
#include "tools/repro/sia_speeds.hpp"
#include "tools/repro/trace_jobs.hpp"
#include "tools/traces/trace.hpp"

namespace hadar::repro {
namespace {

namespace fs = std::filesystem;

constexpr double kRestart_s = 30;
constexpr double kRound_s = 60;

// The seed is the number of the workload in its set.
Result<Case> make_case(const fs::path& folder, const std::string& set, std::uint64_t seed) {
  const auto file = folder / "workloads" / set / ("workload-" + std::to_string(seed) + ".csv");
  traces::LoadOptions form;
  form.format = "sia";
  const auto loaded = traces::load_trace(file, form);
  if (!loaded) return tl::unexpected<Error>(loaded.error());
  if (!loaded->refused.empty())
    return fail(ErrorCode::kInvalidArgument, traces::text_of(loaded->refused.front(), file.string()));
  Case made;
  made.workload = jobs_of(loaded->trace);
  std::set<SiaJobType> types;
  for (const auto& job : made.workload) types.insert({job.spec.model, job.spec.batch_size, job.spec.gpus});
  auto speeds = sia_speeds(folder, {types.begin(), types.end()});
  if (!speeds) return fail(std::move(speeds));
  made.base.throughputs = *std::move(speeds);
  made.base.nodes = nodes_of({{"T4", 4, 6}, {"RTX2080Ti", 8, 3}, {"A100", 8, 2}});
  made.base.round_s = kRound_s;
  made.base.costs = [](const JobSpec&) { return TrainerCosts{kRestart_s, 0}; };
  return made;
}

}  // namespace

Result<Report> sia_traces(const RecipeOptions& options) {
  if (options.data.empty())
    return fail(ErrorCode::kNotFound,
                "sia-traces needs --data DIR: the folder sia-simulator of Sia's public artifact (SOSP'23)");
  std::vector<Experiment> experiments;
  for (const char* set : {"philly", "saturn", "newtrace"}) {
    if (!fs::exists(options.data / "workloads" / set)) continue;
    Experiment one;
    one.name = set;
    one.setup = "its workload of the seed's number; gangs as submitted";
    one.make = [folder = options.data, set](std::uint64_t seed) { return make_case(folder, set, seed); };
    one.schemes = {
        {"hadar", "hadar"}, {"gavel-las", "gavel-las"}, {"tiresias", "tiresias-las"}, {"yarn-cs", "yarn-cs"}};
    for (const char* other : {"gavel-las", "tiresias", "yarn-cs"})
      for (const auto figure : {Figure::kMakespan, Figure::kMeanJct})
        one.comparisons.push_back({"hadar", other, figure});
    experiments.push_back(std::move(one));
  }
  if (experiments.empty())
    return fail(ErrorCode::kNotFound, options.data.string() + ": no workloads/philly, saturn or newtrace in it");
  return run_experiments({"Sia's cluster (SOSP'23): 6 nodes of 4 T4, 3 of 8 RTX 2080 Ti, 2 of 8 A100; rounds of 60 s; "
                          "30 s from a lease's start to its first step",
                          "Step times and workloads: its public artifact; batch sizes and gangs stay as submitted"},
                         std::move(experiments), {}, options);
}

}  // namespace hadar::repro
