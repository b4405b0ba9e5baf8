#include "tools/traces/generate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "tools/traces/measured_speeds.hpp"
#include "tools/traces/model_draw.hpp"
#include "tools/traces/profile.hpp"

namespace hadar::traces {
namespace {

constexpr double kMostArrival_s = 4e9;  // as readers take it
constexpr std::uint64_t kMostSeedOfGavel = std::numeric_limits<std::uint64_t>::max() - 3;
constexpr double kMostSteps = 9007199254740992.0;  // 2^53
// Streams of random numbers.
constexpr std::uint64_t kShapes = 1;
constexpr std::uint64_t kModels = 2;
constexpr std::uint64_t kArrivals = 3;

double gavel_alone_s(Random& random) {
  const bool is_short = random.unit() < 0.8;
  return 60 * std::pow(10.0, is_short ? random.uniform(1.5, 3) : random.uniform(3, 4));
}

Shape gavel_single(Random& random) {
  return {1, gavel_alone_s(random)};
}

Shape gavel_multi(Random& random) {
  const double part = random.unit();
  const std::uint32_t gpus = part < 0.70 ? 1 : part < 0.80 ? 2 : part < 0.95 ? 4 : 8;
  return {gpus, gavel_alone_s(random)};
}

Shape uniform_shape(Random& random) {
  const auto gpus = std::uint32_t{1} << random.below(4);
  return {gpus, random.uniform(0.2, 5) * 3600};
}

double poisson_gap_s(Random& random, double, double jobs_per_h) {
  return random.exponential(3600 / jobs_per_h);
}

const std::vector<Profile>& all_profiles() {
  static const std::vector<Profile> kProfiles{
      {"gavel-single", "Gavel's generator, one GPU a job", gavel_single, poisson_gap_s},
      {"gavel-multi", "Gavel's generator, 1 to 8 GPUs a job", gavel_multi, poisson_gap_s},
      {"gavel-makespan", "as gavel-multi, every job at 0", gavel_multi, poisson_gap_s, true},
      {.name = "gavel-2020-single",
       .summary = "the very jobs of Gavel's published figures (OSDI'20), one GPU a job",
       .draw_all = gavel_2020_jobs},
      {.name = "gavel-2020-multi",
       .summary = "the very jobs of Gavel's published figures (OSDI'20), 1 to 8 GPUs a job",
       .draw_all = gavel_2020_jobs,
       .gangs = true},
      {.name = "gavel-2022-single",
       .summary = "the very jobs that Gavel's public code draws, one GPU a job",
       .draw_all = gavel_2022_jobs},
      {.name = "gavel-2022-multi",
       .summary = "the very jobs that Gavel's public code draws, 1 to 8 GPUs a job",
       .draw_all = gavel_2022_jobs,
       .gangs = true},
      philly_profile(),
      {"uniform", "12 min to 5 h, 1 to 8 GPUs, all with equal chance", uniform_shape, poisson_gap_s}};
  return kProfiles;
}

double to_ms(double seconds) {
  return std::round(seconds * 1000) / 1000;
}

TraceJob job_of(std::uint64_t place, const Shape& shape, const JobType& type, double arrival_s, double alone_s) {
  TraceJob job;
  job.job_id = std::to_string(place + 1);
  job.arrival_s = arrival_s;
  job.model = type.model;
  job.batch_size = type.batch_size;
  job.gpus = shape.gpus;
  job.total_steps = static_cast<std::uint64_t>(std::clamp(std::floor(alone_s * type.steps_per_s), 1.0, kMostSteps));
  return job;
}

Result<Trace> drawn_whole(const Profile& profile, const GenerateOptions& options, const ModelDraw& models) {
  Trace trace;
  for (const auto& drawn : profile.draw_all(options.jobs, options.jobs_per_h, options.seed, profile.gangs)) {
    const auto* type = models.find(drawn.model, drawn.batch_size, drawn.shape.gpus);
    if (type == nullptr)
      return fail(ErrorCode::kInvalidArgument, "the throughput table has no speed of " + drawn.model +
                                                   " with batch size " + std::to_string(drawn.batch_size) +
                                                   ", must have those of Gavel's job types");
    trace.jobs.push_back(job_of(trace.jobs.size(), drawn.shape, *type, to_ms(drawn.arrival_s), drawn.shape.alone_s));
  }
  return trace;
}

// As people write it.
std::string text_of(double number) {
  std::array<char, 64> buffer{};  // the shortest form of a double needs 24
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

Status check(const GenerateOptions& options, const Profile* profile) {
  const auto wrong = [](const std::string& what) { return fail(ErrorCode::kInvalidArgument, what); };
  if (profile == nullptr) {
    std::string names;
    for (const auto& known : all_profiles()) names += (names.empty() ? "" : ", ") + std::string(known.name);
    return wrong("no profile is called '" + options.profile + "', must be one of " + names);
  }
  if (options.jobs < 1 || options.jobs > kMostJobs)
    return wrong("--jobs: got " + std::to_string(options.jobs) + ", must be from 1 to 10000000");
  const auto rate = options.jobs_per_h;
  if (profile->at_once && rate > 0)
    return wrong("--rate: got " + text_of(rate) + ", must be left out: " + options.profile + " has every job at 0");
  const auto least = least_rate(options.jobs);
  if (rate != 0 && !(rate >= least && rate <= kMostRate))
    return wrong("--rate: got " + text_of(rate) + ", must be 0 (all jobs at 0) or from " + text_of(least) + " to " +
                 text_of(kMostRate) + " jobs an hour, so that " + std::to_string(options.jobs) + " jobs come within " +
                 text_of(kMostArrival_s) + " s");
  if (profile->draw_all != nullptr && options.seed > kMostSeedOfGavel)
    return wrong("--seed: got " + std::to_string(options.seed) + ", must be at most " +
                 std::to_string(kMostSeedOfGavel) + ": Gavel's code counts on from it");
  return {};
}

}  // namespace

// So many gaps of mean 1 add up to a sum with the square root of their number as its deviation: no seed comes ten
// deviations above, and 40 is more than the longest gap.
double least_rate(std::uint64_t jobs) {
  const auto gaps = static_cast<double>(jobs);
  const double rate = 3600 * (gaps + 10 * std::sqrt(gaps) + 40) / kMostArrival_s;
  const double unit = std::pow(10.0, std::floor(std::log10(rate)) - 2);
  return std::ceil(rate / unit) * unit;
}

std::vector<ProfileInfo> profiles() {
  std::vector<ProfileInfo> all;
  for (const auto& profile : all_profiles()) all.push_back({profile.name, profile.summary});
  return all;
}

Result<Trace> generate(const GenerateOptions& options) {
  const auto& known = all_profiles();
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& p) { return p.name == options.profile; });
  const auto* profile = found == known.end() ? nullptr : &*found;
  if (auto right = check(options, profile); !right) return fail(std::move(right));
  const ModelDraw models(options.throughputs.empty() ? gavel_throughput_file().rows : options.throughputs);
  if (models.types_for(1).empty())
    return fail(ErrorCode::kInvalidArgument,
                "the throughput table has no speed on one GPU, must have one to draw from");
  if (profile->draw_all != nullptr) return drawn_whole(*profile, options, models);
  Random shapes(options.seed, kShapes);
  Random types(options.seed, kModels);
  Random arrivals(options.seed, kArrivals);
  Trace trace;
  trace.jobs.reserve(options.jobs);
  double now_s = 0;
  for (std::uint64_t i = 0; i < options.jobs; ++i) {
    if (i > 0 && options.jobs_per_h > 0) now_s = to_ms(now_s + profile->gap_s(arrivals, now_s, options.jobs_per_h));
    const auto shape = profile->draw(shapes);
    const auto& fitting = models.types_for(shape.gpus);
    const auto& type = fitting[types.below(fitting.size())];
    trace.jobs.push_back(job_of(i, shape, type, now_s, to_ms(shape.alone_s)));
  }
  return trace;
}

}  // namespace hadar::traces
