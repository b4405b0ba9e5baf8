#include "actors/tracker/fork_tracker_actor.hpp"

#include <caf/all.hpp>

#include "actors/cluster_clock.hpp"
#include "actors/tracker/fork_board.hpp"
#include "actors/tracker/merge_order.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar::fork_tracker {
namespace {

struct LookForDue {};

constexpr std::chrono::minutes kMergeLimit{10};
constexpr double kRetryMerge_s = 1;

}  // namespace
}  // namespace hadar::fork_tracker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::fork_tracker::LookForDue)

namespace hadar::fork_tracker {
namespace {

struct State {
  static inline const char* name = "fork_tracker";

  std::optional<ClusterClock> clock;
  std::optional<ForkBoard> board;
  caf::duration ledger_limit;
  JobLedgerActor ledger;
  ConsolidatorActor consolidator;
  std::function<void(JobId, const Error&)> on_delay;
  std::optional<double> armed_s;  // when the next LookForDue comes
};

using Wide = ForkTrackerActor::extend<Takes<LookForDue>>;
using Self = Wide::stateful_pointer<State>;

void merge_due(Self self);

void retry_later(Self self, JobId job, const Error& why) {
  if (self->state.on_delay) self->state.on_delay(job, why);
  self->state.board->postpone(job);
  self->delayed_send(self, caf_delay(kRetryMerge_s), LookForDue{});
}

void settle(Self self, const MergeOrder& order, SettleForks settle) {
  settle.merge_s = self->state.clock->now_s() - order.since_s;
  self->request(self->state.ledger, self->state.ledger_limit, std::move(settle))
      .then(
          [self, order](const ForksSettled& settled) {
            self->state.board->settled(order, settled.version);
            merge_due(self);
          },
          [self, order](const caf::error& error) {
            if (to_error(error).code == ErrorCode::kStale || to_error(error).code == ErrorCode::kNotFound) {
              self->state.board->settled(order, order.base);
              return;
            }
            retry_later(self, order.job, to_error(error));
          });
}

using Excluded = std::map<LeaseId, std::string>;

// Merges what the rule lets in; forks whose weights turn out unfit are left out, and the rest merged again.
void merge(Self self, const MergeOrder& order, const Excluded& excluded = {}) {
  auto decision = decide_merge(order, excluded);
  if (!decision) return retry_later(self, order.job, decision.error());
  if (decision->inputs.size() < 2) return settle(self, order, std::move(decision->settle));
  MergeForks ask{order.job, order.base, decision->inputs};
  self->request(self->state.consolidator, kMergeLimit, std::move(ask))
      .then(
          [self, order, excluded, ready = decision->settle](const ForksMerged& merged) mutable {
            if (!merged.left_out.empty()) {
              auto more = excluded;
              for (const auto& out : merged.left_out) more[out.lease] = out.reason;
              return merge(self, order, more);
            }
            ready.weights = merged.weights;
            settle(self, order, std::move(ready));
          },
          [self, order, inputs = decision->inputs](const caf::error& error) {
            const auto why = to_error(error);
            if (why.code != ErrorCode::kCorrupt) return retry_later(self, order.job, why);
            Excluded all;
            for (const auto& input : inputs) all[input.lease] = why.message;
            merge(self, order, all);
          });
}

void merge_due(Self self) {
  auto& state = self->state;
  while (auto order = state.board->due(state.clock->now_s())) merge(self, *order);
}

// Looks again when the earliest deadline has passed.
void watch_deadline(Self self) {
  auto& state = self->state;
  const auto deadline = state.board->next_deadline_s();
  if (!deadline || (state.armed_s && *state.armed_s <= *deadline)) return;
  state.armed_s = *deadline;
  self->delayed_send(self, caf_delay(*deadline - state.clock->now_s() + 0.001), LookForDue{});
}

// A checkpoint of a job's only gang is the new version as it stands.
void credit_checkpoint(Self self, const LeaseReport& report, caf::typed_response_promise<ReportAnswered> promise) {
  SettleForks settle;
  settle.job = report.fork.job;
  settle.base = report.base;
  settle.weights = report.weights;
  settle.metrics = report.metrics;
  settle.forks.push_back({report.lease, report.fork.fork, report.steps, true, true, ""});
  self->request(self->state.ledger, self->state.ledger_limit, std::move(settle))
      .then(
          [self, report, promise](const ForksSettled& settled) mutable {
            self->state.board->checkpointed(report.lease, settled.version);
            promise.deliver(ReportAnswered{report.lease, ReportVerdict::kAccepted, "", settled.version});
            merge_due(self);
          },
          [promise](caf::error& error) mutable { promise.deliver(std::move(error)); });
}

// A report that the ledger is asked to accept.
struct OpenReport {
  LeaseReport report;
  std::optional<MergeOrder> order;  // what is settled with it
  caf::typed_response_promise<ReportAnswered> promise;
};

void after_accept(Self self, OpenReport& open, const ReportAccepted& accepted) {
  auto& board = *self->state.board;
  const auto& report = open.report;
  if (accepted.settled) {
    board.settled(*open.order, accepted.settled->version);
  } else {
    if (open.order) board.postpone(open.order->job);
    if (accepted.verdict == ReportVerdict::kAccepted) board.report(report, self->state.clock->now_s());
  }
  const bool credited = accepted.verdict == ReportVerdict::kAccepted && report.end == LeaseEndReason::kRunning &&
                        report.steps > 0 && board.lone(report.lease);
  if (credited) return credit_checkpoint(self, report, std::move(open.promise));
  const auto base = accepted.verdict == ReportVerdict::kAccepted ? ModelVersion{} : accepted.base;
  open.promise.deliver(ReportAnswered{report.lease, accepted.verdict, accepted.text, base});
  merge_due(self);
  watch_deadline(self);
}

// What can be settled together with the report that completes it: where there are no weights to merge.
std::optional<SettleForks> settle_at_once(Self self, const MergeOrder& order) {
  auto decision = decide_merge(order);
  if (!decision || decision->inputs.size() > 1) return std::nullopt;
  decision->settle.merge_s = self->state.clock->now_s() - order.since_s;
  return std::move(decision->settle);
}

caf::result<ReportAnswered> take_report(Self self, const LeaseReport& report) {
  auto& state = self->state;
  const auto open = std::make_shared<OpenReport>();
  open->report = report;
  open->promise = self->make_response_promise<ReportAnswered>();
  AcceptReport ask{report, {}};
  if (auto order = state.board->last_report(report, state.clock->now_s())) {
    ask.settle = settle_at_once(self, *order);
    if (ask.settle)
      open->order = std::move(order);
    else
      state.board->postpone(order->job);
  }
  self->request(state.ledger, state.ledger_limit, std::move(ask))
      .then([self, open](const ReportAccepted& accepted) { after_accept(self, *open, accepted); },
            [self, open](caf::error& error) {
              if (open->order) self->state.board->postpone(open->order->job);
              open->promise.deliver(std::move(error));
            });
  return open->promise;
}

Wide::behavior_type behavior(Self self, const ForkTrackerOptions& options, JobLedgerActor ledger,
                             ConsolidatorActor consolidator) {
  self->state.clock.emplace(self->clock(), options.start_s);
  self->state.board.emplace(options.merge_grace_s);
  self->state.on_delay = options.on_delay;
  self->state.ledger_limit = caf_limit(options.ledger_limit_s);
  self->state.ledger = std::move(ledger);
  self->state.consolidator = std::move(consolidator);
  return {
      [self](const LeaseReport& report) { return take_report(self, report); },
      [self](const TrackLeases& message) {
        self->state.board->track(message, self->state.clock->now_s());
        watch_deadline(self);
        merge_due(self);
      },
      [self](const UntrackLeases& message) {
        self->state.board->untrack(message);
        merge_due(self);
      },
      [self](const LookForDue&) {
        self->state.armed_s.reset();
        merge_due(self);
        watch_deadline(self);
      },
  };
}

}  // namespace
}  // namespace hadar::fork_tracker

namespace hadar {

ForkTrackerActor spawn_fork_tracker(caf::actor_system& system, SpawnMode mode, ForkTrackerOptions options,
                                    JobLedgerActor ledger, ConsolidatorActor consolidator) {
  return spawn_as(system, mode, fork_tracker::behavior, options, std::move(ledger), std::move(consolidator));
}

}  // namespace hadar
