#include "tools/cli/interrupt.hpp"

#include <csignal>
#include <poll.h>

namespace hadar::cli {
namespace {

volatile std::sig_atomic_t was_interrupted = 0;

void note_interrupt(int) {
  was_interrupted = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return was_interrupted != 0;
}

bool pause_for(double seconds) {
  if (interrupted()) return false;
  poll(nullptr, 0, static_cast<int>(seconds * 1000));
  return !interrupted();
}

}  // namespace hadar::cli
