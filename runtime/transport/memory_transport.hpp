// Transports of several "processes" inside one: for tests and for worlds without a network.
#pragma once

#include <memory>
#include <string>

#include "runtime/transport/transport.hpp"

namespace hadar {

// Joins transports. Packets arrive in the order they were sent, none is lost while a link is up. Thread-safe; must
// outlive its transports.
class Switchboard {
 public:
  enum class Delivery {
    kPumped,    // events are delivered inside pump(), on its caller's thread
    kOwnThread  // events are delivered on one thread of the switchboard
  };

  explicit Switchboard(Delivery delivery = Delivery::kPumped);
  ~Switchboard();
  Switchboard(const Switchboard&) = delete;
  Switchboard& operator=(const Switchboard&) = delete;

  // A transport that listens at self.endpoint (empty: it only connects). Names must differ. Its destructor takes its
  // links down, and no event is delivered to it after that.
  std::unique_ptr<Transport> join(PeerInfo self, TransportEvents events);

  // Delivers what waits, and what that brings about. Returns the number of events delivered. Only when kPumped.
  std::size_t pump();

  // Takes the link between two names down and keeps it down, until heal().
  void cut(const std::string& a, const std::string& b);
  void heal(const std::string& a, const std::string& b);

 private:
  friend class MemoryTransport;
  class Board;
  std::shared_ptr<Board> board_;
};

}  // namespace hadar
