// Which jobs the makespan hangs on.
#pragma once

#include <cstdint>
#include <vector>

namespace hadar {

// One unfinished job: what is left of it, and how fast it runs on each type.
struct MakespanJob {
  double steps_left = 0;      // > 0
  double gpus = 1;            // gang size
  std::vector<double> speed;  // steps/s per type; 0 = not allowed
};

struct MakespanBound {
  double tail_s = 0;           // the longest job alone on its fastest type
  double work_s = 0;           // all work spread perfectly over all GPUs
  std::vector<double> shares;  // per job, >= 0, sum to 1 (empty for no jobs)
};

// Lower bounds of the makespan and how it reacts to progress of each job. `capacity` counts GPUs per type.
//
// The makespan linear program (minimise T so that every job's steps fit into time shares of T, and the shares into the
// GPUs) has a dual variable per job: its share. Near the tail regime the dual sits on the longest jobs; when work
// binds, job j's dual is rem_j x min_r price_r gpus_j / speed_jr at the types' clearing prices. Both are worked out
// apart, the second by a fixed number of multiplicative price updates, and mixed by how close the two bounds are.
// A job that fits no type gets share 0.
[[nodiscard]] MakespanBound makespan_bound(const std::vector<MakespanJob>& jobs, const std::vector<double>& capacity);

}  // namespace hadar
