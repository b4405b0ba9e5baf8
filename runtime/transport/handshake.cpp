#include "runtime/transport/handshake.hpp"

#include <algorithm>
#include <ctime>

namespace hadar {
namespace {

std::string where_is(const PeerInfo& info) {
  const std::string pid = "pid " + std::to_string(info.pid);
  return info.endpoint.empty() ? pid : pid + " at " + info.endpoint;
}

std::string utc(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// A client that names no cluster takes the one it reaches; a process of a cluster must name its own.
bool asks_for_any_cluster(const LinkHello& hello) {
  const auto& roles = hello.self.roles;
  return hello.cluster_id.empty() && std::find(roles.begin(), roles.end(), "client") != roles.end();
}

}  // namespace

std::optional<Error> refuse_hello(const TransportOptions& options, const LinkHello& hello) {
  const std::string me = "\"" + options.self.name + "\"";
  if (hello.protocol_version != options.protocol_version)
    return Error{ErrorCode::kRefused, me + " speaks protocol version " + std::to_string(options.protocol_version) +
                                          ", \"" + hello.self.name + "\" speaks version " +
                                          std::to_string(hello.protocol_version) +
                                          "; run the same release of hadar on both sides"};
  if (hello.cluster_id != options.cluster_id && !asks_for_any_cluster(hello))
    return Error{ErrorCode::kRefused, me + " belongs to cluster \"" + options.cluster_id + "\", \"" + hello.self.name +
                                          "\" to cluster \"" + hello.cluster_id +
                                          "\"; check the endpoint and the cluster id"};
  if (hello.self.name.empty()) return Error{ErrorCode::kInvalidArgument, "hello without a name"};
  if (hello.self.name != options.self.name) return std::nullopt;
  if (hello.self.incarnation == options.self.incarnation)
    return Error{ErrorCode::kRefused, me + " connected to itself; check its endpoints"};
  return Error{ErrorCode::kAlreadyExists, "the name " + me + " is used by the process that answers here (" +
                                              where_is(options.self) + "); choose another name"};
}

Error name_in_use(const PeerInfo& holder, std::chrono::system_clock::time_point since) {
  return Error{ErrorCode::kAlreadyExists, "the name \"" + holder.name + "\" is in use by " + where_is(holder) +
                                              ", up since " + utc(since) + "; stop it or choose another name"};
}

Error name_taken_over(const PeerInfo& newcomer) {
  return Error{ErrorCode::kUnreachable,
               "did not answer while a new process (" + where_is(newcomer) + ") came up under its name"};
}

}  // namespace hadar
