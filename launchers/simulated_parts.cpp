#include "launchers/simulated_parts.hpp"

#include <caf/all.hpp>
#include <chrono>
#include <cmath>
#include <limits>

#include "actors/node/blob_courier_actor.hpp"
#include "actors/oracle/price_oracle_actor.hpp"
#include "actors/policy_host/policy_actor.hpp"
#include "actors/tracker/blob_keeper_actor.hpp"
#include "actors/tracker/consolidator_actor.hpp"
#include "actors/tracker/fork_tracker_actor.hpp"
#include "actors/tracker/job_ledger_actor.hpp"
#include "actors/tracker/throughput_book_actor.hpp"
#include "launchers/policies.hpp"
#include "launchers/price_settings.hpp"
#include "launchers/scheduler_options.hpp"
#include "messages/types/check.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar {
namespace {

constexpr double kAskAgain_s = 0.5;

// Before any message that waits for it.
void end_at_once(const caf::strong_actor_ptr& actor) {
  actor->enqueue(nullptr, caf::make_message_id(caf::message_priority::high),
                 caf::make_message(caf::exit_msg{actor->address(), caf::exit_reason::kill}), nullptr);
}

template <class Handle>
void end_actor(Handle& handle) {
  if (handle) end_at_once(caf::actor_cast<caf::strong_actor_ptr>(handle));
  handle = Handle{};
}

// Nothing to average: the new version only says what it was made of.
Result<ForksMerged> merge(SimulatedBlobs& store, const MergeForks& order) {
  ForksMerged merged;
  std::string text = "job " + std::to_string(order.job.value) + " on " + order.base.weights.hash + ":";
  for (const auto& input : order.inputs) {
    if (!store.has(input.weights)) merged.left_out.push_back({input.lease, "its weights are not in the store"});
    text += " " + std::to_string(input.coefficient) + " x " + input.weights.hash;
  }
  if (merged.left_out.empty()) merged.weights = store.put(std::as_bytes(std::span(text)));
  return merged;
}

// A factor around 1 for each lease, log-normal, from the seed.
double noise_of(std::uint64_t seed, LeaseId lease, double sigma) {
  SimulatedChance chance(seed ^ (lease.value * 0x9e3779b97f4a7c15ULL));
  const double radius = std::sqrt(-2 * std::log(1 - chance.fraction()));
  return std::exp(sigma * radius * std::cos(2 * std::acos(-1.0) * chance.fraction()));
}

// The trainers hear of merges too.
EventObserver observer_of(const SimulatedClusterOptions& options, const std::shared_ptr<SimulatedTrainers>& trainers) {
  if (!options.merge_efficiency) return options.observer;
  trainers->learnt.emplace(*options.merge_efficiency);
  return [trainers, outer = options.observer](const Event& event) {
    if (const auto* merged = std::get_if<event::Consolidated>(&event.body)) trainers->learnt->take(*merged);
    if (outer) outer(event);
  };
}

// Tells what each plan took by this machine's clock.
class TimedPolicy final : public Policy {
 public:
  TimedPolicy(std::shared_ptr<Policy> policy, std::function<void(double)> took)
      : policy_(std::move(policy)), took_(std::move(took)) {}

  [[nodiscard]] PolicyTraits traits() const override { return policy_->traits(); }
  [[nodiscard]] Result<RoundPlan> plan(const RoundInput& input) override {
    const auto begin = std::chrono::steady_clock::now();
    auto planned = policy_->plan(input);
    took_(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    return planned;
  }

 private:
  std::shared_ptr<Policy> policy_;
  std::function<void(double)> took_;
};

}  // namespace

SimulatedCluster::Parts::Parts(const SimulatedClusterOptions& given)
    : options(given),
      time(given.seed, given.shuffle),
      log(std::make_shared<SimulatedEventLog>(given.keep_events, observer_of(given, trainers))),
      blobs(std::make_shared<SimulatedBlobs>()),
      chance(given.seed + 1) {
  const ThroughputBook book(options.throughputs, options.tracker.time_scale, options.pairs);
  trainers->gavel_2022 = options.gavel_2022;
  trainers->pair_speed = [book](const JobSpec& a, const JobSpec& b, const GpuType& type) {
    return book.declared_pair(a, b, type);
  };
  trainers->speed = [book, factor = options.spread_factor](const JobSpec& spec, const GpuType& type, bool spread) {
    const auto packed = book.declared(spec, type);
    if (!spread) return packed;
    const auto known = book.declared(spec, type, Placement::kSpread);
    return known > 0 ? known : packed * factor;
  };
  trainers->costs = options.costs;
  if (!trainers->costs)
    trainers->costs = [costs = TrainerCosts{options.load_s, options.save_s}](const JobSpec&) { return costs; };
  if (options.noise > 0)
    trainers->noise = [seed = options.seed, sigma = options.noise](LeaseId lease) {
      return noise_of(seed, lease, sigma);
    };
}

// ---- actors ----

Status SimulatedCluster::Parts::spawn_planners() {
  auto made = options.make_policy ? options.make_policy() : make_policy(options.scheduler.policy, options.policy);
  if (!made) return fail(std::move(made));
  traits = (*made)->traits();
  if (const auto* entry = find_policy(options.scheduler.policy)) policy_looks_at_time = entry->looks_at_time;
  price_oracle = spawn_price_oracle(time.system(), SpawnMode::kShared, price_settings(options.prices, options.policy));
  std::shared_ptr<Policy> planner = *std::move(made);
  if (options.planned) planner = std::make_shared<TimedPolicy>(std::move(planner), options.planned);
  policy = spawn_policy(time.system(), SpawnMode::kShared, options.scheduler.policy, std::move(planner));
  return {};
}

void SimulatedCluster::Parts::spawn_tracker() {
  auto& system = time.system();
  const LedgerOptions ledger_options{"simulated", options.tracker.max_failures};
  const auto local_limit_s = std::numeric_limits<double>::infinity();  // within a process every request is answered
  auto restored = restore_ledger(ledger_options, *log, time.now_s());
  HADAR_ENSURE(restored.has_value());
  throughput_book = spawn_throughput_book(
      system, SpawnMode::kShared,
      ThroughputBook(options.throughputs, options.tracker.time_scale, options.pairs, !options.gavel_2022));
  blob_keeper = spawn_blob_keeper(system, SpawnMode::kShared, blobs);
  consolidator = spawn_consolidator(system, SpawnMode::kShared,
                                    [store = blobs](const MergeForks& order) { return merge(*store, order); });
  ledger = spawn_job_ledger(system, SpawnMode::kShared, JobLedgerOptions{ledger_options, time.now_s()},
                            std::shared_ptr<Ledger>(*std::move(restored)), log);
  fork_tracker = spawn_fork_tracker(system, SpawnMode::kShared,
                                    ForkTrackerOptions{options.tracker.merge_grace_s, time.now_s(), {}, local_limit_s},
                                    ledger, consolidator);
  caf::anon_send(ledger, LedgerPeers{round_flow_from_tracker, fork_tracker, throughput_book, BlobKeeperActor()});
}

void SimulatedCluster::Parts::spawn_scheduler() {
  auto& system = time.system();
  const auto& told = options.scheduler;
  lease_keeper = spawn_lease_keeper(system, SpawnMode::kShared, lease_keeper_options(told), ledger_from_scheduler);
  membership =
      spawn_membership(system, SpawnMode::kShared, membership_options(told), lease_keeper, ledger_from_scheduler);
  auto flow = round_flow_options(told);
  flow.incarnation = ++scheduler_incarnation;
  flow.looks_at_time = policy_looks_at_time;
  flow.prices = traits.needs_prices;
  flow.shares_gpus = traits.shares_gpus;
  flow.close_when_all_done = options.gavel_2022;
  flow.coalesce_s = options.coalesce_s;
  flow.archive = options.archive;
  round_flow = spawn_round_flow(system, SpawnMode::kShared, flow,
                                {membership, lease_keeper, ledger_from_scheduler, price_oracle, policy});
  caf::anon_send(lease_keeper, KeeperPeers{round_flow});
}

void SimulatedCluster::Parts::spawn_node(SimulatedNode& node) {
  auto& system = time.system();
  auto cache = std::make_shared<SimulatedBlobs>();
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

void SimulatedCluster::Parts::end_node(SimulatedNode& node) {
  node.executor->vanish();
  end_actor(node.worker);
  end_actor(node.peers.courier);
}

void SimulatedCluster::Parts::end_scheduler() {
  end_actor(round_flow);
  end_actor(membership);
  end_actor(lease_keeper);
}

void SimulatedCluster::Parts::end_tracker() {
  end_actor(ledger);
  end_actor(fork_tracker);
  end_actor(consolidator);
  end_actor(blob_keeper);
  end_actor(throughput_book);
}

void SimulatedCluster::Parts::end_planners() {
  end_actor(price_oracle);
  end_actor(policy);
}

// ---- lines ----

std::unique_ptr<SimulatedLink> SimulatedCluster::Parts::make_link() {
  auto link = std::make_unique<SimulatedLink>(time.system(), chance.next(), options.link_delay_s);
  link->set_state(LinkState::kDown);
  return link;
}

void SimulatedCluster::Parts::join_roles() {
  auto& line = roles_line;
  line.link = make_link();
  line.ends_alive = [this] { return role_alive[0] && role_alive[1]; };
  line.on_up = line.on_down = [] {};  // neither role waits for the other's link
  ledger_from_scheduler = line.link->wire<JobLedgerActor>([this] { return ledger; }, true);
  round_flow_from_tracker = line.link->wire<RoundFlowActor>([this] { return round_flow; }, false);
}

void SimulatedCluster::Parts::join_node(SimulatedNode& node) {
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

void SimulatedCluster::Parts::break_line(SimulatedLine& line) {
  if (line.link->state() == LinkState::kDown) return;
  line.link->set_state(LinkState::kDown);
  line.on_down();
}

void SimulatedCluster::Parts::restore_line(SimulatedLine& line) {
  if (line.cut || !line.ends_alive() || line.link->state() == LinkState::kUp) return;
  break_line(line);
  line.link->set_state(LinkState::kUp);
  line.on_up();
}

void SimulatedCluster::Parts::cut_line(SimulatedLine& line) {
  if (std::exchange(line.cut, true)) return;
  if (line.link->state() != LinkState::kUp) return;
  line.link->set_state(LinkState::kSilent);
  time.at(time.now_s() + options.silence_s, [this, &line, cut = ++line.cuts] {
    if (line.cut && line.cuts == cut) break_line(line);
  });
}

void SimulatedCluster::Parts::heal_line(SimulatedLine& line) {
  if (!std::exchange(line.cut, false)) return;
  ++line.cuts;
  restore_line(line);
}

// ---- the client ----

void SimulatedCluster::Parts::ask(const std::shared_ptr<const SubmitJob>& request) {
  const auto again = [this, request] { time.at(time.now_s() + kAskAgain_s, [this, request] { ask(request); }); };
  if (!ledger) return again();
  time.system().spawn([this, request, again](caf::event_based_actor* self) {
    self->request(ledger, std::chrono::seconds(5), *request)
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

}  // namespace hadar
