#include "launchers/simulated_link.hpp"

#include <algorithm>
#include <caf/all.hpp>
#include <map>

#include "messages/types/split_mix.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar {

std::uint64_t SimulatedChance::next() {
  return split_mix(state_);
}

// Shared by the link and its wires, which may outlive it in messages under way.
struct SimulatedLink::Core {
  struct Open {  // a request under way
    caf::strong_actor_ptr asker;
    caf::message_id mid;
  };

  Core(caf::actor_system& actors, std::uint64_t seed, double mean_delay_s)
      : system(actors), chance(seed), delay_s(mean_delay_s) {}

  [[nodiscard]] bool happens(double probability) { return probability > 0 && chance.fraction() < probability; }

  void deliver(const caf::strong_actor_ptr& to, caf::mailbox_element_ptr what, bool outward) {
    if (!to || happens(trouble.loss)) return;
    if (happens(trouble.duplication))
      post(to, caf::make_mailbox_element(what->sender, what->mid, {}, what->copy_content_to_message()), outward);
    post(to, std::move(what), outward);
  }

  void post(const caf::strong_actor_ptr& to, caf::mailbox_element_ptr what, bool outward) {
    const auto mean_s = delay_s + trouble.delay_s;
    if (mean_s <= 0) return to->enqueue(std::move(what), nullptr);
    auto& clock = system.clock();
    auto arrival = clock.now() + std::chrono::nanoseconds(static_cast<std::int64_t>(2e9 * mean_s * chance.fraction()));
    auto& last = arrives[outward ? 1 : 0];
    if (!happens(trouble.reordering)) arrival = last = std::max(last, arrival);
    clock.schedule_message(arrival, to, std::move(what));
  }

  void refuse(const Open& request) {
    const auto error = to_caf(Error{ErrorCode::kUnreachable, "the simulated link is down"});
    request.asker->enqueue(caf::make_mailbox_element(nullptr, request.mid.response_id(), {}, error), nullptr);
  }

  void answered(std::uint64_t number, caf::mailbox_element& answer, bool outward) {
    const auto found = open.find(number);
    if (found == open.end()) return;  // given up when the link went down
    if (state == LinkState::kSilent) return;
    const auto request = found->second;
    open.erase(found);
    deliver(request.asker,
            caf::make_mailbox_element(nullptr, request.mid.response_id(), {}, answer.move_content_to_message()),
            outward);
  }

  caf::actor_system& system;
  SimulatedChance chance;
  double delay_s;
  LinkTrouble trouble;
  LinkState state = LinkState::kUp;
  std::map<std::uint64_t, Open> open;
  std::uint64_t last_open = 0;
  caf::actor_clock::time_point arrives[2] = {};  // of the last message, by direction
};

namespace {

using CorePtr = std::shared_ptr<SimulatedLink::Core>;

// Takes the answers to requests, which carry the link's own numbers.
class ReturnWire final : public caf::monitorable_actor {
 public:
  ReturnWire(caf::actor_config& config, CorePtr core, bool outward)
      : monitorable_actor(config), core_(std::move(core)), outward_(outward) {}

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    core_->answered(what->mid.request_id().integer_value(), *what, outward_);
  }

 private:
  CorePtr core_;
  bool outward_;
};

template <class Kind, class... Args>
caf::strong_actor_ptr spawn_wire(const CorePtr& core, Args&&... args) {
  caf::actor_config config;
  auto& system = core->system;
  return caf::make_actor<Kind, caf::strong_actor_ptr>(system.next_actor_id(), system.node(), &system, config, core,
                                                      std::forward<Args>(args)...);
}

caf::message_id renumbered(caf::message_id mid, std::uint64_t number) {
  return caf::message_id{(mid.integer_value() & ~caf::message_id::request_id_mask) | number};
}

class Wire final : public caf::monitorable_actor {
 public:
  Wire(caf::actor_config& config, CorePtr core, std::function<caf::strong_actor_ptr()> target,
       caf::strong_actor_ptr back, bool outward)
      : monitorable_actor(config),
        core_(std::move(core)),
        target_(std::move(target)),
        back_(std::move(back)),
        outward_(outward) {}

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    const auto to = target_();
    const SimulatedLink::Core::Open request{what->sender, what->mid};
    const bool asks = what->mid.is_request() && what->sender;
    if (core_->state == LinkState::kDown || !to) {
      if (asks) core_->refuse(request);
      return;
    }
    auto mid = what->mid;
    if (asks) {
      mid = renumbered(mid, ++core_->last_open);
      core_->open.emplace_hint(core_->open.end(), core_->last_open, request);
    }
    if (core_->state == LinkState::kSilent) return;
    core_->deliver(to, caf::make_mailbox_element(asks ? back_ : nullptr, mid, {}, what->move_content_to_message()),
                   outward_);
  }

 private:
  CorePtr core_;
  std::function<caf::strong_actor_ptr()> target_;
  caf::strong_actor_ptr back_;
  bool outward_;
};

}  // namespace

SimulatedLink::SimulatedLink(caf::actor_system& system, std::uint64_t seed, double delay_s)
    : core_(std::make_shared<Core>(system, seed, delay_s)) {
  for (const bool outward : {false, true}) back_[outward ? 1 : 0] = spawn_wire<ReturnWire>(core_, outward);
}

LinkState SimulatedLink::state() const {
  return core_->state;
}

void SimulatedLink::set_state(LinkState state) {
  core_->state = state;
  if (state != LinkState::kDown) return;
  for (const auto& [number, request] : std::exchange(core_->open, {})) core_->refuse(request);
}

void SimulatedLink::disturb(const LinkTrouble& trouble) {
  core_->trouble = trouble;
}

caf::strong_actor_ptr SimulatedLink::make_wire(std::function<caf::strong_actor_ptr()> target, bool outward) {
  return spawn_wire<Wire>(core_, std::move(target), back_[outward ? 0 : 1], outward);
}

}  // namespace hadar
