// Messages to an actor that may be away: written down one at a time, in order, each repeated until it is acknowledged.
#pragma once

#include <caf/error.hpp>
#include <deque>
#include <functional>
#include <utility>

#include "actors/cluster_clock.hpp"
#include "messages/types/control.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar {

// Lives in the state of the actor that sends; used on that actor only. Unbounded: the facts of a cluster that cannot
// be written down may not be dropped, and come at most once per lease or node.
template <class Message>
class Outbox {
 public:
  // `done` is called when the message is acknowledged or dropped; may be empty.
  void push(Message message, std::function<void()> done = {}) {
    waiting_.push_back({std::move(message), std::move(done)});
  }

  // Sends the oldest message to `to`, and the next when it is acknowledged. One that `to` says it knows nothing of
  // (kNotFound) is dropped; after any other error `self` sends itself `again`, upon which it calls this again.
  template <class Self, class Handle, class Again>
  void flush(Self self, const Handle& to, caf::duration limit, const Again& again) {
    if (waiting_.empty() || in_flight_) return;
    in_flight_ = true;
    const auto done = [this, self, to, limit, again] {
      in_flight_ = false;
      const auto told = std::move(waiting_.front().done);
      waiting_.pop_front();
      if (told) told();
      flush(self, to, limit, again);
    };
    self->request(to, limit, waiting_.front().message)
        .then([done](const Ack&) { done(); },
              [this, self, done, again](const caf::error& error) {
                if (to_error(error).code == ErrorCode::kNotFound) return done();
                in_flight_ = false;
                self->delayed_send(self, caf_delay(kRetry_s), again);
              });
  }

 private:
  static constexpr double kRetry_s = 0.5;

  struct Waiting {
    Message message;
    std::function<void()> done;
  };

  std::deque<Waiting> waiting_;
  bool in_flight_ = false;
};

}  // namespace hadar
