// What a trainer process does inside a lease; the SDK's loop around it is run_leases().
#pragma once

#include <filesystem>

#include "messages/types/job.hpp"
#include "messages/types/result.hpp"
#include "tools/sdk/hadar_job.h"
#include "tools/trainer/all_reduce.hpp"

namespace hadar::trainer {

// One thread.
class LeaseWork {
 public:
  virtual ~LeaseWork() = default;

  // Loads the lease's weights, or makes fresh ones of its seed. Errors: those of reading the file.
  virtual Status begin(const hadar_lease& lease) = 0;

  // One step. False when a gang member is gone: the step did not happen.
  virtual bool step(const AllReduce& reduce) = 0;

  // False: there is nothing to save.
  [[nodiscard]] virtual bool has_weights() const = 0;

  // Writes the weights to a new file. Errors: kIo.
  virtual Status save(const std::filesystem::path& path) = 0;

  // Of the current weights; may be empty.
  virtual Metrics metrics() = 0;
};

// Serves leases until the node worker says exit. Logs to stdout, a line at each lease's start and end and one a second
// between. kInternal: the node worker is gone or spoke nonsense; else the first error of the work.
Status run_leases(hadar_job* job, LeaseWork& work);

}  // namespace hadar::trainer
