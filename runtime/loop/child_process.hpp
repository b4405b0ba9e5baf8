// Starting a child so that nothing of it outlives us. Loop thread only.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar {

struct ChildSpec {
  std::vector<std::string> argv;         // argv[0] without '/' is searched in the PATH of `environment`
  std::vector<std::string> environment;  // NAME=VALUE, all of it
};

struct StartedChild {
  pid_t pid = 0;    // also its process group
  int output = -1;  // read end of a pipe of its stdout and stderr, non-blocking; the caller closes it
};

// Forks and executes. The child leads its own process group, is killed when the calling thread ends, has /dev/null as
// stdin, no other descriptor of ours, default signals. Waits until the program runs. kNotFound: no such program; kIo:
// the system refused.
Result<StartedChild> start_child(const ChildSpec& spec);

// One process as /proc shows it.
struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  // 'Z': a zombie
};
std::vector<ProcessEntry> list_processes();

// Whether the process was started with exactly this NAME=VALUE in its environment. False when it may not be read.
bool carries(pid_t pid, const std::string& variable);

}  // namespace hadar
