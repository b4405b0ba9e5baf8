// Text and numbers without a locale. Internal to this room.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar {

// The whole file without a byte-order mark. Errors: kNotFound, kIo, kInvalidArgument (over 256 MiB).
Result<std::string> read_text(const std::filesystem::path& file);

// Shortest text that reads back as the same number: "60", "0.1", "inf".
std::string number_text(double value);

// The whole text as a number, finite or not; nothing else before or after it.
std::optional<double> parse_number(std::string_view text);
std::optional<std::uint64_t> parse_count(std::string_view text);

// The candidate closest in spelling, if one is close enough to be meant.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// "a, b or c"
std::string any_of_text(const std::vector<std::string>& words);

}  // namespace hadar
