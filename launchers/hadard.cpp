// hadard: one process of a cluster, hosting any set of roles.
#include <CLI/CLI.hpp>
#include <caf/all.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "actors/health/health_actor.hpp"
#include "launchers/process.hpp"
#include "runtime/store/file_io.hpp"

namespace hadar {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

struct Arguments {
  std::string config_file;
  std::vector<std::string> roles;
  std::string join;
  std::vector<std::string> overrides;
  bool print_config = false;
};

int complain(const Error& error) {
  std::cerr << "hadard: " << error.message << std::endl;
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kNotFound ? kUsage : kFailed;
}

// Whatever is wrong with it, the configuration is.
int complain_of_config(const Error& error) {
  complain(error);
  return kUsage;
}

std::string default_name(const std::vector<std::string>& roles) {
  char host[256] = "node";
  if (roles.size() != 1) return "control";
  if (roles.front() != "node-worker") return roles.front();
  gethostname(host, sizeof host - 1);
  return host;
}

Result<ProcessConfig> configure(const Arguments& arguments) {
  auto config = load_process_config(arguments.config_file, arguments.overrides);
  if (!config) return config;
  if (!arguments.roles.empty()) config->process.roles = arguments.roles;
  if (!arguments.join.empty()) config->peers.scheduler = arguments.join;
  if (config->process.name.empty()) config->process.name = default_name(config->process.roles);
  return config;
}

// Signals that end the process; blocked in all threads and read here. Returns the descriptor.
int block_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

// A second signal while stopping ends the process at once.
void end_at_next_signal(int signals) {
  std::thread([signals] {
    signalfd_siginfo info;
    if (read(signals, &info, sizeof info) > 0) _exit(128 + static_cast<int>(info.ssi_signo));
  }).detach();
}

using RoleAdder = Result<std::shared_ptr<void>> (*)(Process&);

// In this order, since later roles use the handles of earlier ones.
const std::vector<std::pair<std::string, RoleAdder>>& role_adders() {
  static const std::vector<std::pair<std::string, RoleAdder>> adders{
      {"job-tracker", add_tracker_role}, {"price-oracle", add_oracle_role}, {"policy", add_policy_role},
      {"scheduler", add_scheduler_role}, {"node-worker", add_node_role},    {"gateway", add_gateway_role}};
  return adders;
}

void add_health(Process& process) {
  const auto started = std::chrono::steady_clock::now();
  auto read = [&process, started] {
    ProcessHealth health;
    health.name = process.config().process.name;
    health.pid = static_cast<std::uint64_t>(getpid());
    health.up_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    health.counters = process.counters();
    return health;
  };
  process.local().health = spawn_health(process.system(), SpawnMode::kShared, read);
  process.bridge().serve(ActorKey::kHealth, process.local().health);
}

// Until a signal comes, or a peer refused us.
int wait_for_end(Process& process, int signals) {
  pollfd wait{signals, POLLIN, 0};
  for (;;) {
    if (poll(&wait, 1, 100) > 0) {
      signalfd_siginfo info;
      (void)!read(signals, &info, sizeof info);
      process.log().info("stopping", {{"signal", info.ssi_signo}});
      return kDone;
    }
    if (const auto refusal = process.refusal()) return complain(*refusal), kFailed;
  }
}

int run(const ProcessConfig& config, int signals) {
  auto lock = take_lock(config.process.state / "process.lock");  // two processes on one folder would ruin it
  if (!lock) return complain(lock.error());
  LogOptions log_options;
  log_options.file = config.process.state / (config.process.name + ".log");
  auto level = parse_log_level(config.process.log_level);
  if (!level) return complain(level.error());
  log_options.level = *level;
  auto logger = open_logger(log_options);
  if (!logger) return complain(logger.error());

  std::vector<std::shared_ptr<void>> parts;
  int code = kDone;
  {
    Process process(config, *logger);
    add_health(process);
    for (const auto& [role, add] : role_adders()) {
      if (!process.has_role(role)) continue;
      auto added = add(process);
      if (!added) return complain(added.error());
      parts.push_back(*std::move(added));
    }
    if (auto opened = process.open(); !opened) return complain(opened.error());
    join_local_roles(process);
    process.log().info("ready", {{"endpoint", process.endpoint()}});
    std::cout << "ready " << config.process.name << ' ' << process.endpoint() << std::endl;
    code = wait_for_end(process, signals);
    end_at_next_signal(signals);
    parts.clear();  // trainers end first, while the process can still tell
  }
  return code;
}

}  // namespace
}  // namespace hadar

int main(int argc, char** argv) {
  using namespace hadar;
  const int signals = block_signals();
  CLI::App app{"One process of a Hadar cluster: scheduler, price-oracle, job-tracker, policy, gateway or node-worker"};
  Arguments arguments;
  app.add_option("--config", arguments.config_file, "configuration file (TOML); see configs/all_options.toml");
  app.add_option("--role", arguments.roles, "role to host instead of process.roles; may be repeated");
  app.add_option("--join", arguments.join, "endpoint of the scheduler to join; same as peers.scheduler");
  app.add_option("--set", arguments.overrides, "section.key=value, over the file; may be repeated");
  app.add_flag("--print-config", arguments.print_config, "print the configuration in force and stop");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "hadard: " << error.what() << "; see hadard --help" << std::endl;
    return kUsage;
  }
  auto config = configure(arguments);
  if (!config) return complain_of_config(config.error());
  if (arguments.print_config) {
    std::cout << to_toml(*config);
    return kDone;
  }
  if (auto checked = check_process_config(*config); !checked) return complain_of_config(checked.error());
  return run(*config, signals);
}
