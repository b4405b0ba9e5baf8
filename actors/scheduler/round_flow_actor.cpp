#include "actors/scheduler/round_flow_actor.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <memory>
#include <optional>

#include "actors/cluster_clock.hpp"
#include "actors/scheduler/round_clock.hpp"
#include "actors/scheduler/round_steps.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar::round_flow {
namespace {

struct OpenTermNow {};
struct Border {};
struct LookAgain {};
struct ViewAgain {
  double until_s = 0;  // no longer than that
};

constexpr double kRetryTerm_s = 0.2;
// Forks stop just before a border, so their merges are about to end there: the plan waits for them a little.
constexpr double kSettleLook_s = 0.01;
constexpr double kSettleShareMax = 0.05;  // of the round
constexpr double kSettleMax_s = 1;

}  // namespace
}  // namespace hadar::round_flow

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::round_flow::OpenTermNow)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::round_flow::Border)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::round_flow::LookAgain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::round_flow::ViewAgain)

namespace hadar::round_flow {
namespace {

struct State {
  static inline const char* name = "round_flow";

  RoundFlowOptions options;
  RoundFlowPeers peers;
  std::optional<ClusterClock> clock;   // set when the term is opened
  std::unique_ptr<RoundClock> rounds;  // the same
  Term term;
  LeaseId last_lease;
  std::string memory;
  PriceBoard prices;
  PendingGrants pending;
  std::shared_ptr<RoundInput> last_input;  // its nodes are the next one's start
  JobViews planned;                        // of the last plan that was carried out; empty when something has changed
  ToldOutcomes told;
  bool busy = false;          // a round or replan is in flight
  bool border_waits = false;  // a border came meanwhile
  bool look_again = false;    // a change came meanwhile
  bool look_armed = false;
  bool may_be_unwanted = false;  // a job ended or was held back: leases of it may be open

  [[nodiscard]] RoundId round() const { return rounds->round(clock->now_s()); }
  [[nodiscard]] double until_border_s() const { return rounds->next_border_s(clock->now_s()) - clock->now_s(); }
};

using Wide = RoundFlowActor::extend<Takes<OpenTermNow>, Takes<Border>, Takes<LookAgain>, Takes<ViewAgain>>;
using Self = Wide::stateful_pointer<State>;

caf::duration request_limit(Self self) {
  return caf_limit(self->state.options.request_limit_s);
}

// One round or early replan under way.
struct Flow {
  std::shared_ptr<RoundInput> input = std::make_shared<RoundInput>();  // not changed any more once it is sent
  JobsViewed viewed;
  CapacityPtr capacity;
  bool pending_only = false;  // grants what a border planned, nothing else
  double settle_until_s = 0;  // at a border: how long to wait for merges that are about to end
};
using FlowPtr = std::shared_ptr<Flow>;

void begin(Self self, bool early, double settle_until_s = 0);
void begin_border(Self self);

void finish(Self self) {
  auto& state = self->state;
  state.busy = false;
  if (std::exchange(state.border_waits, false)) {
    state.look_again = false;
    begin_border(self);
  } else if (std::exchange(state.look_again, false)) {
    begin(self, state.rounds->borders_by_time());
  }
}

// ---- leases ----

void grant(Self self, const FlowPtr& flow, const PlanRecorded& recorded) {
  const auto done = [self, flow](bool all) {
    // What a border planned and could not be granted leaves GPUs that others may want.
    if (flow->pending_only && !all) self->state.look_again = true;
    if (!all) self->state.planned.clear();
    finish(self);
  };
  if (recorded.leases.empty()) return done(recorded.refused.empty());
  self->request(self->state.peers.lease_keeper, caf_limit(2 * self->state.options.request_limit_s),
                GrantLeases{recorded.leases})
      .then(
          [done, all = recorded.refused.empty()](const GrantOutcome& outcome) { done(all && outcome.refused.empty()); },
          [done](const caf::error&) { done(false); });
}

void extend(Self self, const PlanSteps& steps) {
  auto& state = self->state;
  for (const auto& extension : steps.extend) {
    RecordExtension record{state.term, extension.lease, extension.job, extension.quota_steps};
    LengthenLease lengthen{extension.lease, extension.quota_steps, extension.train_for_s};
    self->request(state.peers.ledger, request_limit(self), std::move(record))
        .then([self, lengthen](const Ack&) { caf::anon_send(self->state.peers.lease_keeper, lengthen); },
              [](const caf::error&) {});  // refused: the lease ends as it was
  }
}

void record(Self self, const FlowPtr& flow, const RoundPlan* plan, std::vector<Lease> leases) {
  auto& state = self->state;
  RecordPlan request;
  request.term = state.term;
  request.round = flow->input->round;
  request.early = flow->input->early;
  request.policy = state.options.policy;
  request.prices = state.prices.price;
  AbandonLeases abandon;
  for (const auto& lease : leases) abandon.leases.push_back(lease.id);
  request.leases = std::move(leases);
  if (plan) {
    request.outcomes = state.told.news(plan->outcomes, request.early);
    request.memory = plan->memory;
  }
  self->request(state.peers.ledger, request_limit(self), std::move(request))
      .then([self, flow](const PlanRecorded& recorded) { grant(self, flow, recorded); },
            [self, flow, abandon = std::move(abandon)](const caf::error& error) mutable {
              const auto why = to_error(error);
              if (why.code == ErrorCode::kStale) return self->quit(caf::exit_reason::user_shutdown);
              self->state.told = {};
              self->state.planned.clear();
              self->state.look_again = self->state.look_again || flow->pending_only;
              abandon.reason = "its grant was not confirmed: " + why.message;
              caf::anon_send(self->state.peers.lease_keeper, std::move(abandon));
              finish(self);
            });
}

void revoke(Self self, std::vector<LeaseId> leases, const std::string& reason) {
  if (!leases.empty()) caf::anon_send(self->state.peers.lease_keeper, ReleaseLeases{std::move(leases), reason});
}

// ---- planning ----

void carry_out(Self self, const FlowPtr& flow, const RoundPlan& plan) {
  auto& state = self->state;
  state.planned = flow->input->jobs;
  state.memory = plan.memory;
  auto steps = steps_of(plan, *flow->input, *flow->capacity);
  revoke(self, steps.revoke, "not in the plan of round " + std::to_string(flow->input->round.value));
  extend(self, steps);
  if (!flow->input->early) state.pending = std::move(steps.pending);
  record(self, flow, &plan, leases_of(steps.grant, *flow->input, state.until_border_s(), state.last_lease));
}

void ask_policy(Self self, const FlowPtr& flow) {
  auto& state = self->state;
  flow->input->prices = state.prices;
  self->request(state.peers.policy, caf_limit(state.options.plan_limit_s), PlanRound{flow->input})
      .then(
          [self, flow](const RoundPlanned& planned) {
            const auto& archive = self->state.options.archive;
            if (archive) archive(*flow->input, planned.plan, planned.policy);
            carry_out(self, flow, planned.plan);
          },
          [self](const caf::error&) { finish(self); });
}

void ask_prices(Self self, const FlowPtr& flow) {
  auto& state = self->state;
  if (flow->input->early || !state.options.prices) return ask_policy(self, flow);  // a board lasts a round
  self->request(state.peers.price_oracle, request_limit(self),
                PriceRound{std::make_shared<const RoundInput>(*flow->input)})
      .then(
          [self, flow](const PriceBoard& board) {
            self->state.prices = board;
            ask_policy(self, flow);
          },
          [self, flow](const caf::error&) {
            self->state.prices.stale = true;
            ask_policy(self, flow);
          });
}

// The nodes of the last input, when nobody looks at it any more.
std::vector<NodeCapacity> last_nodes(State& state) {
  const auto last = std::exchange(state.last_input, nullptr);
  return last && last.use_count() == 1 ? std::move(last->nodes) : std::vector<NodeCapacity>();
}

// At a border, jobs whose merge is about to end are waited for, and forks whose time is up.
bool settling(const JobsViewed& viewed) {
  return std::any_of(viewed.jobs.begin(), viewed.jobs.end(), [](const auto& job) {
    return job->merging ||
           std::any_of(job->held.begin(), job->held.end(), [](const Allocation& held) { return held.ends_at_border; });
  });
}

// What the border planned comes first. GPUs that it leaves over bring us back here.
void grant_pending(Self self, const FlowPtr& flow, const std::vector<Allocation>& ready) {
  auto& state = self->state;
  auto& input = *flow->input;
  flow->pending_only = true;
  input.jobs = std::move(flow->viewed.jobs);
  refresh_usable(input.nodes, *flow->capacity, {state.pending.allocations, ready});
  state.look_again = state.look_again || worth_replanning(input);
  record(self, flow, nullptr, leases_of(ready, input, input.window_s, state.last_lease));
}

void plan(Self self, const FlowPtr& flow) {
  auto& state = self->state;
  auto& viewed = flow->viewed;
  auto& input = *flow->input;
  revoke(self, viewed.unwanted, "its job no longer wants it");
  if (!state.rounds->borders_by_time()) {
    if (!flow->capacity->open.empty() || settling(viewed) || viewed.jobs.empty()) return finish(self);
    state.rounds->open(state.clock->now_s());
  }
  if (!input.early) state.pending = {};
  input.round = state.round();
  input.now_s = state.clock->now_s();
  input.round_s = state.options.round_s;
  input.window_s = state.until_border_s();
  input.seed = input.round.value;
  input.memory = state.memory;
  input.pairs = std::move(viewed.pairs);
  input.nodes = last_nodes(state);
  state.last_input = flow->input;
  const auto ready = ready_grants(state.pending, viewed.jobs, *flow->capacity);
  if (!ready.empty()) return grant_pending(self, flow, ready);
  refresh_usable(input.nodes, *flow->capacity, {state.pending.allocations});
  input.jobs = plannable_jobs(std::move(viewed.jobs), state.pending);
  if (input.jobs.empty() || (input.early && !worth_replanning(input))) return finish(self);
  ask_prices(self, flow);
}

template <class Then>
void view_capacity(Self self, const FlowPtr& flow, Then then) {
  self->request(self->state.peers.lease_keeper, request_limit(self), ViewCapacity{})
      .then(
          [self, flow, then](const CapacityPtr& capacity) {
            flow->capacity = capacity;
            then(self, flow);
          },
          [self](const caf::error&) { finish(self); });
}

// A policy that does not look at the time would plan what stands.
bool unchanged(const State& state, const JobsViewed& viewed) {
  return !state.options.looks_at_time && !viewed.jobs.empty() && viewed.unwanted.empty() &&
         state.pending.allocations.empty() && state.planned == viewed.jobs;
}

void jobs_viewed(Self self, const FlowPtr& flow) {
  const auto& viewed = flow->viewed;
  if (flow->settle_until_s > self->state.clock->now_s() && settling(viewed))
    return self->delayed_send(self, caf_delay(kSettleLook_s), ViewAgain{flow->settle_until_s});
  if (flow->input->early && self->state.pending.allocations.empty() && !wants_gpus(viewed.jobs)) {
    revoke(self, viewed.unwanted, "its job no longer wants it");
    return finish(self);
  }
  if (!flow->input->early && unchanged(self->state, viewed)) {  // the round opens, and that is all
    flow->input->round = self->state.round();
    return record(self, flow, nullptr, {});
  }
  if (flow->capacity) return plan(self, flow);
  view_capacity(self, flow, plan);
}

void view_jobs(Self self, const FlowPtr& flow) {
  auto& state = self->state;
  state.may_be_unwanted = false;
  self->request(state.peers.ledger, request_limit(self), ViewJobs{state.round(), state.options.shares_gpus})
      .then(
          [self, flow](JobsViewed& viewed) {
            flow->viewed = std::move(viewed);
            jobs_viewed(self, flow);
          },
          [self](const caf::error&) {
            self->state.may_be_unwanted = true;
            finish(self);
          });
}

// GPUs come free one by one while a border's grants wait for them: mostly not yet those that one of them needs.
void view_jobs_if_any_use(Self self, const FlowPtr& flow) {
  if (!self->state.may_be_unwanted && !any_use(*flow->capacity, self->state.pending)) return finish(self);
  view_jobs(self, flow);
}

void begin(Self self, bool early, double settle_until_s) {
  auto& state = self->state;
  state.busy = true;
  auto flow = std::make_shared<Flow>();
  flow->input->early = early;
  flow->settle_until_s = settle_until_s;
  if (early && !state.pending.allocations.empty()) return view_capacity(self, flow, view_jobs_if_any_use);
  view_jobs(self, flow);
}

void begin_border(Self self) {
  const auto& state = self->state;
  if (!state.rounds->borders_by_time()) return begin(self, false);
  const auto wait_s = std::min(kSettleMax_s, kSettleShareMax * state.options.round_s);
  begin(self, false, state.clock->now_s() + wait_s);
}

// ---- clock ----

void border(Self self) {
  auto& state = self->state;
  if (state.rounds->borders_by_time()) {
    self->delayed_send(self, caf_delay(state.until_border_s()), Border{});
    state.rounds->open(state.clock->now_s());
  }
  if (state.busy)
    state.border_waits = true;
  else
    begin_border(self);
}

void look_again(Self self) {
  auto& state = self->state;
  state.look_armed = false;
  if (!state.clock || state.rounds->border_is_near(state.clock->now_s())) return;
  if (state.busy)
    state.look_again = true;
  else
    begin(self, state.rounds->borders_by_time());
}

void arm_look(Self self) {
  if (std::exchange(self->state.look_armed, true)) return;
  self->delayed_send(self, caf_delay(self->state.options.coalesce_s), LookAgain{});
}

void term_opened(Self self, const TermOpened& opened) {
  auto& state = self->state;
  state.clock.emplace(self->clock(), opened.now_s);
  state.term = opened.term;
  state.last_lease = opened.last_lease;
  state.memory = opened.memory;
  self->send(state.peers.lease_keeper, opened);
  self->send(state.peers.membership, opened);
  const auto& options = state.options;
  const RoundId first{opened.last_round.value + 1};
  state.rounds = options.close_when_all_done ? rounds_until_all_is_done(first, options.round_s)
                                             : borders_by_time(first, opened.now_s, options.round_s);
  border(self);
}

void open_term(Self self) {
  auto& state = self->state;
  const auto& options = state.options;
  self->request(state.peers.ledger, request_limit(self), OpenTerm{options.policy, options.round_s, options.incarnation})
      .then([self](const TermOpened& opened) { term_opened(self, opened); },
            [self](const caf::error&) { self->delayed_send(self, caf_delay(kRetryTerm_s), OpenTermNow{}); });
}

caf::result<NodeList> list_nodes(Self self) {
  auto& state = self->state;
  if (!state.clock) return to_caf(Error{ErrorCode::kUnreachable, "the scheduler is starting; ask again"});
  auto promise = self->make_response_promise<NodeList>();
  self->request(state.peers.lease_keeper, request_limit(self), ViewCapacity{})
      .then(
          [self, promise](const CapacityPtr& viewed) mutable {
            const auto& s = self->state;
            promise.deliver(
                NodeList{viewed->nodes, s.round(), s.options.round_s, s.until_border_s(), s.options.policy});
          },
          [promise](caf::error& error) mutable { promise.deliver(std::move(error)); });
  return promise;
}

Wide::behavior_type behavior(Self self, const RoundFlowOptions& options, const RoundFlowPeers& peers) {
  self->state.options = options;
  self->state.peers = peers;
  self->send(self, OpenTermNow{});
  return {
      [self](const JobAdvanced& m) {
        self->state.may_be_unwanted = self->state.may_be_unwanted || m.finished;
        arm_look(self);
      },
      [self](const CapacityChanged&) {
        self->state.planned.clear();
        arm_look(self);
      },
      [self](const QueryNodes&) { return list_nodes(self); },
      [self](const OpenTermNow&) { open_term(self); },
      [self](const Border&) { border(self); },
      [self](const LookAgain&) { look_again(self); },
      [self](const ViewAgain& m) { begin(self, false, m.until_s); },
  };
}

}  // namespace
}  // namespace hadar::round_flow

namespace hadar {

RoundFlowActor spawn_round_flow(caf::actor_system& system, SpawnMode mode, RoundFlowOptions options,
                                RoundFlowPeers peers) {
  return spawn_as(system, mode, round_flow::behavior, std::move(options), std::move(peers));
}

}  // namespace hadar
