// The transport of live processes: ZeroMQ over tcp:// and ipc://.
#pragma once

#include <memory>
#include <string>

#include "messages/types/result.hpp"
#include "runtime/transport/transport.hpp"
#include "runtime/transport/transport_options.hpp"

namespace hadar {

// One ROUTER for those who connect to us, one DEALER for each connect(), one thread that owns them all. The destructor
// says goodbye to every peer and returns within a second; no event is delivered after it.
class ZmqTransport final : public Transport {
 public:
  ~ZmqTransport() override;

  void connect(const std::string& endpoint) override;
  void disconnect(const std::string& endpoint) override;
  Status send(const std::string& peer, Packet packet) override;
  void set_directory(const std::map<std::string, std::string>& directory) override;
  [[nodiscard]] std::map<std::string, std::uint64_t> counters() const override;

  // Where others reach us: the first listening endpoint with its actual port, or the one set in the options; empty
  // when this process only connects.
  [[nodiscard]] const std::string& endpoint() const;
  // All listening endpoints as bound.
  [[nodiscard]] const std::vector<std::string>& bound() const;

 private:
  struct Parts;
  explicit ZmqTransport(std::unique_ptr<Parts> parts);
  friend Result<std::unique_ptr<ZmqTransport>> open_zmq_transport(TransportOptions, TransportEvents);

  std::unique_ptr<Parts> parts_;
};

// Binds, then starts. Errors: kInvalidArgument (options), kAlreadyExists (an endpoint is taken; the text names it and
// its setting), kIo. Nothing is left behind on failure.
Result<std::unique_ptr<ZmqTransport>> open_zmq_transport(TransportOptions options, TransportEvents events);

}  // namespace hadar
