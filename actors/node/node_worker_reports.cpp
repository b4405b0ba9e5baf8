#include "actors/node/node_worker_reports.hpp"

#include <caf/all.hpp>

#include "runtime/bridge/caf_compat.hpp"

namespace hadar::node_worker {

// ---- telling the scheduler ----

void tell_ended(Self self, const LeaseEnded& message) {
  const auto kept = std::make_shared<const LeaseEnded>(message);
  self->request(self->state.peers.lease_keeper, request_limit(self), *kept)
      .then([](const Ack&) {},
            [self, kept](const caf::error&) {
              // A hello after the next link-up says the same; until then it is repeated.
              if (self->state.linked) self->delayed_send(self, caf_delay(kRetry_s), TellEnded{*kept});
            });
}

void lease_ended(Self self, const Lease& lease, LeaseEndReason end, bool reported, const std::string& detail) {
  tell_ended(self, LeaseEnded{lease.id, lease.node, lease.epoch, end, reported, detail});
}

// Never trained: nothing to report to the tracker, which closes it on the scheduler's word.
void give_back(Self self, LeaseId id, const std::string& why) {
  auto& leases = *self->state.leases;
  const auto lease = leases.find(id)->lease;
  leases.erase(id);
  lease_ended(self, lease, LeaseEndReason::kLost, true, why);
}

// ---- reporting to the tracker ----

namespace {

void report_later(Self self, LeaseId id) {
  if (auto* held = self->state.leases->find(id)) held->report_in_flight = false;
  self->delayed_send(self, caf_delay(kRetry_s), TryReport{id});
}

void report_answered(Self self, const LeaseReport& report, const ReportAnswered& answer) {
  auto& state = self->state;
  auto* held = state.leases->find(report.lease);
  if (!held) return;
  held->report_in_flight = false;
  if (!state.leases->answered(*held, report, answer)) return report_next(self, report.lease);
  const bool over = held->phase == HeldPhase::kReporting;
  if (!over) {  // settled without us while it still trains
    held->unreported.clear();
    held->lease.quota_steps = 0;
    state.executor->kill(report.lease);
    return;
  }
  state.idle_since[report.fork.job] = state.now_s();
  tick_at(self, state.now_s() + state.options.warm_s);
  lease_ended(self, held->lease, report.end, true, report.detail);
  state.leases->erase(report.lease);
}

void send_report(Self self, LeaseId id) {
  auto& state = self->state;
  auto* held = state.leases->find(id);
  if (!held || held->unreported.empty()) return;
  const auto report = std::make_shared<const LeaseReport>(state.leases->report_of(*held));
  self->request(state.peers.fork_tracker, caf_limit(4 * state.options.request_limit_s), *report)
      .then([self, report](const ReportAnswered& answer) { report_answered(self, *report, answer); },
            [self, id](const caf::error&) { report_later(self, id); });
}

void push_weights(Self self, LeaseId id) {
  auto& state = self->state;
  auto* held = state.leases->find(id);
  if (!held || held->unreported.empty()) return;
  const auto blob = held->unreported.front().blob;
  if (blob.empty()) return send_report(self, id);
  self->request(state.peers.courier, std::chrono::minutes(10), PushBlob{blob})
      .then([self, id](const Ack&) { send_report(self, id); },
            [self, id](const caf::error&) { report_later(self, id); });
}

void adopt_weights(Self self, LeaseId id) {
  auto& state = self->state;
  const auto file = state.leases->find(id)->unreported.front().weights;
  self->request(state.peers.courier, std::chrono::minutes(10), AdoptFile{file})
      .then(
          [self, id](const FileAdopted& adopted) {
            auto* held = self->state.leases->find(id);
            if (!held || held->unreported.empty()) return;
            held->unreported.front().blob = adopted.blob;
            held->unreported.front().weights.clear();
            push_weights(self, id);
          },
          [self, id](const caf::error& error) {
            auto* held = self->state.leases->find(id);
            if (!held || held->unreported.empty()) return;
            if (to_error(error).code == ErrorCode::kIo) return report_later(self, id);
            auto& finished = held->unreported.front();
            finished.weights.clear();
            finished.end = LeaseEndReason::kFailed;
            finished.detail = "weights: " + to_error(error).message;
            send_report(self, id);
          });
}

}  // namespace

void report_next(Self self, LeaseId id) {
  auto* held = self->state.leases->find(id);
  if (!held || held->unreported.empty() || held->report_in_flight) return;
  held->report_in_flight = true;
  if (!held->unreported.front().weights.empty())
    adopt_weights(self, id);
  else
    push_weights(self, id);
}

}  // namespace hadar::node_worker
