#include "runtime/transport/socket_watch.hpp"

#include <cerrno>
#include <cstring>

namespace hadar {
namespace {

constexpr int kEvents = ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                        ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

bool receive(zmq::socket_t& socket, zmq::message_t& frame) {
  int rc = 0;
  do {
    rc = zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT);
  } while (rc < 0 && errno == EINTR);
  return rc >= 0;
}

}  // namespace

SocketWatch::SocketWatch(zmq::context_t& context, zmq::socket_t& watched, const std::string& name)
    : watched_(watched), pair_(context, zmq::socket_type::pair) {
  const std::string address = "inproc://watch-" + name;
  pair_.set(zmq::sockopt::linger, 0);
  if (zmq_socket_monitor(watched.handle(), address.c_str(), kEvents) != 0) throw zmq::error_t();
  pair_.connect(address);
}

SocketWatch::~SocketWatch() {
  zmq_socket_monitor(watched_.handle(), nullptr, 0);
}

WatchNews SocketWatch::poll() {
  WatchNews news;
  zmq::message_t frame;
  while (receive(pair_, frame)) {
    std::uint16_t event = 0;
    std::memcpy(&event, frame.data(), sizeof event);
    if (!receive(pair_, frame)) break;  // the address, not needed
    switch (event) {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: news.connected = true; break;
      case ZMQ_EVENT_DISCONNECTED:
        news.lost = true;
        news.connected = false;
        break;
      default:  // a failed greeting, told once whether or not DISCONNECTED follows
        news.not_zeromq += 1;
        break;
    }
  }
  return news;
}

}  // namespace hadar
