#include "launchers/process.hpp"

#include <caf/all.hpp>
#include <random>
#include <unistd.h>

#include "actors/local_messages.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar {
namespace {

std::uint64_t fresh_incarnation() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

std::chrono::milliseconds millis(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// Roles of other processes a process must be able to call.
std::vector<std::string> needed_roles(const Process& process) {
  std::vector<std::string> needed;
  if (process.has_role("scheduler")) needed = {"job-tracker", "price-oracle", "policy"};
  if (process.has_role("node-worker")) needed.insert(needed.end(), {"scheduler", "job-tracker", "gateway"});
  if (process.has_role("gateway")) needed.insert(needed.end(), {"scheduler", "job-tracker", "price-oracle", "policy"});
  return needed;
}

std::map<std::string, std::string> configured_peers(const PeerOptions& peers) {
  std::map<std::string, std::string> known;
  const auto add = [&](const char* role, const std::string& endpoint) {
    if (!endpoint.empty()) known[role] = endpoint;
  };
  add("scheduler", peers.scheduler);
  add("price-oracle", peers.price_oracle);
  add("job-tracker", peers.job_tracker);
  add("policy", peers.policy);
  add("gateway", peers.gateway);
  return known;
}

TransportOptions transport_options(const ProcessConfig& config, std::uint64_t incarnation) {
  const auto& settings = config.transport;
  TransportOptions options;
  options.cluster_id = config.cluster.id;
  options.self.name = config.process.name;
  options.self.roles = config.process.roles;
  options.self.incarnation = incarnation;
  options.self.endpoint = config.process.advertise;
  options.self.pid = static_cast<std::uint64_t>(getpid());
  options.self.directory = configured_peers(config.peers);
  options.listen = {config.process.listen};
  options.listen_setting = "process.listen";
  options.queue_packets = settings.high_water;
  options.ping_interval = millis(settings.ping_s);
  options.silence_limit = millis(settings.silence_s);
  options.handshake_limit = millis(settings.handshake_s);
  options.linger = millis(settings.linger_s);
  options.reconnect_min = millis(settings.reconnect_min_s);
  options.reconnect_max = millis(settings.reconnect_max_s);
  return options;
}

// Actors hold each other's handles, so none would end by itself.
void end_actors(const LocalActors& local) {
  const auto end = [](const auto&... actors) { (caf::anon_send_exit(actors, caf::exit_reason::kill), ...); };
  end(local.round_flow, local.membership, local.lease_keeper, local.price_oracle, local.policy, local.fork_tracker,
      local.consolidator, local.ledger, local.throughput_book, local.blob_keeper, local.courier, local.node_worker,
      local.gateway, local.health);
}

}  // namespace

Process::Process(ProcessConfig config, std::shared_ptr<Logger> logger)
    : config_(std::move(config)), logger_(std::move(logger)), incarnation_(fresh_incarnation()) {
  proxy_options_.request_limit = millis(config_.scheduler.request_limit_s * 4);
  use_live_scheduler(caf_config_, 2);
  system_ = std::make_unique<caf::actor_system>(caf_config_);
  system_->await_actors_before_shutdown(false);
  BridgeObservers observers;
  observers.on_peer_up = [this](const PeerInfo& peer) { peer_up(peer); };
  observers.on_peer_down = [this](const std::string& name, const Error& why) { peer_down(name, why); };
  observers.on_directory = [this](const PeerInfo& peer) { learn_directory(peer); };
  observers.on_refused = [this](const std::string& endpoint, const Error& why) {
    logger_->error("link_refused", {{"endpoint", endpoint}, {"why", why.message}});
    const std::lock_guard lock(mutex_);
    refusal_ = Error{why.code, endpoint + " refused this process: " + why.message};
  };
  bridge_ = std::make_unique<Bridge>(*system_, std::move(observers));
}

Process::~Process() {
  transport_.reset();
  bridge_.reset();
  end_actors(local_);
  local_ = {};
  system_.reset();
}

bool Process::has_role(const std::string& role) const {
  const auto& roles = config_.process.roles;
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

Status Process::open() {
  auto opened = open_zmq_transport(transport_options(config_, incarnation_), bridge_->events());
  if (!opened) return tl::unexpected<Error>(opened.error());
  transport_ = *std::move(opened);
  const auto peers = configured_peers(config_.peers);
  auto directory = peers;
  for (const auto& role : config_.process.roles)
    if (role != "node-worker") directory[role] = transport_->endpoint();
  transport_->set_directory(directory);
  bridge_->attach(*transport_);
  for (const auto& role : needed_roles(*this))
    if (!has_role(role) && peers.count(role)) connect_once(peers.at(role));
  return {};
}

void Process::connect_once(const std::string& endpoint) {
  {
    const std::lock_guard lock(mutex_);
    if (!connected_.insert(endpoint).second) return;
  }
  transport_->connect(endpoint);
}

void Process::peer_up(const PeerInfo& peer) {
  logger_->info("peer_up", {{"peer", peer.name}, {"endpoint", peer.endpoint}});
  const std::set<std::string> roles(peer.roles.begin(), peer.roles.end());
  {
    const std::lock_guard lock(mutex_);
    roles_of_[peer.name] = roles;
  }
  if (roles.count("node-worker") && local_.lease_keeper)
    caf::anon_send(local_.lease_keeper, NodeLinked{peer.name, bridge_->proxy_for<NodeWorkerActor>(
                                                                  peer.name, ActorKey::kNodeWorker, proxy_options_)});
  if (roles.count("scheduler") && local_.node_worker)
    caf::anon_send(caf::actor_cast<caf::actor>(local_.node_worker), SchedulerLink{true});
  learn_directory(peer);
}

void Process::peer_down(const std::string& name, const Error& why) {
  std::set<std::string> roles;
  {
    const std::lock_guard lock(mutex_);
    roles = std::exchange(roles_of_[name], {});
  }
  if (roles.count("client")) {
    bridge_->forget(name);
    return;
  }
  logger_->warning("peer_down", {{"peer", name}, {"why", why.message}});
  if (roles.count("node-worker") && local_.membership)
    caf::anon_send(local_.membership, NodeUnlinked{name, why.message});
  if (roles.count("scheduler") && local_.node_worker)
    caf::anon_send(caf::actor_cast<caf::actor>(local_.node_worker), SchedulerLink{false});
}

// A node that joined by one endpoint learns the others from whoever welcomed it.
void Process::learn_directory(const PeerInfo& peer) {
  for (const auto& role : needed_roles(*this)) {
    const auto told = peer.directory.find(role);
    if (has_role(role) || told == peer.directory.end() || told->second.empty()) continue;
    connect_once(told->second);
  }
}

std::map<std::string, std::uint64_t> Process::counters() const {
  auto counters = transport_ ? transport_->counters() : std::map<std::string, std::uint64_t>{};
  for (const auto& [name, count] : bridge_->counters()) counters[name] += count;
  counters["log_lines_lost"] = logger_->lines_lost();
  return counters;
}

std::optional<Error> Process::refusal() const {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

void join_local_roles(Process& process) {
  auto& local = process.local();
  if (local.ledger) {
    auto round_flow = process.find(&LocalActors::round_flow, "scheduler", ActorKey::kRoundFlow);
    caf::anon_send(local.ledger, LedgerPeers{round_flow, local.fork_tracker, local.throughput_book, local.blob_keeper});
  }
  if (local.lease_keeper && local.node_worker) {
    caf::anon_send(local.lease_keeper, NodeLinked{process.config().process.name, local.node_worker});
    caf::anon_send(caf::actor_cast<caf::actor>(local.node_worker), SchedulerLink{true});
  }
}

}  // namespace hadar
