// A run as lines and bars over time, from its events alone. Times are seconds since the first submission.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "messages/types/event.hpp"

namespace hadar::report {

struct Point {
  double t_s = 0;
  double value = 0;
};
using Line = std::vector<Point>;

// One GPU held by one lease.
struct Bar {
  std::size_t row = 0;  // into Timeline::rows
  JobId job;
  std::uint32_t fork = 0;
  LeaseId lease;
  double start_s = 0;
  double end_s = 0;
  std::uint64_t quota_steps = 0;
  std::uint64_t steps = 0;  // reported over all its bases
  std::string end;          // how it ended; "open" when the events stop before
};

struct Merge {
  std::size_t row = 0;
  JobId job;
  double t_s = 0;
  std::uint64_t version = 0;
  std::uint64_t credited = 0;
  std::uint32_t forks_in = 0;
};

struct Timeline {
  std::vector<std::string> rows;  // one a GPU: "n1 · V100", "n2:0 · K80" when a node has several
  std::vector<Bar> bars;
  std::vector<Merge> merges;                             // one mark per row that took part
  std::map<JobId, Line> progress;                        // credited share of the steps, 0…1
  std::map<JobId, std::map<std::string, Line>> metrics;  // as stated by each new version
  Line training;  // share of the nodes inside a step loop, averaged over each slot
  Line leased;    // share of the nodes that hold a lease
  std::map<GpuType, Line> prices;
  double end_s = 0;
};

Timeline make_timeline(std::span<const Event> events);

}  // namespace hadar::report
