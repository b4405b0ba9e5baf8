#include "runtime/bridge/stub_requests.hpp"

#include <algorithm>

#include "runtime/bridge/caf_compat.hpp"
#include "runtime/bridge/wire_contract.hpp"

namespace hadar {

StubRequests::StubRequests(std::shared_ptr<BridgeHub> hub, ServeOptions options)
    : hub_(std::move(hub)), options_(options) {}

OpenRequestPtr StubRequests::open(const Inbound& request, caf::actor_clock::time_point now) {
  ++hub_->counters().requests_served;
  const Envelope& envelope = request.packet.envelope;
  auto opened =
      std::make_shared<OpenRequest>(OpenRequest{request.peer, envelope.target, envelope.correlation, request.slot});
  open_.emplace_back(now + options_.request_limit, opened);
  return opened;
}

void StubRequests::drop_answered() {
  while (!open_.empty() && !open_.front().second->slot) open_.pop_front();
}

void StubRequests::answer(OpenRequest& request, Packet packet) {
  if (!request.slot) {
    ++hub_->counters().answers_dropped;
    return;
  }
  request.slot.reset();
  auto sent = hub_->send(request.peer, std::move(packet));
  // An answer too large for the link is the asker's to know; all else it learns from the link or its time limit.
  if (!sent && sent.error().code == ErrorCode::kInvalidArgument)
    sent = hub_->send(request.peer, error_packet(request.target, request.correlation, sent.error()));
  if (!sent) ++hub_->counters().answers_dropped;
  drop_answered();
}

void StubRequests::answer(OpenRequest& request, const caf::error& error) {
  answer(request, error_packet(request.target, request.correlation, to_error(error)));
}

void StubRequests::refuse(const Inbound& message, Error why) {
  ++hub_->counters().bodies_refused;
  const Envelope& envelope = message.packet.envelope;
  if (envelope.flag != EnvelopeFlag::kRequest) return;
  if (!hub_->send(message.peer, error_packet(envelope.target, envelope.correlation, std::move(why))))
    ++hub_->counters().answers_dropped;
}

void StubRequests::sweep(caf::actor_clock::time_point now) {
  while (!open_.empty() && open_.front().first <= now) {
    const OpenRequestPtr late = open_.front().second;
    open_.pop_front();
    if (!late->slot) continue;
    ++hub_->counters().requests_timed_out;
    answer(*late, error_packet(late->target, late->correlation,
                               {ErrorCode::kTimedOut, "the actor did not answer within " +
                                                          std::to_string(options_.request_limit.count()) +
                                                          " ms; the outcome is unknown"}));
  }
  drop_answered();
}

std::chrono::milliseconds StubRequests::sweep_interval() const {
  return std::clamp(options_.request_limit / 8, std::chrono::milliseconds{1}, std::chrono::milliseconds{1000});
}

}  // namespace hadar
