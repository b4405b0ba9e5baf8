// What values of options may be, for CLI11. Every option that takes a number has one of these: CLI11's own conversion
// wraps negative numbers around and takes nan.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace hadar::cli {

// The largest number every part of a cluster can hold.
constexpr std::uint64_t kMostWhole = std::numeric_limits<std::int64_t>::max();

// Decimal digits without sign or leading zeros.
CLI::Validator whole_between(std::uint64_t least, std::uint64_t most);
// A finite number, read without a locale.
CLI::Validator number_between(double least, double most);
// The same, in seconds.
CLI::Validator seconds_between(double least, double most);
// A text that says something: not empty, at most `most_bytes`. `what` it must be goes into the error.
CLI::Validator given(std::string what, std::size_t most_bytes = 4096);
// A text that everyone's terminal will show: the same, of one line.
CLI::Validator line_given(std::string what);
// A name as the cluster takes it: the same, at most 256 bytes.
CLI::Validator name_given(std::string what);

// Refuses an empty value of every option and argument of all commands: commands take it for none at all.
void refuse_empty_values(CLI::App& app);

}  // namespace hadar::cli
