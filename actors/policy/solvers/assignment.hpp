// Jobs to places in the queues of identical machines, with the smallest sum of completion times.
#pragma once

#include <cstddef>
#include <vector>

namespace hadar::solvers {

// Where a job stands: on a machine of `type`, `place`-th from the end of that machine's queue (1 = last).
struct QueuePlace {
  std::size_t type = 0;
  std::size_t place = 0;
};

struct Assignment {
  std::vector<QueuePlace> places;  // by job
  double cost = 0;                 // sum of place * duration: the sum of completion times
};

// Job i takes durations[i][type] seconds on one machine of a type (> 0; infinite = cannot run there; finite somewhere
// with machines). A job at place k from the end delays itself and the k - 1 behind it, so it costs k * duration (AlloX,
// EuroSys'20). Places of one type and k form one class of the flow; successive shortest paths over classes, exact.
Assignment assign_queues(const std::vector<std::vector<double>>& durations, const std::vector<std::size_t>& machines);

}  // namespace hadar::solvers
