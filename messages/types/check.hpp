// Assertions that stay on in every build. They state what must hold inside the program; input is checked with Result.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace hadar::detail {
[[noreturn]] inline void check_failed(const char* kind, const char* text, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s failed: %s\n", file, line, kind, text);
  std::abort();
}
}  // namespace hadar::detail

// The caller's duty. Aborts with file and line when `condition` is false.
#define HADAR_REQUIRE(condition) \
  ((condition) ? (void)0 : ::hadar::detail::check_failed("requirement", #condition, __FILE__, __LINE__))

// Our own duty. Aborts with file and line when `condition` is false.
#define HADAR_ENSURE(condition) \
  ((condition) ? (void)0 : ::hadar::detail::check_failed("guarantee", #condition, __FILE__, __LINE__))
