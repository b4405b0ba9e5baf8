#include "actors/gateway/gateway_actor.hpp"

#include <caf/all.hpp>

#include "actors/cluster_clock.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar::gateway_actor {
namespace {

constexpr double kHealthLimit_s = 1;
constexpr std::uint32_t kLogPartMax = 1 << 20;

struct State {
  static inline const char* name = "gateway";

  GatewayOptions options;
  GatewayPeers peers;
};

using Self = GatewayActor::stateful_pointer<State>;

std::chrono::microseconds request_limit(Self self) {
  return caf_delay(self->state.options.request_limit_s);
}

// Passes a request on and its answer back.
template <class Answer, class Handle, class Request>
caf::result<Answer> pass(Self self, const Handle& handle, const Request& request) {
  auto promise = self->template make_response_promise<Answer>();
  self->request(handle, request_limit(self), request)
      .then([promise](const Answer& answer) mutable { promise.deliver(answer); },
            [promise](caf::error& error) mutable { promise.deliver(std::move(error)); });
  return promise;
}

caf::result<JobSubmitted> submit(Self self, const SubmitJob& request) {
  const auto& state = self->state;
  if (state.options.validate)
    if (auto valid = state.options.validate(request.spec); !valid) return to_caf(valid.error());
  return pass<JobSubmitted>(self, state.peers.ledger, request);
}

// ---- logs ----

using LogPromise = caf::typed_response_promise<LogPart>;

void read_log_on(Self self, const NodeName& node, const QueryLog& query, LogPromise promise) {
  const auto worker = self->state.peers.node_worker(node);
  if (!worker) {
    promise.deliver(to_caf(Error{ErrorCode::kUnreachable, "node " + node + " has no link"}));
    return;
  }
  auto bounded = query;
  bounded.max_bytes = std::min(query.max_bytes, kLogPartMax);
  self->request(worker, request_limit(self), bounded)
      .then([promise](const LogPart& part) mutable { promise.deliver(part); },
            [promise](caf::error& error) mutable { promise.deliver(std::move(error)); });
}

// Nodes that have a log of this fork are asked in turn; the first that has one answers.
void search_log(Self self, std::vector<NodeName> nodes, const QueryLog& query, LogPromise promise) {
  if (nodes.empty()) {
    promise.deliver(
        to_caf(Error{ErrorCode::kNotFound, "log: no node that is up has one of job " + std::to_string(query.job.value) +
                                               ", fork " + std::to_string(query.fork)}));
    return;
  }
  const auto worker = self->state.peers.node_worker(nodes.back());
  nodes.pop_back();
  if (!worker) return search_log(self, std::move(nodes), query, std::move(promise));
  self->request(worker, request_limit(self), query)
      .then([promise](const LogPart& part) mutable { promise.deliver(part); },
            [self, nodes, query, promise](const caf::error&) { search_log(self, nodes, query, promise); });
}

caf::result<LogPart> read_log(Self self, const QueryLog& query) {
  auto promise = self->make_response_promise<LogPart>();
  if (!query.node.empty()) {
    read_log_on(self, query.node, query, promise);
    return promise;
  }
  self->request(self->state.peers.round_flow, request_limit(self), QueryNodes{})
      .then(
          [self, query, promise](const NodeList& list) {
            std::vector<NodeName> names;
            for (auto node = list.nodes.rbegin(); node != list.nodes.rend(); ++node)
              names.push_back(node->inventory.name);
            search_log(self, std::move(names), query, promise);
          },
          [promise](caf::error& error) mutable { promise.deliver(std::move(error)); });
  return promise;
}

// ---- health ----

struct HealthSweep {
  ClusterHealth health;
  std::size_t unanswered = 0;
  caf::typed_response_promise<ClusterHealth> promise;
};

caf::result<ClusterHealth> read_health(Self self) {
  auto sweep = std::make_shared<HealthSweep>();
  sweep->promise = self->make_response_promise<ClusterHealth>();
  sweep->health.cluster_id = self->state.options.cluster_id;
  const auto processes = self->state.peers.health();
  sweep->unanswered = processes.size();
  const auto add = [sweep](ProcessHealth process) {
    sweep->health.processes.push_back(std::move(process));
    if (--sweep->unanswered > 0) return;
    auto& all = sweep->health.processes;
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    sweep->promise.deliver(sweep->health);
  };
  for (const auto& [name, actor] : processes)
    self->request(actor, caf_delay(kHealthLimit_s), QueryHealth{}).then(add, [add, process = name](const caf::error&) {
      add(ProcessHealth{process, false, 0, 0, {}});
    });
  if (processes.empty()) sweep->promise.deliver(sweep->health);
  return sweep->promise;
}

GatewayActor::behavior_type behavior(Self self, const GatewayOptions& options, const GatewayPeers& peers) {
  self->state.options = options;
  self->state.peers = peers;
  return {
      [self](const SubmitJob& m) { return submit(self, m); },
      [self](const CommandJob& m) { return pass<Ack>(self, self->state.peers.ledger, m); },
      [self](const QueryJobs& m) { return pass<JobList>(self, self->state.peers.ledger, m); },
      [self](const QueryNodes& m) { return pass<NodeList>(self, self->state.peers.round_flow, m); },
      [self](const CommandNode& m) { return pass<Ack>(self, self->state.peers.membership, m); },
      [self](const QueryPrices& m) { return pass<PriceHistory>(self, self->state.peers.price_oracle, m); },
      [self](const QueryEvents& m) { return pass<EventPage>(self, self->state.peers.ledger, m); },
      [self](const QueryLog& m) { return read_log(self, m); },
      [self](const QueryHealth&) { return read_health(self); },
      [self](const StatBlob& m) { return pass<BlobStat>(self, self->state.peers.blob_keeper, m); },
      [self](const GetBlobChunk& m) { return pass<BlobChunk>(self, self->state.peers.blob_keeper, m); },
  };
}

}  // namespace
}  // namespace hadar::gateway_actor

namespace hadar {

GatewayActor spawn_gateway(caf::actor_system& system, SpawnMode mode, GatewayOptions options, GatewayPeers peers) {
  return spawn_as(system, mode, gateway_actor::behavior, std::move(options), std::move(peers));
}

}  // namespace hadar
