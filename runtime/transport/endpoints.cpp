#include "runtime/transport/endpoints.hpp"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace hadar {
namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kIpc = "ipc://";

// ZeroMQ removes an existing socket file before it binds, so a living listener must be noticed first.
bool someone_listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return false;
  const int rc = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  // EAGAIN: its backlog is full, so it is there.
  const bool there = rc == 0 || errno == EAGAIN;
  ::close(probe);
  return there;
}

Status check_ipc(const std::string& endpoint, const std::string& setting) {
  const std::string path = endpoint.substr(kIpc.size());
  if (path.empty() || path == "*") return {};
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    return fail(ErrorCode::kInvalidArgument, "cannot listen on " + endpoint + " (setting \"" + setting +
                                                 "\"): the path has " + std::to_string(path.size()) +
                                                 " characters, at most 107 are possible; use a shorter folder");
  if (someone_listens(path))
    return fail(ErrorCode::kAlreadyExists, "cannot listen on " + endpoint + " (setting \"" + setting +
                                               "\"): another process listens there; choose another path");
  return {};
}

tl::unexpected<Error> bind_error(const std::string& endpoint, const std::string& setting, int error) {
  const std::string what = "cannot listen on " + endpoint + " (setting \"" + setting + "\"): ";
  switch (error) {
    case EADDRINUSE:
      return fail(ErrorCode::kAlreadyExists, what + "the port is taken by another process; choose another or 0");
    case EINVAL:
    case EPROTONOSUPPORT:
      return fail(ErrorCode::kInvalidArgument, what + "no valid endpoint; use tcp://HOST:PORT or ipc://PATH");
    case EADDRNOTAVAIL:
    case ENODEV:
      return fail(ErrorCode::kInvalidArgument, what + "this machine has no such address; use one of its own or *");
    default: return fail(ErrorCode::kIo, what + zmq_strerror(error));
  }
}

// ZeroMQ cuts larger ports down to some other one without a word.
bool has_valid_port(const std::string& endpoint) {
  const std::string port = endpoint.substr(endpoint.rfind(':') + 1);
  if (port == "*") return true;
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return error == std::errc() && end == port.data() + port.size();
}

// An IPv4 address as ZeroMQ's IPv6 sockets report it, in the form that people know.
std::string plain_ipv4(const std::string& actual) {
  constexpr std::string_view kMapped = "tcp://[::ffff:";
  const std::size_t end = actual.find(']');
  if (!actual.starts_with(kMapped) || end == std::string::npos) return actual;
  return std::string(kTcp) + actual.substr(kMapped.size(), end - kMapped.size()) + actual.substr(end + 1);
}

}  // namespace

Result<std::vector<std::string>> bind_all(zmq::socket_t& router, const TransportOptions& options) {
  std::vector<std::string> actual;
  for (const std::string& endpoint : options.listen) {
    if (endpoint.starts_with(kIpc)) {
      if (auto checked = check_ipc(endpoint, options.listen_setting); !checked) return fail(std::move(checked));
    } else if (!endpoint.starts_with(kTcp) || !has_valid_port(endpoint)) {
      return bind_error(endpoint, options.listen_setting, EPROTONOSUPPORT);
    }
    if (zmq_bind(router.handle(), endpoint.c_str()) != 0)
      return bind_error(endpoint, options.listen_setting, zmq_errno());
    actual.push_back(plain_ipv4(router.get(zmq::sockopt::last_endpoint)));
  }
  return actual;
}

std::string reachable(const std::string& actual, const std::string& advertise_host) {
  if (!actual.starts_with(kTcp)) return actual;
  const std::size_t colon = actual.rfind(':');
  const std::string host = actual.substr(kTcp.size(), colon - kTcp.size());
  if (host != "0.0.0.0" && host != "[::]") return actual;
  std::string shown = advertise_host;
  if (shown.empty()) {
    char name[256] = "localhost";
    if (::gethostname(name, sizeof name - 1) != 0) std::strcpy(name, "localhost");
    shown = name;
  }
  const bool bare_ipv6 = shown.find(':') != std::string::npos && !shown.starts_with('[');
  return std::string(kTcp) + (bare_ipv6 ? "[" + shown + "]" : shown) + actual.substr(colon);
}

}  // namespace hadar
