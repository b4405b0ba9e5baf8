// The command lines of simulate, rerun and repro.
#pragma once

#include <functional>
#include <memory>

#include "tools/cli/commands.hpp"

namespace CLI {
class App;
}

namespace hadar::cli {

using SetCommand = std::function<void(std::function<CommandResult()>)>;

// Adds them; `set` gets the one that was parsed.
void add_simulation_commands(CLI::App& app, const SetCommand& set);

}  // namespace hadar::cli
