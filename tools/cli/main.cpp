// hadar: the command line of a cluster.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

#include "tools/cli/command_line.hpp"
#include "tools/cli/text.hpp"

namespace {

using hadar::cli::CommandResult;
using hadar::cli::ExitCode;

// A closed standard descriptor would be given to the next socket, and output would go there. Reading from what stands
// in for it ends at once; writing to it fails.
void hold_standard_descriptors() {
  while (true) {
    const int descriptor = open("/dev/null", O_RDONLY);
    if (descriptor < 0) return;
    if (descriptor > STDERR_FILENO) {
      close(descriptor);
      return;
    }
  }
}

int tell(const hadar::Error& error, ExitCode code) {
  std::fprintf(stderr, "hadar: %s\n", hadar::cli::one_line(error.message).c_str());
  return static_cast<int>(code);
}

// The exit code, with one line on stderr when something went wrong. A reader of stdout that went away wanted no more.
int finish(const CommandResult& result) {
  const int lost = hadar::cli::output_error();
  const bool unwanted = lost == EPIPE || lost == EINTR;
  const bool of_output = lost != 0 && (result || result.error().error.code == hadar::ErrorCode::kIo);
  if (!of_output) return result ? static_cast<int>(*result) : tell(result.error().error, result.error().code);
  const auto usual = result ? *result : ExitCode::kDone;
  if (unwanted) return static_cast<int>(usual);
  std::fprintf(stderr, "hadar: stdout: %s; not everything could be written to it\n",
               lost == EBADF ? "is closed" : std::strerror(lost));
  return static_cast<int>(usual == ExitCode::kDone || usual == ExitCode::kPartly ? ExitCode::kFailed : usual);
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto command = hadar::cli::parse_command_line(argc, argv);
    if (!command) return tell(command.error(), ExitCode::kUsage);
    return finish((*command)());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hadar: a fault of ours: %s\n", error.what());
    return static_cast<int>(ExitCode::kFailed);
  }
}
