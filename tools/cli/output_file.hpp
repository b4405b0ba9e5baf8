// Where a command's output goes.
#pragma once

#include <string>

#include "messages/types/result.hpp"

namespace hadar::cli {

// Writes to a file, or to stdout for "-". A file appears whole or not at all. kIo.
Status write_text(const std::string& target, const std::string& text);

// Whether write_text() would find a place for the file, before the work for it is done. kIo.
Status check_writable(const std::string& target);

}  // namespace hadar::cli
