// The page's style and script, put into the program at build time from report.css, report.js and
// results.js.
#pragma once

#include <string_view>

namespace hadar::report {

extern const std::string_view page_css;
extern const std::string_view page_js;
extern const std::string_view results_js;

}  // namespace hadar::report
