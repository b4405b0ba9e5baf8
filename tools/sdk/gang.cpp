#include "tools/sdk/gang.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hadar::sdk {
namespace {

constexpr std::uint32_t kMagic = 0x48645231;
constexpr int kLimitS = 30;  // of gathering, and of silence in the middle of an exchange
constexpr int kRetryMs = 50;

enum class FrameKind : std::uint32_t { kHello = 1, kWelcome, kReady, kDecision, kReduce, kSum };

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string last_error() {
  return errno == EAGAIN ? "no answer for 30 s" : std::strerror(errno);
}

void set_up(int socket) {
  const int on = 1;
  const timeval limit{kLimitS, 0};
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool send_all(int socket, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const auto sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t size) {
  auto* bytes = static_cast<char*>(data);
  while (size > 0) {
    const auto got = ::recv(socket, bytes, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = ECONNRESET;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool readable(int socket) {
  pollfd item{socket, POLLIN, 0};
  return poll(&item, 1, 0) > 0;
}

struct Address {
  addrinfo* list = nullptr;
  ~Address() {
    if (list != nullptr) freeaddrinfo(list);
  }
};

Status resolve(const std::string& rendezvous, Address& address) {
  const auto colon = rendezvous.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return fail(ErrorCode::kInvalidArgument, "the gang's rendezvous '" + rendezvous + "' is not host:port");
  std::string host = rendezvous.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  const int failed = getaddrinfo(host.c_str(), rendezvous.substr(colon + 1).c_str(), &hints, &address.list);
  if (failed != 0)
    return fail(ErrorCode::kInvalidArgument,
                "the gang's rendezvous '" + rendezvous + "' cannot be resolved: " + gai_strerror(failed));
  return {};
}

Result<int> listen_at(const std::string& rendezvous) {
  Address address;
  if (auto resolved = resolve(rendezvous, address); !resolved) return fail(std::move(resolved));
  const int listener = socket(address.list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (listener >= 0 && bind(listener, address.list->ai_addr, address.list->ai_addrlen) == 0 &&
      listen(listener, 64) == 0)
    return listener;
  auto failed = fail(ErrorCode::kIo, "rank 0 cannot listen at " + rendezvous + ": " + std::strerror(errno));
  if (listener >= 0) close(listener);
  return failed;
}

// -1: nobody listens there yet.
int connect_to(const addrinfo& where) {
  const int peer = socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (peer < 0) return -1;
  set_up(peer);
  if (connect(peer, where.ai_addr, where.ai_addrlen) == 0) return peer;
  close(peer);
  return -1;
}

tl::unexpected<Error> gave_up() {
  return fail(ErrorCode::kRefused, "the lease ended while the gang was waiting");
}

}  // namespace

// Fixed layout, little-endian on every machine this runs on; `count` floats follow a kReduce and a kSum.
struct Gang::Frame {
  std::uint32_t magic = kMagic;
  FrameKind kind{};
  std::uint64_t count = 0;  // hello: the world size
  std::uint32_t value = 0;  // hello: the rank; ready: 1 = wants the end; decision: a LeaseEndReason
  std::uint32_t unused = 0;
  double pace = 0;
};

Gang::~Gang() {
  for (const int peer : peers_)
    if (peer >= 0) close(peer);
}

Error Gang::gone(std::size_t peer, const std::string& how) const {
  return {ErrorCode::kUnreachable, "gang member " + std::to_string(rank_ == 0 ? peer : 0) + " is gone: " + how};
}

Status Gang::send(std::size_t peer, const Frame& frame, std::span<const float> values) {
  if (send_all(peers_[peer], &frame, sizeof frame) && send_all(peers_[peer], values.data(), values.size_bytes()))
    return {};
  return tl::unexpected(gone(peer, last_error()));
}

Result<Gang::Frame> Gang::receive(std::size_t peer) {
  Frame frame;
  if (!receive_all(peers_[peer], &frame, sizeof frame)) return tl::unexpected(gone(peer, last_error()));
  if (frame.magic != kMagic) return fail(ErrorCode::kCorrupt, "a gang member does not speak the gang's protocol");
  return frame;
}

Result<std::unique_ptr<Gang>> Gang::join(std::uint32_t rank, std::uint32_t world_size, const std::string& rendezvous,
                                         double pace_steps_per_s, const GangWait& wait) {
  std::unique_ptr<Gang> gang(new Gang(rank, world_size));
  gang->pace_ = pace_steps_per_s;
  if (rank > 0) {
    if (auto called = gang->call(rendezvous, pace_steps_per_s, wait); !called) return fail(std::move(called));
    return gang;
  }
  auto listener = listen_at(rendezvous);
  if (!listener) return fail(std::move(listener));
  auto gathered = gang->gather(*listener, wait);
  close(*listener);
  if (!gathered) return fail(std::move(gathered));
  return gang;
}

Status Gang::gather(int listener, const GangWait& wait) {
  const double limit = now_s() + kLimitS;
  while (std::count(peers_.begin() + 1, peers_.end(), -1) > 0) {
    if (now_s() > limit) {
      const auto missing = std::count(peers_.begin() + 1, peers_.end(), -1);
      return fail(ErrorCode::kTimedOut, std::to_string(missing) + " of " + std::to_string(peers_.size()) +
                                            " gang members did not come within 30 s");
    }
    if (!readable(listener)) {
      const int sockets[] = {listener};
      if (!wait(sockets)) return gave_up();
      continue;
    }
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    set_up(socket);
    if (auto welcomed = welcome(socket); !welcomed) close(socket);
  }
  return {};
}

// A stranger is turned away; the gang keeps waiting for its own.
Status Gang::welcome(int socket) {
  Frame hello;
  if (!receive_all(socket, &hello, sizeof hello) || hello.magic != kMagic || hello.kind != FrameKind::kHello ||
      hello.count != peers_.size() || hello.value == 0 || hello.value >= peers_.size() || peers_[hello.value] >= 0)
    return fail(ErrorCode::kRefused, "no member of this gang");
  peers_[hello.value] = socket;
  if (hello.pace > 0) pace_ = pace_ > 0 ? std::min(pace_, hello.pace) : hello.pace;
  return send(hello.value, Frame{.kind = FrameKind::kWelcome});
}

Status Gang::call(const std::string& rendezvous, double pace, const GangWait& wait) {
  Address address;
  if (auto resolved = resolve(rendezvous, address); !resolved) return resolved;
  const double limit = now_s() + kLimitS;
  for (;;) {
    peers_[0] = connect_to(*address.list);
    if (peers_[0] >= 0) {
      const Frame hello{.kind = FrameKind::kHello, .count = world_size_, .value = rank_, .pace = pace};
      if (send(0, hello) && receive(0)) return {};
      close(peers_[0]);  // it was another lease's rank 0, about to leave
      peers_[0] = -1;
    }
    if (now_s() > limit) return fail(ErrorCode::kTimedOut, "rank 0 did not answer at " + rendezvous + " within 30 s");
    if (!wait({})) return gave_up();
    poll(nullptr, 0, kRetryMs);
  }
}

Status Gang::say_ready(bool wants_end) {
  return send(0, Frame{.kind = FrameKind::kReady, .value = wants_end ? 1u : 0u});
}

Result<LeaseEndReason> Gang::await_decision(const GangWait& wait) {
  while (!readable(peers_[0]))
    if (!wait(peers_)) return gave_up();
  auto frame = receive(0);
  if (!frame) return fail(std::move(frame));
  if (frame->kind != FrameKind::kDecision || frame->value > static_cast<std::uint32_t>(LeaseEndReason::kLost))
    return fail(ErrorCode::kCorrupt,
                "gang members do not make the same calls: rank 0 reduces, this rank begins a step");
  return static_cast<LeaseEndReason>(frame->value);
}

Result<bool> Gang::await_ready(const GangWait& wait) {
  bool wants_end = false;
  for (std::size_t peer = 1; peer < peers_.size(); ++peer) {
    while (!readable(peers_[peer]))
      if (!wait(std::span(peers_).subspan(peer, 1))) return gave_up();
    auto frame = receive(peer);
    if (!frame) return fail(std::move(frame));
    if (frame->kind != FrameKind::kReady)
      return fail(ErrorCode::kCorrupt, "gang members do not make the same calls: rank 0 begins a step, rank " +
                                           std::to_string(peer) + " reduces");
    wants_end = wants_end || frame->value != 0;
  }
  return wants_end;
}

Status Gang::decide(LeaseEndReason end) {
  for (std::size_t peer = 1; peer < peers_.size(); ++peer)
    if (auto sent = send(peer, Frame{.kind = FrameKind::kDecision, .value = static_cast<std::uint32_t>(end)}); !sent)
      return sent;
  return {};
}

Status Gang::all_reduce(std::span<float> values) {
  if (rank_ == 0) return reduce_at_root(values);
  if (auto sent = send(0, Frame{.kind = FrameKind::kReduce, .count = values.size()}, values); !sent) return sent;
  auto frame = receive(0);
  if (!frame) return fail(std::move(frame));
  if (frame->kind != FrameKind::kSum || frame->count != values.size())
    return fail(ErrorCode::kInvalidArgument,
                "gang members do not make the same calls: another count or order of all_reduce");
  if (!receive_all(peers_[0], values.data(), values.size_bytes())) return tl::unexpected(gone(0, last_error()));
  return {};
}

Status Gang::reduce_at_root(std::span<float> values) {
  std::vector<float> other(values.size());
  for (std::size_t peer = 1; peer < peers_.size(); ++peer) {
    auto frame = receive(peer);
    if (!frame) return fail(std::move(frame));
    if (frame->kind != FrameKind::kReduce || frame->count != values.size())
      return fail(ErrorCode::kInvalidArgument, "gang members do not make the same calls: rank " + std::to_string(peer) +
                                                   " has another count or order");
    if (!receive_all(peers_[peer], other.data(), values.size_bytes())) return tl::unexpected(gone(peer, last_error()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += other[i];
  }
  for (std::size_t peer = 1; peer < peers_.size(); ++peer)
    if (auto sent = send(peer, Frame{.kind = FrameKind::kSum, .count = values.size()}, values); !sent) return sent;
  return {};
}

}  // namespace hadar::sdk
