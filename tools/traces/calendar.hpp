// Dates and times in the forms that logs use.
#pragma once

#include <optional>
#include <string_view>

namespace hadar::traces {

// "2017-10-03 05:38:20", with a T between, with a fraction of a second, with "Z" or an offset like "+08:00" or "+0800":
// seconds since 1970-01-01 00:00 at offset 0; a time without an offset is taken as it stands. nullopt: no such
// time, or one before 1970 or more than 4e9 s after.
std::optional<double> parse_date_time(std::string_view text);

}  // namespace hadar::traces
