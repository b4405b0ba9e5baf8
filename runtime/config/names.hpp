// Names of nodes, processes and clusters. Internal to this room.
#pragma once

#include <string>
#include <string_view>

namespace hadar {

// 1 to 64 of A-Z a-z 0-9 . _ -, starting with a letter or digit: fit for files, tables and addresses.
bool is_plain_name(std::string_view name);

inline constexpr const char* kPlainNameRule = "1 to 64 of A-Z a-z 0-9 . _ - starting with a letter or digit";

}  // namespace hadar
