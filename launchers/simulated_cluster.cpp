#include "launchers/simulated_cluster.hpp"

#include <array>
#include <caf/all.hpp>
#include <unistd.h>

#include "actors/node/blob_courier_actor.hpp"
#include "actors/node/node_worker_actor.hpp"
#include "actors/oracle/price_oracle_actor.hpp"
#include "actors/policy_host/policy_actor.hpp"
#include "actors/scheduler/lease_keeper_actor.hpp"
#include "actors/scheduler/membership_actor.hpp"
#include "actors/scheduler/round_flow_actor.hpp"
#include "actors/tracker/blob_keeper_actor.hpp"
#include "actors/tracker/consolidator_actor.hpp"
#include "actors/tracker/fork_tracker_actor.hpp"
#include "actors/tracker/job_ledger_actor.hpp"
#include "actors/tracker/throughput_book_actor.hpp"
#include "launchers/policies.hpp"
#include "launchers/simulated_executor.hpp"
#include "launchers/simulated_time.hpp"
#include "messages/codec/event_json.hpp"
#include "messages/types/check.hpp"
#include "runtime/bridge/caf_compat.hpp"
#include "runtime/store/memory_blob_store.hpp"
#include "runtime/store/memory_event_log.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;

constexpr double kAskAgain_s = 0.5;

// One link and who hears of its ups and downs.
struct Line {
  std::unique_ptr<SimulatedLink> link;
  std::function<bool()> ends_alive;
  std::function<void()> on_up;
  std::function<void()> on_down;
  bool cut = false;
  std::uint64_t cuts = 0;
};

struct Node {
  NodeInventory inventory;
  std::uint64_t incarnation = 0;
  bool alive = false;
  double factor = 1;
  std::array<Line, 2> lines;       // by role
  NodeWorkerActor from_scheduler;  // the worker, over the line
  NodeWorkerPeers peers;           // its view of the roles
  BlobKeeperActor blob_keeper;
  LocalNodeWorker worker;
  std::shared_ptr<SimulatedExecutor> executor;
};

std::size_t index_of(SimulatedRole role) {
  return role == SimulatedRole::kScheduler ? 0 : 1;
}

// Before any message that waits for it.
void end_at_once(const caf::strong_actor_ptr& actor) {
  actor->enqueue(nullptr, caf::make_message_id(caf::message_priority::high),
                 caf::make_message(caf::exit_msg{actor->address(), caf::exit_reason::kill}), nullptr);
}

// Nothing to average: the new version only says what it was made of.
Result<ForksMerged> merge(MemoryBlobStore& store, const MergeForks& order) {
  ForksMerged merged;
  std::string text = "job " + std::to_string(order.job.value) + " on " + order.base.weights.hash + ":";
  for (const auto& input : order.inputs) {
    if (!store.has(input.weights)) merged.left_out.push_back({input.lease, "its weights are not in the store"});
    text += " " + std::to_string(input.coefficient) + " x " + input.weights.hash;
  }
  if (merged.left_out.empty()) merged.weights = store.put(std::as_bytes(std::span(text)));
  return merged;
}

}  // namespace

struct SimulatedCluster::Parts {
  explicit Parts(const SimulatedClusterOptions& given)
      : options(given),
        time(given.seed, given.shuffle),
        log(std::make_shared<MemoryEventLog>()),
        blobs(std::make_shared<MemoryBlobStore>()),
        chance(given.seed + 1) {
    const ThroughputBook book(options.throughputs, options.tracker.time_scale);
    trainers->speed = [book](const JobSpec& spec, const GpuType& type) { return book.declared(spec, type); };
    trainers->load_s = options.load_s;
    trainers->save_s = options.save_s;
    auto folder = (fs::temp_directory_path() / "hadar-simulated-XXXXXX").string();
    HADAR_ENSURE(mkdtemp(folder.data()) != nullptr);
    trainers->folder = folder;
  }

  SimulatedClusterOptions options;
  SimulatedTime time;
  std::shared_ptr<MemoryEventLog> log;
  std::shared_ptr<MemoryBlobStore> blobs;
  std::shared_ptr<SimulatedTrainers> trainers = std::make_shared<SimulatedTrainers>();
  SimulatedChance chance;

  std::array<bool, 2> role_alive{};
  Line roles_line;
  JobLedgerActor ledger_from_scheduler;
  RoundFlowActor round_flow_from_tracker;
  std::map<NodeName, Node> nodes;
  std::vector<std::shared_ptr<SimulatedExecutor>> executors;  // all there ever were

  JobLedgerActor ledger;
  ForkTrackerActor fork_tracker;
  ThroughputBookActor throughput_book;
  BlobKeeperActor blob_keeper;
  ConsolidatorActor consolidator;
  MembershipActor membership;
  LeaseKeeperActor lease_keeper;
  RoundFlowActor round_flow;
  PriceOracleActor price_oracle;
  PolicyActor policy;

  std::uint64_t submissions = 0;
  std::uint64_t unanswered = 0;
  std::size_t events_seen = 0;
  std::int64_t jobs_open = 0;

  // ---- actors ----

  template <class Handle>
  void end_actor(Handle& handle) {
    if (handle) end_at_once(caf::actor_cast<caf::strong_actor_ptr>(handle));
    handle = Handle{};
  }

  void spawn_tracker() {
    auto& system = time.system();
    const LedgerOptions ledger_options{"simulated", options.tracker.max_failures};
    auto restored = restore_ledger(ledger_options, *log, time.now_s());
    HADAR_ENSURE(restored.has_value());
    throughput_book = spawn_throughput_book(system, SpawnMode::kShared,
                                            ThroughputBook(options.throughputs, options.tracker.time_scale));
    blob_keeper = spawn_blob_keeper(system, SpawnMode::kShared, blobs);
    consolidator = spawn_consolidator(system, SpawnMode::kShared,
                                      [store = blobs](const MergeForks& order) { return merge(*store, order); });
    ledger = spawn_job_ledger(system, SpawnMode::kShared, JobLedgerOptions{ledger_options, time.now_s()},
                              std::shared_ptr<Ledger>(*std::move(restored)), log);
    fork_tracker =
        spawn_fork_tracker(system, SpawnMode::kShared, ForkTrackerOptions{options.tracker.merge_grace_s, time.now_s()},
                           ledger, consolidator);
    caf::anon_send(ledger, LedgerPeers{round_flow_from_tracker, fork_tracker, throughput_book, blob_keeper});
  }

  void spawn_scheduler() {
    auto& system = time.system();
    const auto& told = options.scheduler;
    lease_keeper = spawn_lease_keeper(system, SpawnMode::kShared, {told.prepare_limit_s, told.request_limit_s},
                                      ledger_from_scheduler);
    MembershipOptions membership_options;
    membership_options.table = {told.dead_after_s, told.waiting_window_s};
    membership_options.round_s = told.round_s;
    membership_options.outage_grace_s = told.outage_grace_s;
    membership_options.request_limit_s = told.request_limit_s;
    membership = spawn_membership(system, SpawnMode::kShared, membership_options, lease_keeper, ledger_from_scheduler);
    RoundFlowOptions flow;
    flow.policy = told.policy;
    flow.round_s = told.round_s;
    flow.request_limit_s = told.request_limit_s;
    flow.plan_limit_s = told.plan_limit_s;
    round_flow = spawn_round_flow(system, SpawnMode::kShared, flow,
                                  {membership, lease_keeper, ledger_from_scheduler, price_oracle, policy});
    caf::anon_send(lease_keeper, KeeperPeers{round_flow});
  }

  void spawn_node(Node& node) {
    auto& system = time.system();
    auto cache = std::make_shared<MemoryBlobStore>();
    node.peers.courier = spawn_blob_courier(system, SpawnMode::kShared, {}, cache, node.blob_keeper);
    node.executor = std::make_shared<SimulatedExecutor>(system, node.inventory.name, trainers);
    node.executor->set_factor(node.factor);
    executors.push_back(node.executor);
    NodeWorkerOptions worker;
    worker.inventory = node.inventory;
    worker.incarnation = ++node.incarnation;
    worker.request_limit_s = options.scheduler.request_limit_s;
    worker.pick_rendezvous = [this] { return "simulated:" + std::to_string(++rendezvous); };
    node.worker = spawn_node_worker(system, SpawnMode::kShared, worker, node.peers, node.executor,
                                    [cache](const BlobRef& blob) { return cache->path_of(blob); });
    node.executor->set_sink(
        [handle = node.worker](ExecutorEvent event) { caf::anon_send(handle, ExecutorHappened{std::move(event)}); });
  }
  std::uint64_t rendezvous = 0;

  // ---- lines ----

  std::unique_ptr<SimulatedLink> make_link() {
    auto link = std::make_unique<SimulatedLink>(time.system(), chance.next(), options.link_delay_s);
    link->set_state(LinkState::kDown);
    return link;
  }

  void join_roles() {
    auto& line = roles_line;
    line.link = make_link();
    line.ends_alive = [this] { return role_alive[0] && role_alive[1]; };
    line.on_up = line.on_down = [] {};  // neither role waits for the other's link
    ledger_from_scheduler = line.link->wire<JobLedgerActor>([this] { return ledger; }, true);
    round_flow_from_tracker = line.link->wire<RoundFlowActor>([this] { return round_flow; }, false);
  }

  void join_node(Node& node) {
    for (std::size_t role = 0; role < 2; ++role) {
      auto& line = node.lines[role];
      line.link = make_link();
      line.ends_alive = [this, &node, role] { return node.alive && role_alive[role]; };
      line.on_up = line.on_down = [] {};
    }
    auto& to_scheduler = *node.lines[0].link;
    auto& to_tracker = *node.lines[1].link;
    node.peers.membership = to_scheduler.wire<MembershipActor>([this] { return membership; }, true);
    node.peers.lease_keeper = to_scheduler.wire<LeaseKeeperActor>([this] { return lease_keeper; }, true);
    node.peers.ledger = to_tracker.wire<JobLedgerActor>([this] { return ledger; }, true);
    node.peers.fork_tracker = to_tracker.wire<ForkTrackerActor>([this] { return fork_tracker; }, true);
    node.blob_keeper = to_tracker.wire<BlobKeeperActor>([this] { return blob_keeper; }, true);
    node.from_scheduler = to_scheduler.wire<NodeWorkerActor>([&node] { return NodeWorkerActor(node.worker); }, false);
    node.lines[0].on_up = [this, &node] {
      caf::anon_send(lease_keeper, NodeLinked{node.inventory.name, node.from_scheduler});
      caf::anon_send(node.worker, SchedulerLink{true});
    };
    node.lines[0].on_down = [this, &node] {
      if (role_alive[0]) caf::anon_send(membership, NodeUnlinked{node.inventory.name, "its link is down"});
      if (node.alive) caf::anon_send(node.worker, SchedulerLink{false});
    };
  }

  void break_line(Line& line) {
    if (line.link->state() == LinkState::kDown) return;
    line.link->set_state(LinkState::kDown);
    line.on_down();
  }

  void restore_line(Line& line) {
    if (line.cut || !line.ends_alive() || line.link->state() == LinkState::kUp) return;
    break_line(line);
    line.link->set_state(LinkState::kUp);
    line.on_up();
  }

  void cut_line(Line& line) {
    if (std::exchange(line.cut, true)) return;
    if (line.link->state() != LinkState::kUp) return;
    line.link->set_state(LinkState::kSilent);
    time.at(time.now_s() + options.silence_s, [this, &line, cut = ++line.cuts] {
      if (line.cut && line.cuts == cut) break_line(line);
    });
  }

  void heal_line(Line& line) {
    if (!std::exchange(line.cut, false)) return;
    ++line.cuts;
    restore_line(line);
  }

  template <class Change>
  void each_line_of(SimulatedRole role, Change change) {
    change(roles_line);
    for (auto& [name, node] : nodes) change(node.lines[index_of(role)]);
  }

  // ---- the client ----

  void ask(const SubmitJob& request) {
    const auto again = [this, request] { time.at(time.now_s() + kAskAgain_s, [this, request] { ask(request); }); };
    if (!ledger) return again();
    time.system().spawn([this, request, again](caf::event_based_actor* self) {
      self->request(ledger, std::chrono::seconds(5), request)
          .then([this](const JobSubmitted&) { --unanswered; },
                [this, again](const caf::error& error) {
                  const auto code = to_error(error).code;
                  const bool refused = code == ErrorCode::kInfeasible || code == ErrorCode::kInvalidArgument ||
                                       code == ErrorCode::kAlreadyExists;
                  if (refused)
                    --unanswered;
                  else
                    again();
                });
    });
  }

  bool all_ended() {
    const auto& events = log->events();
    for (; events_seen < events.size(); ++events_seen) {
      const auto& body = events[events_seen].body;
      if (std::holds_alternative<event::Submitted>(body)) ++jobs_open;
      if (std::holds_alternative<event::Completed>(body) || std::holds_alternative<event::Failed>(body) ||
          std::holds_alternative<event::Cancelled>(body))
        --jobs_open;
    }
    return unanswered == 0 && jobs_open == 0;
  }

  void end_node(Node& node) {
    node.executor->vanish();
    end_actor(node.worker);
    end_actor(node.peers.courier);
  }
  void end_scheduler() {
    end_actor(round_flow);
    end_actor(membership);
    end_actor(lease_keeper);
  }
  void end_tracker() {
    end_actor(ledger);
    end_actor(fork_tracker);
    end_actor(consolidator);
    end_actor(blob_keeper);
    end_actor(throughput_book);
  }
};

SimulatedCluster::SimulatedCluster(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Result<std::unique_ptr<SimulatedCluster>> SimulatedCluster::start(const SimulatedClusterOptions& options) {
  auto policy = make_policy(options.scheduler.policy, options.policy);
  if (!policy) return tl::unexpected<Error>(policy.error());
  auto parts = std::make_unique<Parts>(options);
  auto& system = parts->time.system();
  parts->price_oracle = spawn_price_oracle(system, SpawnMode::kShared, {});
  parts->policy =
      spawn_policy(system, SpawnMode::kShared, options.scheduler.policy, std::shared_ptr<Policy>(*std::move(policy)));
  parts->join_roles();
  for (const auto& inventory : options.nodes) {
    auto& node = parts->nodes[inventory.name];
    node.inventory = inventory;
    parts->join_node(node);
  }
  std::unique_ptr<SimulatedCluster> cluster(new SimulatedCluster(std::move(parts)));
  cluster->restart(SimulatedRole::kTracker);
  cluster->restart(SimulatedRole::kScheduler);
  for (const auto& inventory : options.nodes) cluster->restart_node(inventory.name);
  return cluster;
}

SimulatedCluster::~SimulatedCluster() {
  auto& parts = *parts_;
  parts.time.forget_actions();
  for (auto& [name, node] : parts.nodes)
    if (node.alive) parts.end_node(node);
  parts.end_scheduler();
  parts.end_tracker();
  parts.end_actor(parts.price_oracle);
  parts.end_actor(parts.policy);
  parts.time.drain();
  std::error_code ignored;
  fs::remove_all(parts.trainers->folder, ignored);
}

double SimulatedCluster::now_s() const {
  return parts_->time.now_s();
}

void SimulatedCluster::at(double t_s, std::function<void()> action, std::uint64_t after_messages) {
  parts_->time.at(t_s, std::move(action), after_messages);
}

void SimulatedCluster::submit(const JobSpec& spec, double t_s, bool keep_infeasible) {
  SubmitJob request{spec, "submission " + std::to_string(++parts_->submissions), keep_infeasible};
  ++parts_->unanswered;
  at(t_s, [parts = parts_.get(), request] { parts->ask(request); });
}

void SimulatedCluster::command(const CommandJob& command) {
  if (parts_->ledger) caf::anon_send(parts_->ledger, command);
}

void SimulatedCluster::command(const CommandNode& command) {
  if (parts_->membership) caf::anon_send(parts_->membership, command);
}

void SimulatedCluster::kill_node(const NodeName& name) {
  auto& node = parts_->nodes.at(name);
  if (!std::exchange(node.alive, false)) return;
  for (auto& line : node.lines) parts_->break_line(line);
  parts_->end_node(node);
}

void SimulatedCluster::restart_node(const NodeName& name) {
  auto& node = parts_->nodes.at(name);
  if (std::exchange(node.alive, true)) return;
  parts_->spawn_node(node);
  for (auto& line : node.lines) parts_->restore_line(line);
}

void SimulatedCluster::kill(SimulatedRole role) {
  if (!std::exchange(parts_->role_alive[index_of(role)], false)) return;
  parts_->each_line_of(role, [this](Line& line) { parts_->break_line(line); });
  if (role == SimulatedRole::kScheduler)
    parts_->end_scheduler();
  else
    parts_->end_tracker();
}

void SimulatedCluster::restart(SimulatedRole role) {
  if (std::exchange(parts_->role_alive[index_of(role)], true)) return;
  if (role == SimulatedRole::kScheduler)
    parts_->spawn_scheduler();
  else
    parts_->spawn_tracker();
  parts_->each_line_of(role, [this](Line& line) { parts_->restore_line(line); });
}

void SimulatedCluster::cut_link(const NodeName& node, SimulatedRole role) {
  parts_->cut_line(parts_->nodes.at(node).lines[index_of(role)]);
}

void SimulatedCluster::heal_link(const NodeName& node, SimulatedRole role) {
  parts_->heal_line(parts_->nodes.at(node).lines[index_of(role)]);
}

void SimulatedCluster::cut_roles() {
  parts_->cut_line(parts_->roles_line);
}

void SimulatedCluster::heal_roles() {
  parts_->heal_line(parts_->roles_line);
}

void SimulatedCluster::slow_node(const NodeName& name, double factor) {
  auto& node = parts_->nodes.at(name);
  node.factor = factor;
  if (node.alive) node.executor->set_factor(factor);
}

void SimulatedCluster::run_until(double t_s) {
  parts_->time.run(t_s, {});
}

bool SimulatedCluster::run_until_ended(double limit_s) {
  return parts_->time.run(limit_s, [this] { return parts_->all_ended(); });
}

const std::vector<Event>& SimulatedCluster::events() const {
  return parts_->log->events();
}

std::string SimulatedCluster::event_lines() const {
  std::string lines;
  for (const auto& event : events()) lines += event_to_json(event) + "\n";
  return lines;
}

std::vector<std::string> SimulatedCluster::violations() const {
  auto violations = parts_->trainers->violations;
  if (parts_->time.stuck())
    violations.push_back("at " + std::to_string(now_s()) + " s actors kept each other busy without end");
  return violations;
}

}  // namespace hadar
