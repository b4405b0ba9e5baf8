#include "runtime/executor/executor_values.hpp"

#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "messages/types/check.hpp"

namespace hadar::executor_values {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string seconds_text(double seconds) {
  auto text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

std::string new_token() {
  std::uint8_t bytes[16];
  HADAR_ENSURE(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
  std::string token;
  for (const auto byte : bytes)
    for (const int half : {byte >> 4, byte & 15}) token += "0123456789abcdef"[half];
  return token;
}

std::string free_rendezvous() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool found = probe >= 0 && bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (probe >= 0) close(probe);
  return found ? "127.0.0.1:" + std::to_string(ntohs(address.sin_port)) : std::string();
}

executor_event::Ended ended_without(LeaseId lease, LeaseEndReason end, std::string detail) {
  executor_event::Ended ended;
  ended.lease = lease;
  ended.end = end;
  ended.detail = std::move(detail);
  return ended;
}

}  // namespace hadar::executor_values
