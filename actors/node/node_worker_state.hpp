// The inside of node_worker, shared by its sources: what it says to itself, and its state.
#pragma once

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "actors/cluster_clock.hpp"
#include "actors/node/node_leases.hpp"
#include "actors/node/node_worker_actor.hpp"

namespace hadar::node_worker {

struct SayHello {};
struct Tick {};
struct OutageOver {
  std::uint64_t outage = 0;
};
struct TryReport {
  LeaseId lease;
};
struct LoadAgain {
  LeaseId lease;
};
struct TellEnded {
  LeaseEnded message;
};

}  // namespace hadar::node_worker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::node_worker::SayHello)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::node_worker::Tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::node_worker::OutageOver)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::node_worker::TryReport)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::node_worker::LoadAgain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::node_worker::TellEnded)

namespace hadar::node_worker {

constexpr double kRetry_s = 0.5;

struct State {
  static inline const char* name = "node_worker";

  NodeWorkerOptions options;
  NodeWorkerPeers peers;
  std::shared_ptr<Executor> executor;
  std::function<Result<std::filesystem::path>(const BlobRef&)> path_of;
  std::optional<NodeLeases> leases;
  std::optional<ClusterClock> clock;
  bool linked = false;
  std::uint64_t outages = 0;
  double round_s = 60;
  double outage_grace_s = 60;
  std::optional<double> tick_s;        // when the next tick comes
  double sample_s = 0;                 // when progress is told next; 0 = none to tell
  std::map<JobId, double> idle_since;  // jobs whose trainers may still be warm

  [[nodiscard]] double now_s() const { return clock->now_s(); }
};

using Wide = LocalNodeWorker::extend<Takes<SayHello>, Takes<Tick>, Takes<OutageOver>, Takes<TryReport>,
                                     Takes<LoadAgain>, Takes<TellEnded>>;
using Self = Wide::stateful_pointer<State>;

inline caf::duration request_limit(Self self) {
  return caf_limit(self->state.options.request_limit_s);
}

// A tick comes at `t_s` or before. A node where nothing is due has none.
inline void tick_at(Self self, double t_s) {
  auto& state = self->state;
  if (state.tick_s && *state.tick_s <= t_s) return;
  state.tick_s = t_s;
  self->delayed_send(self, caf_delay(t_s - state.now_s()), Tick{});
}

}  // namespace hadar::node_worker
