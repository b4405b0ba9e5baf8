// The grammar of `hadar`.
#pragma once

#include <functional>

#include "tools/cli/outcome.hpp"

namespace hadar::cli {

// What a command line asks for: run this.
using Command = std::function<CommandResult()>;

// Parses strictly: unknown options, missing or superfluous arguments and numbers outside their range are errors. For
// --help and the like the text is printed and the command does nothing. Errors: kInvalidArgument with one line.
Result<Command> parse_command_line(int argc, const char* const* argv);

}  // namespace hadar::cli
