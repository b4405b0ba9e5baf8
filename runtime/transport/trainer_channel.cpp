#include "runtime/transport/trainer_channel.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <vector>
#include <zmq.h>

namespace hadar {
namespace {

constexpr int kMaxFrameBytes = 1 << 20;  // far above any message of this channel
constexpr int kQueuedMessages = 1000;    // per peer; send() says kOverloaded beyond
constexpr int kServerLingerMs = 200;
constexpr int kClientLingerMs = 1000;

struct Context {
  void* handle = zmq_ctx_new();
  Context() = default;
  ~Context() { zmq_ctx_term(handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

// A socket of its own context. Signals may interrupt a call; every call here is repeated then.
struct Socket {
  Context context;
  void* handle = nullptr;

  Socket(int type, int linger_ms) : handle(zmq_socket(context.handle, type)) {
    set(ZMQ_LINGER, linger_ms);
    set(ZMQ_SNDHWM, kQueuedMessages);
    set(ZMQ_RCVHWM, kQueuedMessages);
    const std::int64_t max_bytes = kMaxFrameBytes;
    zmq_setsockopt(handle, ZMQ_MAXMSGSIZE, &max_bytes, sizeof max_bytes);
  }
  ~Socket() { zmq_close(handle); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void set(int option, int value) const { zmq_setsockopt(handle, option, &value, sizeof value); }

  bool send(std::span<const std::byte> frame, bool more) const {
    while (zmq_send(handle, frame.data(), frame.size(), ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)) < 0)
      if (zmq_errno() != EINTR) return false;
    return true;
  }

  // All frames of the next message; empty when none waits.
  std::vector<std::vector<std::byte>> receive() const {
    std::vector<std::vector<std::byte>> frames;
    for (bool more = true; more;) {
      zmq_msg_t frame;
      zmq_msg_init(&frame);
      int got = -1;
      while ((got = zmq_msg_recv(&frame, handle, ZMQ_DONTWAIT)) < 0 && zmq_errno() == EINTR) {
      }
      if (got < 0) return {};
      const auto* data = static_cast<const std::byte*>(zmq_msg_data(&frame));
      frames.emplace_back(data, data + zmq_msg_size(&frame));
      more = zmq_msg_more(&frame) != 0;
      zmq_msg_close(&frame);
    }
    return frames;
  }
};

std::array<std::byte, 2> kind_frame(MessageKind kind) {
  const auto number = static_cast<std::uint16_t>(kind);
  return {std::byte(number & 0xff), std::byte(number >> 8)};
}

bool send_message(const Socket& socket, const TrainerMessage& message) {
  return std::visit(
      [&]<class T>(const T& value) {
        const auto kind = kind_frame(Codec<T>::kind);
        return socket.send(kind, true) && socket.send(Codec<T>::encode(value).body, false);
      },
      message);
}

Result<TrainerMessage> read_message(std::span<const std::byte> kind, std::span<const std::byte> body) {
  if (kind.size() != 2) return fail(ErrorCode::kCorrupt, "a trainer message starts with a frame of 2 bytes, its kind");
  return decode_trainer_message(MessageKind(std::to_integer<int>(kind[0]) | std::to_integer<int>(kind[1]) << 8), body);
}

using Identity = std::vector<std::byte>;

}  // namespace

struct TrainerServer::Impl {
  Socket socket{ZMQ_ROUTER, kServerLingerMs};
  std::string endpoint;
  std::filesystem::path socket_path;
  std::filesystem::path own_folder;        // made by us in /tmp; removed at the end
  std::set<std::string> admitted;          // tokens
  std::map<std::string, Identity> peers;   // token → who said hello with it
  std::map<Identity, std::string> tokens;  // the other way round
  std::uint64_t dropped = 0;

  ~Impl() {
    std::error_code ignored;
    std::filesystem::remove(socket_path, ignored);
    if (!own_folder.empty()) std::filesystem::remove(own_folder, ignored);
  }

  Status choose_path(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      return fail(ErrorCode::kIo,
                  "cannot make the folder of the trainer socket " + folder.string() + ": " + error.message());
    socket_path = std::filesystem::absolute(folder) / "trainers.sock";
    if (socket_path.string().size() < sizeof(sockaddr_un::sun_path)) return {};
    char name[] = "/tmp/hadar-XXXXXX";
    if (mkdtemp(name) == nullptr)
      return fail(ErrorCode::kIo,
                  std::string("cannot make a folder in /tmp for the trainer socket: ") + std::strerror(errno));
    own_folder = name;
    socket_path = own_folder / "t.sock";
    return {};
  }

  bool hello(const Identity& from, const TrainerHello& message) {
    if (!admitted.contains(message.token) || peers.contains(message.token) || tokens.contains(from)) return false;
    peers[message.token] = from;
    tokens[from] = message.token;
    return true;
  }

  // Empty when the frames deserve no hearing.
  std::optional<Incoming> hear(const std::vector<std::vector<std::byte>>& frames) {
    if (frames.size() != 3) return {};
    auto message = read_message(frames[1], frames[2]);
    if (!message) return {};
    if (const auto* said = std::get_if<TrainerHello>(&*message))
      if (!hello(frames[0], *said)) return {};
    const auto known = tokens.find(frames[0]);
    if (known == tokens.end()) return {};
    return Incoming{known->second, *std::move(message)};
  }
};

TrainerServer::TrainerServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TrainerServer::~TrainerServer() = default;

Result<std::unique_ptr<TrainerServer>> TrainerServer::open(const std::filesystem::path& folder) {
  auto impl = std::make_unique<Impl>();
  if (auto chosen = impl->choose_path(folder); !chosen) return fail(std::move(chosen));
  impl->socket.set(ZMQ_ROUTER_MANDATORY, 1);
  impl->endpoint = "ipc://" + impl->socket_path.string();
  if (zmq_bind(impl->socket.handle, impl->endpoint.c_str()) != 0)
    return fail(ErrorCode::kIo, "cannot listen for trainers at " + impl->endpoint + ": " + zmq_strerror(zmq_errno()));
  std::error_code error;
  std::filesystem::permissions(impl->socket_path, std::filesystem::perms::owner_all, error);
  if (error) return fail(ErrorCode::kIo, "cannot protect " + impl->socket_path.string() + ": " + error.message());
  return std::unique_ptr<TrainerServer>(new TrainerServer(std::move(impl)));
}

const std::string& TrainerServer::endpoint() const {
  return impl_->endpoint;
}

int TrainerServer::wake_fd() const {
  int fd = -1;
  std::size_t size = sizeof fd;
  zmq_getsockopt(impl_->socket.handle, ZMQ_FD, &fd, &size);
  return fd;
}

void TrainerServer::admit(const std::string& token) {
  impl_->admitted.insert(token);
}

void TrainerServer::forget(const std::string& token) {
  impl_->admitted.erase(token);
  const auto peer = impl_->peers.find(token);
  if (peer == impl_->peers.end()) return;
  impl_->tokens.erase(peer->second);
  impl_->peers.erase(peer);
}

Status TrainerServer::send(const std::string& token, const TrainerMessage& message) {
  const auto peer = impl_->peers.find(token);
  if (peer == impl_->peers.end()) return fail(ErrorCode::kUnreachable, "that trainer has not said hello");
  if (impl_->socket.send(peer->second, true) && send_message(impl_->socket, message)) return {};
  if (zmq_errno() == EAGAIN) return fail(ErrorCode::kOverloaded, "that trainer does not read its messages");
  return fail(ErrorCode::kUnreachable, std::string("that trainer is gone: ") + zmq_strerror(zmq_errno()));
}

std::optional<TrainerServer::Incoming> TrainerServer::receive() {
  for (;;) {
    const auto frames = impl_->socket.receive();
    if (frames.empty()) return {};
    if (auto heard = impl_->hear(frames)) return heard;
    ++impl_->dropped;
  }
}

std::uint64_t TrainerServer::dropped() const {
  return impl_->dropped;
}

struct TrainerClient::Impl {
  Socket socket{ZMQ_DEALER, kClientLingerMs};
};

TrainerClient::TrainerClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TrainerClient::~TrainerClient() = default;

Result<std::unique_ptr<TrainerClient>> TrainerClient::connect(const std::string& endpoint) {
  auto impl = std::make_unique<Impl>();
  if (zmq_connect(impl->socket.handle, endpoint.c_str()) != 0)
    return fail(ErrorCode::kInvalidArgument, "cannot connect to the node worker at '" + endpoint +
                                                 "': " + zmq_strerror(zmq_errno()) + "; it should be ipc://PATH");
  return std::unique_ptr<TrainerClient>(new TrainerClient(std::move(impl)));
}

Status TrainerClient::send(const TrainerMessage& message) {
  if (send_message(impl_->socket, message)) return {};
  return fail(ErrorCode::kOverloaded, "the node worker does not read its messages");
}

Result<std::optional<TrainerMessage>> TrainerClient::receive() {
  const auto frames = impl_->socket.receive();
  if (frames.empty()) return std::optional<TrainerMessage>{};
  if (frames.size() != 2)
    return fail(ErrorCode::kCorrupt, "a message from the node worker has 2 frames, kind and body");
  return read_message(frames[0], frames[1]).map([](TrainerMessage m) -> std::optional<TrainerMessage> { return m; });
}

void TrainerClient::wait(double seconds, std::span<const int> others) {
  std::vector<zmq_pollitem_t> items{{impl_->socket.handle, 0, ZMQ_POLLIN, 0}};
  for (const int fd : others) items.push_back({nullptr, fd, ZMQ_POLLIN | ZMQ_POLLERR, 0});
  const auto ms = static_cast<long>(std::clamp(std::floor(seconds * 1000), 0.0, 60'000.0));
  zmq_poll(items.data(), static_cast<int>(items.size()), ms);  // an interrupted wait is a short wait
}

}  // namespace hadar
