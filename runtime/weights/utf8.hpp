// UTF-8 checks shared by the safetensors reader and writer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hadar {

// The first byte that is not part of well-formed UTF-8 (no overlong forms, no surrogates); npos when there is none.
std::size_t find_bad_utf8(std::string_view text);

// Text fit for a one-line message: control characters and broken bytes become '?', long text is cut.
std::string printable(std::string_view text);

}  // namespace hadar
