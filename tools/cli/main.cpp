// hadar: the command line of a cluster.
#include <cstdio>
#include <exception>

#include "tools/cli/command_line.hpp"

namespace {

int tell(const hadar::Error& error, hadar::cli::ExitCode code) {
  std::fprintf(stderr, "hadar: %s\n", error.message.c_str());
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto command = hadar::cli::parse_command_line(argc, argv);
    if (!command) return tell(command.error(), hadar::cli::ExitCode::kUsage);
    const auto result = (*command)();
    return result ? static_cast<int>(*result) : tell(result.error().error, result.error().code);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hadar: a fault of ours: %s\n", error.what());
    return static_cast<int>(hadar::cli::ExitCode::kFailed);
  }
}
