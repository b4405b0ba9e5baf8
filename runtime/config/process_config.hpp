// What one hadard process is told. The defaults here are the defaults; configs/all_options.toml shows them with their
// meaning, and a test holds the two together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct ClusterOptions {
  std::string id = "hadar";         // equal in all processes of a cluster; others are refused
  bool allow_plain_remote = false;  // listening where other hosts can reach it, though traffic is not encrypted
};

struct ProcessOptions {
  std::string name;                          // unique in the cluster; empty = hadard picks it from its roles
  std::vector<std::string> roles;            // of known_roles()
  std::string listen = "tcp://127.0.0.1:*";  // tcp://HOST:PORT or ipc://PATH; port * = a free one
  std::string advertise;                     // endpoint others use; empty = what was bound
  std::filesystem::path state;               // folder of its own; never shared between processes
  std::string log_level = "info";            // debug, info, warning, error, off
};

// Endpoints of roles in other processes; empty = learned from the peers that are told.
struct PeerOptions {
  std::string scheduler;
  std::string price_oracle;
  std::string job_tracker;
  std::string policy;
  std::string gateway;
};

struct SchedulerOptions {
  std::string policy = "hadare";
  double round_s = 60;
  double dead_after_s = 10;      // link down this long: the node is lost
  double waiting_window_s = 10;  // after a restart: how long known nodes may take to come back
  double prepare_limit_s = 2;    // a gang whose nodes did not all answer by then is revoked
  double request_limit_s = 5;
  double plan_limit_s = 30;    // a policy that takes longer is passed over for the round
  double outage_grace_s = 60;  // nodes train on this long without a scheduler
};

struct TrackerOptions {
  double merge_grace_s = 2;           // after the border: how long a merge waits for late forks
  std::uint32_t max_failures = 5;     // in a row, of a trainer or a whole gang, at which a job has failed
  std::filesystem::path throughputs;  // table of declared speeds; empty = none
  double time_scale = 1;              // table speeds times this are this cluster's speeds
};

struct NodeOptions {
  std::vector<GpuGroup> gpus;         // empty = ask the driver
  double pcie_gb_s = 0;               // host to GPU, one direction; 0 = unknown
  double net_gb_s = 0;                // to other nodes; 0 = unknown
  bool emulated = false;              // the GPUs are declared types, played by pacing real training
  std::filesystem::path throughputs;  // table that emulated types follow
  double time_scale = 1;              // table speeds times this are the speeds emulated
  std::filesystem::path data;         // datasets of the bundled trainer; empty = its default folder
  std::filesystem::path trainer;      // the bundled trainer; empty = hadar-trainer beside hadard
  double log_cap_mb_per_job = 20;     // MB of trainer output kept of a job on this node
  double log_cap_mb = 200;            // of all jobs together
  double stop_grace_s = 10;           // a trainer told to stop is killed after this
  double step_limit_s = 1800;         // a trainer that does no step for so long has failed; 0 = never
  double blob_cache_mb = 1024;        // model versions kept
};

struct TransportSettings {
  double ping_s = 1;                // a silent link is pinged this often
  double silence_s = 5;             // and down after this
  double linger_s = 0.2;            // unsent bytes may hold up the exit this long
  std::uint32_t high_water = 4096;  // messages waiting for one peer; more are refused as overloaded
  double handshake_s = 5;
  double reconnect_min_s = 0.1;
  double reconnect_max_s = 2;
};

struct PriceOptions {
  std::string form = "clearing";  // exponential (Hadar's curve) or clearing (demand meets the installed GPUs)
  double smoothing = 0.5;         // weight of the new bounds against the last round's
};

// As a policy's factory takes them; the policy itself knows its keys.
using PolicyOptions = std::map<std::string, std::variant<bool, double, std::string>>;

struct ProcessConfig {
  ClusterOptions cluster;
  ProcessOptions process;
  PeerOptions peers;
  SchedulerOptions scheduler;
  TrackerOptions tracker;
  NodeOptions node;
  TransportSettings transport;
  PriceOptions prices;
  PolicyOptions policy;
};

// "scheduler", "price-oracle", "job-tracker", "node-worker", "policy", "gateway".
const std::vector<std::string>& known_roles();

// Defaults, then the file (an empty path: none), then `overrides` ("section.key=value" in order; text needs no quotes,
// lists may be separated by commas). Relative paths are taken from the file's folder, in overrides from the working
// folder. Every value is checked by itself; rules between values are check_process_config's.
// Errors: kNotFound, kIo, kInvalidArgument "file:line:column: section.key: got X, must be Y" or "… unknown key, nearest
// known key is Z".
Result<ProcessConfig> load_process_config(const std::filesystem::path& file,
                                          std::span<const std::string> overrides = {});

// Rules between values: roles and state given, remote listening allowed, limits in order. To be called once command
// line flags are in. Errors: kInvalidArgument "section.key: …".
Status check_process_config(const ProcessConfig& config);

// Every option with its effective value, as TOML that load_process_config reads back to the same values.
std::string to_toml(const ProcessConfig& config);

// The same with each option's meaning, unit and range in comments: the text of configs/all_options.toml.
std::string to_commented_toml(const ProcessConfig& config);

}  // namespace hadar
