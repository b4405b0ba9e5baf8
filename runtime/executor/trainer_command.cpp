#include "runtime/executor/trainer_command.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>

namespace hadar {
namespace {

using Environment = std::map<std::string, std::string>;

Environment inherited() {
  Environment out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const char* equals = std::strchr(*entry, '=');
    if (equals != nullptr) out[std::string(*entry, static_cast<std::size_t>(equals - *entry))] = equals + 1;
  }
  return out;
}

std::string joined(const std::vector<std::uint32_t>& numbers) {
  std::string out;
  for (const auto number : numbers) out += (out.empty() ? "" : ",") + std::to_string(number);
  return out;
}

std::string sleep_settings(const SleepSpec& sleep, bool may_crash) {
  return "checkpoint_bytes=" + std::to_string(sleep.checkpoint_bytes) +
         ",crash_at_step=" + std::to_string(may_crash ? sleep.crash_at_step : 0) +
         ",log_bytes_per_s=" + std::to_string(sleep.log_bytes_per_s);
}

void put_gang(Environment& out, const Lease& lease, const TrainerSeat& seat) {
  out["RANK"] = std::to_string(lease.gang.rank + seat.local_rank);
  out["LOCAL_RANK"] = std::to_string(seat.local_rank);
  out["WORLD_SIZE"] = std::to_string(lease.gang.world_size);
  const auto colon = seat.rendezvous.rfind(':');
  out["MASTER_ADDR"] = colon == std::string::npos ? "127.0.0.1" : seat.rendezvous.substr(0, colon);
  out["MASTER_PORT"] = colon == std::string::npos ? "0" : seat.rendezvous.substr(colon + 1);
}

void put_setup(Environment& out, const TrainerSetup& setup, const Lease& lease) {
  if (!setup.job_library.empty()) out["HADAR_JOB_LIBRARY"] = setup.job_library.string();
  if (!setup.data_folder.empty()) out["HADAR_DATA"] = setup.data_folder.string();
  if (!setup.python_folder.empty()) {
    auto& path = out["PYTHONPATH"];
    path = setup.python_folder.string() + (path.empty() ? "" : ":" + path);
  }
  if (setup.real_gpus) out["CUDA_VISIBLE_DEVICES"] = joined(lease.gpus);
}

}  // namespace

std::string trainer_mark(const std::string& token) {
  return "HADAR_TRAINER_TOKEN=" + token;
}

Result<ChildSpec> trainer_command(const TrainerSetup& setup, const Lease& lease, const TrainerSeat& seat) {
  const auto& job = *lease.spec;
  ChildSpec out;
  out.argv = job.command;
  if (!job.workload.empty()) out.argv = {setup.trainer_binary.string(), job.workload};
  if (out.argv.empty())
    return fail(ErrorCode::kInvalidArgument, "job '" + job.name + "' has neither a workload nor a command");
  auto environment = inherited();
  environment["HADAR_TRAINER_SOCKET"] = seat.socket;
  environment["HADAR_TRAINER_TOKEN"] = seat.token;
  environment["HADAR_NODE_PID"] = std::to_string(getpid());
  environment["HADAR_JOB"] = std::to_string(lease.fork.job.value);
  environment["HADAR_FORK"] = std::to_string(lease.fork.fork);
  environment["OMP_NUM_THREADS"] = "1";   // one GPU's worth of trainers must not fight over the machine's cores
  environment["PYTHONUNBUFFERED"] = "1";  // a log is read while it is written
  if (job.workload == "sleep") environment["HADAR_SLEEP"] = sleep_settings(job.sleep, seat.may_crash);
  put_gang(environment, lease, seat);
  put_setup(environment, setup, lease);
  for (const auto& [name, value] : environment) out.environment.push_back(name + "=" + value);
  return out;
}

}  // namespace hadar
