// Runs as JSON values. Private to this folder.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/report/page.hpp"

namespace hadar::report {

using Json = nlohmann::ordered_json;

Json summary_value(const Run& run);
Json timeline_value(const Timeline& timeline);

}  // namespace hadar::report
