// Files that commands write.
#pragma once

#include <string>
#include <string_view>

#include "messages/types/result.hpp"

namespace hadar::cli {

// Writes a whole file; "-" is stdout. A file appears whole or not at all. Errors: kIo.
Status write_output(const std::string& target, std::string_view text);

}  // namespace hadar::cli
