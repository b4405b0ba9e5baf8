// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace hadar {

// Length in bytes of the well-formed character at the start of `bytes` (not empty); 0 when there is none.
std::size_t utf8_length(std::string_view bytes);

bool is_utf8(std::string_view bytes);

// Whether a text has characters that would break a line or drive a terminal.
bool has_control(std::string_view text);

}  // namespace hadar
