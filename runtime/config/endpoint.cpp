#include "runtime/config/endpoint.hpp"

#include <algorithm>
#include <cctype>

#include "runtime/config/text.hpp"

namespace hadar {
namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kIpc = "ipc://";

bool is_host(std::string_view host) {
  if (host == "*") return true;
  std::string_view extra = "-._";
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    extra = ":.%";
  }
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || extra.find(c) != std::string_view::npos;
  });
}

bool is_port(std::string_view port) {
  if (port == "*") return true;
  const auto number = parse_count(port);
  return number && *number <= 65535;
}

}  // namespace

bool is_endpoint(std::string_view text) {
  if (text.starts_with(kIpc)) return text.size() > kIpc.size();
  if (!text.starts_with(kTcp)) return false;
  text.remove_prefix(kTcp.size());
  const auto colon = text.rfind(':');
  return colon != std::string_view::npos && is_host(text.substr(0, colon)) && is_port(text.substr(colon + 1));
}

bool is_local(std::string_view text) {
  if (text.starts_with(kIpc)) return true;
  text.remove_prefix(kTcp.size());
  const auto host = text.substr(0, text.rfind(':'));
  const bool four_numbers = host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
  return four_numbers || host == "localhost" || host == "[::1]";
}

}  // namespace hadar
