#include "runtime/bridge/caf_compat.hpp"

#include <caf/atom.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <string>

namespace hadar {
namespace {

constexpr caf::atom_value kCategory = caf::atom("hadar");

Error of_system_error(caf::sec code) {
  switch (code) {
    case caf::sec::request_timeout: return {ErrorCode::kTimedOut, "no answer within the time limit"};
    case caf::sec::request_receiver_down:
    case caf::sec::cannot_forward_to_invalid_actor:
    case caf::sec::no_route_to_receiving_node:
    case caf::sec::remote_linking_failed:
    case caf::sec::socket_disconnected:
      return {ErrorCode::kUnreachable, "the actor that was asked is gone (" + caf::to_string(code) + ")"};
    case caf::sec::unexpected_message:
    case caf::sec::invalid_argument:
      return {ErrorCode::kInvalidArgument, "the actor does not take this message (" + caf::to_string(code) + ")"};
    default: return {ErrorCode::kInternal, "actor failed: " + caf::to_string(code)};
  }
}

}  // namespace

void use_live_scheduler(caf::actor_system_config& config, std::size_t threads) {
  config.set("scheduler.policy", caf::atom("sharing"));
  config.set("scheduler.max-threads", threads);
}

caf::error to_caf(const Error& error) {
  return caf::error(static_cast<std::uint8_t>(error.code), kCategory, caf::make_message(error.message));
}

Error to_error(const caf::error& error) {
  if (error.category() == kCategory) {
    const caf::message& context = error.context();
    return {static_cast<ErrorCode>(error.code()),
            context.match_elements<std::string>() ? context.get_as<std::string>(0) : std::string("no text")};
  }
  if (error.category() == caf::error(caf::sec::runtime_error).category())
    return of_system_error(static_cast<caf::sec>(error.code()));
  if (error.category() == caf::error(caf::exit_reason::kill).category())
    return {ErrorCode::kUnreachable,
            "the actor that was asked ended (" + caf::to_string(static_cast<caf::exit_reason>(error.code())) + ")"};
  return {ErrorCode::kInternal, "actor failed: " + caf::to_string(error)};
}

}  // namespace hadar
