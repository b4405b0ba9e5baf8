#include "runtime/bridge/caf_compat.hpp"

#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <gtest/gtest.h>

namespace hadar::test {
namespace {

TEST(CafCompat, EveryErrorOfOursComesBackUnchanged) {
  for (int code = 1; code <= 12; ++code) {
    const Error error{static_cast<ErrorCode>(code), "text " + std::to_string(code)};
    EXPECT_EQ(to_error(to_caf(error)), error);
  }
  EXPECT_EQ(to_error(to_caf({ErrorCode::kStale, ""})), (Error{ErrorCode::kStale, ""}));
}

TEST(CafCompat, CafsOwnErrorsHaveTheCodeThatCallersReactTo) {
  EXPECT_EQ(to_error(caf::sec::request_timeout).code, ErrorCode::kTimedOut);
  EXPECT_EQ(to_error(caf::sec::request_receiver_down).code, ErrorCode::kUnreachable);
  EXPECT_EQ(to_error(caf::sec::unexpected_message).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(to_error(caf::sec::runtime_error).code, ErrorCode::kInternal);
  EXPECT_EQ(to_error(caf::exit_reason::user_shutdown).code, ErrorCode::kUnreachable);
  EXPECT_EQ(to_error(caf::exit_reason::kill).code, ErrorCode::kUnreachable);
}

}  // namespace
}  // namespace hadar::test
