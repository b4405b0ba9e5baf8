// Ctrl-C as something a waiting command can look at.
#pragma once

namespace hadar::cli {

// From here on SIGINT and SIGTERM no longer end the process; pause() returns early and interrupted() is true.
void catch_interrupts();
bool interrupted();

// Waits at most `seconds`; false when interrupted.
bool pause_for(double seconds);

}  // namespace hadar::cli
