#include "runtime/transport/zmq_transport.hpp"

#include <thread>
#include <utility>

#include "messages/codec/envelope_codec.hpp"
#include "messages/types/check.hpp"
#include "runtime/transport/endpoints.hpp"
#include "runtime/transport/io_loop.hpp"

namespace hadar {

struct ZmqTransport::Parts {
  TransportOptions options;
  TransportEvents events;
  TransportCounters counters;
  std::vector<std::string> bound;
  zmq::context_t context{1};
  Outbox outbox;
  std::unique_ptr<IoLoop> loop;
  std::thread thread;

  Parts(TransportOptions given, TransportEvents sinks)
      : options(std::move(given)),
        events(std::move(sinks)),
        outbox(options.queue_packets, options.queue_bytes, counters) {
    context.set(zmq::ctxopt::max_sockets, 4096);
  }
};

ZmqTransport::ZmqTransport(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ZmqTransport::~ZmqTransport() {
  parts_->outbox.push(command::Stop{});
  parts_->thread.join();
  // Sockets first: the context waits for them, at most for their linger.
  parts_->loop.reset();
}

Result<std::unique_ptr<ZmqTransport>> open_zmq_transport(TransportOptions options, TransportEvents events) {
  if (auto checked = check_options(options); !checked) return fail(std::move(checked));
  auto parts = std::make_unique<ZmqTransport::Parts>(std::move(options), std::move(events));
  zmq::socket_t router;
  if (!parts->options.listen.empty()) {
    router = zmq::socket_t(parts->context, zmq::socket_type::router);
    configure_router(router, parts->options);
    auto bound = bind_all(router, parts->options);
    if (!bound) return fail(std::move(bound));
    parts->bound = std::move(*bound);
    if (parts->options.self.endpoint.empty())
      parts->options.self.endpoint = reachable(parts->bound.front(), parts->options.advertise_host);
  }
  parts->loop = std::make_unique<IoLoop>(parts->context, std::move(router), parts->options, parts->events,
                                         parts->outbox, parts->counters);
  parts->thread = std::thread([loop = parts->loop.get()] { loop->run(); });
  return std::unique_ptr<ZmqTransport>(new ZmqTransport(std::move(parts)));
}

void ZmqTransport::connect(const std::string& endpoint) {
  parts_->outbox.push(command::Connect{endpoint});
}

void ZmqTransport::disconnect(const std::string& endpoint) {
  parts_->outbox.push(command::Disconnect{endpoint});
}

Status ZmqTransport::send(const std::string& peer, Packet packet) {
  HADAR_REQUIRE(packet.envelope.kind == MessageKind::kNone || packet.envelope.kind >= MessageKind::kAck);
  const TransportOptions& limits = parts_->options;
  auto envelope = encode_envelope(packet.envelope);
  if (envelope.size() > limits.max_envelope_bytes || packet.body.size() > limits.max_body_bytes ||
      packet.payload.size() > limits.max_payload_bytes)
    return fail(ErrorCode::kInvalidArgument, "send to \"" + peer + "\": a frame of " +
                                                 std::to_string(std::max(packet.body.size(), packet.payload.size())) +
                                                 " bytes is over the limit; send it in chunks");
  return parts_->outbox.send(
      peer, Outgoing{Payload(std::move(envelope)), std::move(packet.body), std::move(packet.payload), nullptr});
}

void ZmqTransport::set_directory(const std::map<std::string, std::string>& directory) {
  parts_->outbox.push(command::SetDirectory{directory});
}

std::map<std::string, std::uint64_t> ZmqTransport::counters() const {
  return parts_->counters.snapshot();
}

const std::string& ZmqTransport::endpoint() const {
  return parts_->options.self.endpoint;
}

const std::vector<std::string>& ZmqTransport::bound() const {
  return parts_->bound;
}

}  // namespace hadar
