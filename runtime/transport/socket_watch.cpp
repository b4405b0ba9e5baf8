#include "runtime/transport/socket_watch.hpp"

#include <cerrno>
#include <cstring>

namespace hadar {
namespace {

constexpr int kEvents = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                        ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                        ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

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
    std::uint32_t value = 0;
    std::memcpy(&event, frame.data(), sizeof event);
    std::memcpy(&value, static_cast<const char*>(frame.data()) + sizeof event, sizeof value);
    const int descriptor = static_cast<int>(value);
    if (!receive(pair_, frame)) break;  // the address, not needed
    switch (event) {
      case ZMQ_EVENT_ACCEPTED: greeting_.insert(descriptor); break;
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        greeting_.erase(descriptor);
        news.connected = true;
        break;
      case ZMQ_EVENT_DISCONNECTED:
        news.not_zeromq += greeting_.erase(descriptor);
        news.lost = true;
        news.connected = false;
        break;
      default:  // a failed greeting; its value is no descriptor, and no DISCONNECTED follows
        news.not_zeromq += 1;
        break;
    }
  }
  return news;
}

}  // namespace hadar
