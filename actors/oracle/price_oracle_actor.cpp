#include "actors/oracle/price_oracle_actor.hpp"

#include <caf/all.hpp>
#include <deque>

#include "runtime/bridge/caf_compat.hpp"

namespace hadar::price_oracle {
namespace {

constexpr std::size_t kHistoryMax = 10000;  // boards kept; the oldest goes

struct State {
  static inline const char* name = "price_oracle";

  PriceSettings settings;
  std::deque<PriceBoard> history;
};

using Self = PriceOracleActor::stateful_pointer<State>;

caf::result<PriceBoard> price(Self self, const PriceRound& request) {
  auto& state = self->state;
  if (!request.input) return to_caf(Error{ErrorCode::kInvalidArgument, "price_round: no input"});
  const auto previous = state.history.empty() ? PriceBoard{} : state.history.back();
  state.history.push_back(make_prices(*request.input, state.settings, previous));
  if (state.history.size() > kHistoryMax) state.history.pop_front();
  return state.history.back();
}

PriceHistory latest(Self self, std::uint32_t rounds) {
  const auto& history = self->state.history;
  const auto count = std::min<std::size_t>(rounds, history.size());
  return PriceHistory{{history.end() - static_cast<std::ptrdiff_t>(count), history.end()}};
}

PriceOracleActor::behavior_type behavior(Self self, const PriceSettings& settings) {
  self->state.settings = settings;
  return {
      [self](const PriceRound& request) { return price(self, request); },
      [self](const QueryPrices& query) { return latest(self, query.rounds); },
  };
}

}  // namespace
}  // namespace hadar::price_oracle

namespace hadar {

PriceOracleActor spawn_price_oracle(caf::actor_system& system, SpawnMode mode, PriceSettings settings) {
  return spawn_as(system, mode, price_oracle::behavior, settings);
}

}  // namespace hadar
