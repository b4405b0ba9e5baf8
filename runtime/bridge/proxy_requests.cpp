#include "runtime/bridge/proxy_requests.hpp"

#include <algorithm>

#include "runtime/bridge/caf_compat.hpp"

namespace hadar {

ProxyRequests::ProxyRequests(std::shared_ptr<BridgeHub> hub, std::uint32_t number, ProxyOptions options,
                             std::string target)
    : hub_(std::move(hub)),
      base_(std::uint64_t{number} << BridgeHub::kSequenceBits),
      options_(options),
      target_(std::move(target)) {}

std::uint64_t ProxyRequests::next_correlation() {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << BridgeHub::kSequenceBits) - 1;
  return base_ | (++sequence_ & kMask);
}

Error ProxyRequests::not_up() const {
  return {ErrorCode::kUnreachable, target_ + " is not up: " + why_down_};
}

void ProxyRequests::ask(Packet request, caf::response_promise promise, Finish finish, CafTime now) {
  if (peer_.empty()) return promise.deliver(to_caf(not_up()));
  if (pending_.size() >= options_.max_pending)
    return promise.deliver(to_caf({ErrorCode::kOverloaded, std::to_string(pending_.size()) + " requests to " + target_ +
                                                               " are open; try again later"}));
  const std::uint64_t correlation = request.envelope.correlation;
  if (auto sent = hub_->send(peer_, std::move(request)); !sent) return promise.deliver(to_caf(sent.error()));
  ++hub_->counters().requests_sent;
  pending_.emplace(correlation, Pending{std::move(promise), finish});
  deadlines_.emplace_back(now + options_.request_limit, correlation);
}

void ProxyRequests::tell(Packet message) {
  if (peer_.empty() || !hub_->send(peer_, std::move(message))) ++hub_->counters().oneways_dropped;
}

void ProxyRequests::refuse_local(caf::response_promise promise) {
  promise.deliver(
      to_caf({ErrorCode::kInvalidArgument, "this message stays inside a process; the actor asked is in another one"}));
}

void ProxyRequests::on_answer(const Inbound& answer) {
  const auto found = pending_.find(answer.packet.envelope.correlation);
  if (found == pending_.end() || answer.peer != peer_) {
    ++hub_->counters().answers_dropped;
    return;
  }
  Pending asked = std::move(found->second);
  pending_.erase(found);
  while (!deadlines_.empty() && !pending_.contains(deadlines_.front().second)) deadlines_.pop_front();
  if (answer.packet.envelope.error)
    asked.promise.deliver(to_caf(*answer.packet.envelope.error));
  else
    asked.finish(asked.promise, answer.packet, hub_->counters());
}

void ProxyRequests::on_change(const PeerChange& change) {
  if (change.up) {
    peer_ = change.peer;
    return;
  }
  peer_.clear();
  why_down_ = change.why;
  fail_all({ErrorCode::kUnreachable,
            target_ + " went down before it answered (" + change.why + "); the outcome is unknown"});
}

void ProxyRequests::fail_all(const Error& error) {
  auto failed = std::move(pending_);
  pending_.clear();
  deadlines_.clear();
  for (auto& [correlation, asked] : failed) asked.promise.deliver(to_caf(error));
}

bool ProxyRequests::sweep(CafTime now) {
  while (!deadlines_.empty() && deadlines_.front().first <= now) {
    const auto found = pending_.find(deadlines_.front().second);
    deadlines_.pop_front();
    if (found == pending_.end()) continue;
    Pending late = std::move(found->second);
    pending_.erase(found);
    ++hub_->counters().requests_timed_out;
    late.promise.deliver(to_caf({ErrorCode::kTimedOut, target_ + " did not answer within " +
                                                           std::to_string(options_.request_limit.count()) +
                                                           " ms; the outcome is unknown"}));
  }
  return !pending_.empty();
}

std::chrono::milliseconds ProxyRequests::sweep_interval() const {
  return std::clamp(options_.request_limit / 8, std::chrono::milliseconds{1}, std::chrono::milliseconds{250});
}

}  // namespace hadar
