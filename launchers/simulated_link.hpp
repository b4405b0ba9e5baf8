// What lies between two simulated processes: messages that take a while, vanish, or cannot be sent at all.
#pragma once

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "messages/types/error.hpp"

namespace hadar {

// Numbers from a seed, the same on every machine.
class SimulatedChance {
 public:
  explicit SimulatedChance(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  // 0 to below 1.
  double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // 0 to n - 1; n > 0.
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

enum class LinkState {
  kUp,
  kSilent,  // broken, nobody noticed yet: messages vanish
  kDown,    // known to be broken: requests are answered kUnreachable at once
};

// What a link does to single messages. Beyond what a real link does (TCP keeps order and loses nothing but the link
// itself), to see that nothing rests on that.
struct LinkTrouble {
  double delay_s = 0;      // mean, on top of the link's own
  double loss = 0;         // parts of all messages: 0 to 1
  double duplication = 0;  // comes a second time, later
  double reordering = 0;   // does not wait for those sent before it

  friend bool operator==(const LinkTrouble&, const LinkTrouble&) = default;
};

// One link, both ways, any number of wires. Without trouble, messages of one direction keep their order, and what is
// lost is lost with the link.
class SimulatedLink {
 public:
  // Messages take up to twice `delay_s` (mean; 0 = none).
  SimulatedLink(caf::actor_system& system, std::uint64_t seed, double delay_s);

  // A handle that passes everything on to what `target` gives at the time; nothing there is as good as a link that is
  // down. `outward` tells the two directions apart.
  template <class Handle>
  Handle wire(std::function<Handle()> target, bool outward) {
    return caf::actor_cast<Handle>(
        make_wire([target] { return caf::actor_cast<caf::strong_actor_ptr>(target()); }, outward));
  }

  [[nodiscard]] LinkState state() const;
  // Into kDown open requests are answered kUnreachable; late answers are dropped.
  void set_state(LinkState state);
  void disturb(const LinkTrouble& trouble);

  struct Core;

 private:
  caf::strong_actor_ptr make_wire(std::function<caf::strong_actor_ptr()> target, bool outward);

  std::shared_ptr<Core> core_;
  caf::strong_actor_ptr back_[2];  // take the answers, by direction
};

}  // namespace hadar
