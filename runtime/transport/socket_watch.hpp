// What a socket's connections go through, as ZeroMQ's monitor tells it. Private to this room.
#pragma once

#include <string>
#include <zmq.hpp>

namespace hadar {

// Counts since the last poll.
struct WatchNews {
  bool connected = false;      // the last thing that happened to the connection
  bool lost = false;           // a connection that had worked ended
  std::size_t not_zeromq = 0;  // accepted connections that never spoke ZeroMQ's protocol
};

class SocketWatch {
 public:
  // `name` must be unique in the context. The watch must end before its socket. Throws zmq::error_t when the system has
  // no descriptors left.
  SocketWatch(zmq::context_t& context, zmq::socket_t& watched, const std::string& name);
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  [[nodiscard]] void* handle() { return pair_.handle(); }
  // Takes all waiting events; never waits.
  WatchNews poll();

 private:
  zmq::socket_t& watched_;
  zmq::socket_t pair_;
};

}  // namespace hadar
