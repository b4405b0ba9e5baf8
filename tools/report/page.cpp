#include "tools/report/page.hpp"

#include <fstream>
#include <sstream>

#include "tools/report/page_json.hpp"
#include "tools/report/page_parts.hpp"

namespace hadar::report {
namespace {

// JSON inside a script element: a closing tag in a name must not end the element.
std::string safe_in_script(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; at += 6) text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

Result<Run> load_run(const std::string& events_path) {
  std::string skipped;
  auto events = read_events(events_path, skipped);
  if (!events) return fail(std::move(events));
  return Run{summarise(*events), make_timeline(*events), events_path, std::move(skipped)};
}

std::string make_page(const std::vector<Run>& runs, const std::string& chart_js) {
  return make_page(runs, {}, chart_js);
}

std::string make_page(const std::vector<Run>& runs, const std::vector<Results>& results, const std::string& chart_js) {
  Json data = Json::array();
  for (const auto& run : runs) {
    auto value = summary_value(run);
    value["timeline"] = timeline_value(run.timeline);
    data.push_back(std::move(value));
  }
  const auto json = safe_in_script(data.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string page;
  page += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Hadar run report</title>\n";
  page += "<style>\n" + std::string(page_css) + "</style>\n</head>\n<body>\n<main id=\"page\"></main>\n";
  page += "<script type=\"application/json\" id=\"runs\">" + json + "</script>\n";
  page += "<script>" + chart_js + "</script>\n<script>\n" + std::string(page_js) + "</script>\n";
  if (!results.empty()) {
    page += "<script type=\"application/json\" id=\"results\">" + safe_in_script(results_json(results)) + "</script>\n";
    page += "<script>\n" + std::string(results_js) + "</script>\n";
  }
  page += "</body>\n</html>\n";
  return page;
}

Result<std::string> load_chart_js() {
  for (const char* path :
       {HADAR_CHART_JS, "/usr/share/javascript/chart.js/chart.min.js", "/usr/share/javascript/chart.js/Chart.min.js",
        "/usr/share/nodejs/chart.js/dist/chart.min.js"}) {
    std::ifstream file(path, std::ios::binary);
    if (!file) continue;
    std::ostringstream text;
    text << file.rdbuf();
    if (!text.fail() && !text.str().empty()) return text.str();
  }
  return fail(ErrorCode::kNotFound, "Chart.js is not there; install the package libjs-chart.js");
}

}  // namespace hadar::report
