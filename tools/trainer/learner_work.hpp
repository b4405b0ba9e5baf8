// Real training inside a lease.
#pragma once

#include <memory>

#include "tools/trainer/lease_work.hpp"
#include "tools/trainer/task.hpp"

namespace hadar::trainer {

// Trains `task` with a Learner (learner.hpp), which stays warm from lease to lease.
std::unique_ptr<LeaseWork> make_learner_work(std::unique_ptr<Task> task);

}  // namespace hadar::trainer
