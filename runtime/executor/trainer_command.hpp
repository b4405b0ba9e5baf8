// How a trainer is started: its command line and its environment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "messages/types/lease.hpp"
#include "messages/types/result.hpp"
#include "runtime/loop/child_process.hpp"

namespace hadar {

// What is the same for all trainers of a node.
struct TrainerSetup {
  std::filesystem::path trainer_binary;  // hadar-trainer: runs the built-in workloads
  std::filesystem::path job_library;     // libhadar_job.so
  std::filesystem::path python_folder;   // of hadar_job.py; empty: PYTHONPATH stays as it is
  std::filesystem::path data_folder;     // HADAR_DATA; empty: as it is
  bool real_gpus = false;                // set CUDA_VISIBLE_DEVICES to the lease's GPUs
};

struct TrainerSeat {
  std::string socket;  // HADAR_TRAINER_SOCKET
  std::string token;   // HADAR_TRAINER_TOKEN
  std::uint32_t local_rank = 0;
  std::string rendezvous;  // "host:port"; empty when the gang is one process
  bool may_crash = true;   // false: a declared crash of the sleep workload has happened already
};

// kInvalidArgument when the job names neither a workload nor a command.
Result<ChildSpec> trainer_command(const TrainerSetup& setup, const Lease& lease, const TrainerSeat& seat);

// The variable that marks all processes of this trainer.
std::string trainer_mark(const std::string& token);

}  // namespace hadar
