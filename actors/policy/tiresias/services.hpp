// What Tiresias remembers of jobs from round to round: their service, their waits, and what ended jobs needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "messages/types/round.hpp"

namespace hadar {

struct JobService {
  double attained_gpu_s = 0;  // GPU time received, as far as known
  double forgiven_gpu_s = 0;  // the part of it before the last promotion, which no longer counts
  double waited_s = 0;        // since it last had GPUs; counts for jobs that ran before
  double needs_gpu_s = 0;     // its whole service at the speed of its last gang; 0 = unknown
  std::uint32_t gpus = 1;
  std::uint32_t preemptions = 0;  // times it lost its GPUs and got no others in that round
  std::uint32_t promotions = 0;
  bool granted = false;  // by the last plan

  // What its queue and its index are worked out from.
  [[nodiscard]] double counted_gpu_s() const { return attained_gpu_s - forgiven_gpu_s; }
};

// Service is GPUs x time from grant to release (Tiresias, NSDI'19: executed time x GPUs), and never less than what the
// job's view reports. Travels in RoundPlan::memory as text: at most `kMostJobs` jobs that have run (lowest ids; others
// start again from their view) and the last `kMostEnded` services of ended jobs.
class Services {
 public:
  static constexpr std::size_t kMostJobs = 8000;
  static constexpr std::size_t kMostEnded = 1000;

  // Reads what `write` wrote. Anything else, such as another policy's memory, counts as nothing known.
  [[nodiscard]] static Services read(const std::string& memory);

  // Brings all services and waits up to the input's time and forgets jobs that are gone. One that was running and had
  // at least half of its service counts as ended with the service it needed; others (cancelled, held back, failed) do
  // not.
  void advance(const RoundInput& input);
  [[nodiscard]] JobService of(JobId job) const;
  // The services that ended jobs needed, oldest first.
  [[nodiscard]] const std::vector<double>& ended() const { return ended_; }

  // The job goes on as if it had received nothing yet.
  void promote(JobId job);
  // Counts a finished plan. `steps_per_s`: by place in the input, the speed of the job's gang; 0 for jobs without one.
  void count(const RoundInput& input, const RoundPlan& plan, const std::vector<double>& steps_per_s);
  [[nodiscard]] std::string write() const;

 private:
  void end(const JobService& job, double passed_s);
  [[nodiscard]] bool read_line(std::string_view line);

  double now_s_ = 0;
  std::map<JobId, JobService> jobs_;
  std::vector<double> ended_;
};

}  // namespace hadar
