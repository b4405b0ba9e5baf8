// A plain ZeroMQ socket that speaks to a transport as a stranger would.
#pragma once

#include <string>
#include <vector>
#include <zmq.hpp>

#include "messages/codec/envelope_codec.hpp"
#include "messages/codec/link_codec.hpp"
#include "tests/unit/transport/test_peer.hpp"

namespace hadar::test {

inline std::string wire_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class RawSocket {
 public:
  explicit RawSocket(const std::string& endpoint) {
    socket_.set(zmq::sockopt::linger, 1000);
    socket_.set(zmq::sockopt::ipv6, true);
    socket_.set(zmq::sockopt::sndtimeo, 10'000);
    socket_.set(zmq::sockopt::rcvtimeo, 10'000);
    socket_.connect(endpoint);
  }

  void send(const std::vector<std::string>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i)
      socket_.send(zmq::buffer(frames[i]), i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }

  template <class Message>
  void tell(const Message& message) {
    Envelope envelope;
    envelope.kind = Codec<Message>::kind;
    send({wire_text(encode_envelope(envelope)), wire_text(Codec<Message>::encode(message).body)});
  }

  void say_hello(const std::string& name, std::uint64_t incarnation = 1) {
    LinkHello hello;
    hello.cluster_id = "lab";
    hello.self.name = name;
    hello.self.incarnation = incarnation;
    tell(hello);
  }

  // The kind of the next message; kNone when none came in time.
  MessageKind receive() {
    zmq::message_t frame;
    if (!socket_.recv(frame)) return MessageKind::kNone;
    const auto envelope = decode_envelope({static_cast<const std::byte*>(frame.data()), frame.size()});
    while (frame.more()) (void)socket_.recv(frame);
    return envelope ? envelope->kind : MessageKind::kNone;
  }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_{context_, zmq::socket_type::dealer};
};

}  // namespace hadar::test
