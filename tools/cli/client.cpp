#include "tools/cli/client.hpp"

#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <random>
#include <unistd.h>

#include "runtime/transport/zmq_transport.hpp"
#include "tools/cli/interrupt.hpp"

namespace hadar::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSlice = std::chrono::milliseconds(100);  // how soon Ctrl-C is noticed

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Unlike any other client's, however many run at once.
std::pair<std::string, std::uint64_t> fresh_identity() {
  std::random_device random;
  const std::uint64_t incarnation = (static_cast<std::uint64_t>(random()) << 32U) | random();
  return {fmt::format("client-{}-{:08x}", getpid(), incarnation & 0xffffffffU), incarnation};
}

}  // namespace

// What the transport's thread and the command's thread share.
struct Client::Link {
  std::string endpoint;
  double limit_s = 10;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::string> peer;  // the gateway, while the link is up
  std::optional<Error> refused;
  std::uint64_t correlation = 0;  // of the request being waited for
  bool lost = false;              // the link broke while it was under way
  std::optional<Packet> answer;
  std::unique_ptr<Transport> transport;  // last: its thread ends before the rest goes

  void on_up(const PeerInfo& info) {
    const std::lock_guard lock(mutex);
    peer = info.name;
    changed.notify_all();
  }
  void on_down(const std::string& name) {
    const std::lock_guard lock(mutex);
    if (peer == name) peer.reset();
    lost = true;
    changed.notify_all();
  }
  void on_packet(Packet packet) {
    const std::lock_guard lock(mutex);
    const auto flag = packet.envelope.flag;
    if (packet.envelope.correlation != correlation || (flag != EnvelopeFlag::kReply && flag != EnvelopeFlag::kError))
      return;
    answer = std::move(packet);
    changed.notify_all();
  }
  void on_refused(const Error& why) {
    const std::lock_guard lock(mutex);
    refused = why;
    changed.notify_all();
  }

  // Waits until `ready`, the deadline or Ctrl-C.
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, Clock::time_point deadline, Ready ready) {
    while (!ready() && !interrupted() && Clock::now() < deadline)
      changed.wait_until(lock, std::min(deadline, Clock::now() + kSlice));
  }
};

Client::Client(std::unique_ptr<Link> link) : link_(std::move(link)) {}
Client::~Client() = default;
const std::string& Client::endpoint() const {
  return link_->endpoint;
}

Result<std::unique_ptr<Client>> Client::open(const ClusterLocation& where, double limit_s) {
  auto link = std::make_unique<Link>();
  link->endpoint = where.endpoint;
  link->limit_s = limit_s;
  TransportOptions options;
  options.cluster_id = where.cluster_id;
  const auto [name, incarnation] = fresh_identity();
  options.self.name = name;
  options.self.roles = {"client"};
  options.self.incarnation = incarnation;
  options.self.pid = static_cast<std::uint64_t>(getpid());
  options.reconnect_max = std::chrono::milliseconds(500);
  TransportEvents events;
  events.on_up = [raw = link.get()](const PeerInfo& info) { raw->on_up(info); };
  events.on_down = [raw = link.get()](const std::string& peer, const Error&) { raw->on_down(peer); };
  events.on_packet = [raw = link.get()](const std::string&, Packet packet) { raw->on_packet(std::move(packet)); };
  events.on_refused = [raw = link.get()](const std::string&, const Error& why) { raw->on_refused(why); };
  auto transport = open_zmq_transport(std::move(options), std::move(events));
  if (!transport) return fail(std::move(transport));
  link->transport = std::move(*transport);
  link->transport->connect(where.endpoint);
  return std::unique_ptr<Client>(new Client(std::move(link)));
}

Result<Answer> Client::exchange(MessageKind kind, Encoded request, Effect effect) {
  auto& link = *link_;
  const auto deadline = after(link.limit_s);
  std::unique_lock lock(link.mutex);
  link.wait(lock, deadline, [&] { return link.peer || link.refused; });
  if (link.refused) return fail(link.refused->code, link.endpoint + ": " + link.refused->message);
  if (!link.peer)
    return fail(ErrorCode::kUnreachable,
                fmt::format("{}: no gateway answers there within {} s; nothing was sent", link.endpoint, link.limit_s));
  link.answer.reset();
  link.lost = false;
  const auto peer = *link.peer;
  Packet packet;
  packet.envelope = {.kind = kind,
                     .target = ActorKey::kGateway,
                     .flag = EnvelopeFlag::kRequest,
                     .correlation = ++link.correlation,
                     .error = std::nullopt};
  packet.body = Payload(std::move(request.body));
  packet.payload = std::move(request.payload);
  lock.unlock();
  if (auto sent = link.transport->send(peer, std::move(packet)); !sent)
    return fail(sent.error().code, link.endpoint + ": " + sent.error().message);
  lock.lock();
  link.wait(lock, deadline, [&] { return link.answer || link.lost; });
  if (!link.answer)
    return fail(
        ErrorCode::kTimedOut,
        fmt::format("{}: {} {}", link.endpoint,
                    link.lost ? std::string("the link broke before an answer came;")
                              : fmt::format("no answer within {} s;", link.limit_s),
                    effect == Effect::kChanges ? "outcome unknown, look with hadar jobs or hadar nodes" : "try again"));
  auto& envelope = link.answer->envelope;
  if (envelope.flag == EnvelopeFlag::kError) {
    auto error = envelope.error.value_or(Error{ErrorCode::kInternal, "the gateway told an error without a text"});
    if (effect == Effect::kChanges && error.code == ErrorCode::kTimedOut) error.message += "; outcome unknown";
    return fail(error.code, error.message);
  }
  return Answer{envelope.kind, std::move(link.answer->body), std::move(link.answer->payload)};
}

tl::unexpected<Error> Client::wrong_kind(MessageKind kind) const {
  return fail(ErrorCode::kCorrupt, fmt::format("{}: answered with a message of kind {}; are both of one release?",
                                               link_->endpoint, static_cast<unsigned>(kind)));
}

Result<std::unique_ptr<Client>> open_client(const Where& where) {
  auto place = locate(where);
  if (!place) return fail(std::move(place));
  return Client::open(*place, where.limit_s);
}

}  // namespace hadar::cli
