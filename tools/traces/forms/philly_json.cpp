// Microsoft's Philly cluster_job_log: one JSON array, one object a job.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/traces/calendar.hpp"
#include "tools/traces/form.hpp"
#include "tools/traces/json_elements.hpp"

namespace hadar::traces {
namespace {

using Json = nlohmann::json;

// No job of the log is near; a document of JSON takes many times the memory of its text.
constexpr std::size_t kMostJob = std::size_t{16} << 20;

// What a key holds as text; empty for null and for what is absent or no text.
std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

struct Refused {
  std::string_view column;
  std::string value;
  std::string_view rule;
};

bool is_absent(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null();
}

// The GPUs of all nodes of an attempt; nullopt where they are not told as they should be.
std::optional<std::uint64_t> gpus_of(const Json& attempt) {
  std::uint64_t gpus = 0;
  if (is_absent(attempt, "detail")) return 0;
  const auto& detail = attempt["detail"];
  if (!detail.is_array()) return std::nullopt;
  for (const auto& node : detail) {
    if (!node.is_object()) return std::nullopt;
    if (is_absent(node, "gpus")) continue;
    if (!node["gpus"].is_array()) return std::nullopt;
    gpus += node["gpus"].size();
  }
  return gpus;
}

// Attempts one after the other: their times add up, the first says how many GPUs.
std::optional<Refused> read_attempts(const Json& attempts, Draft& draft, Collector& jobs) {
  double total = 0;
  for (const auto& attempt : attempts) {
    if (!attempt.is_object()) return Refused{"attempts", attempt.type_name(), "objects"};
    const auto start = text_at(attempt, "start_time");
    const auto end = text_at(attempt, "end_time");
    const auto from = parse_date_time(start);
    const auto to = parse_date_time(end);
    if (!from) return Refused{"start_time", start, "the date an attempt began"};
    if (!to) return Refused{"end_time", end, "the date an attempt ended: one still running has no known length"};
    if (*to < *from) return Refused{"end_time", end, "at or after its start_time"};
    if (!gpus_of(attempt)) return Refused{"detail", "", "objects, each with an array of gpus"};
    total += *to - *from;
  }
  const auto gpus = *gpus_of(attempts.front());
  if (gpus == 0) return Refused{"gpus", "0", "above 0: a CPU-only job needs no GPU scheduler"};
  if (total <= 0)
    return Refused{"end_time", text_at(attempts.back(), "end_time"),
                   "after start_time: a job that never ran is no work"};
  if (attempts.size() > 1) jobs.remark("have several attempts: their times add up, the first one's GPUs count");
  if (std::any_of(attempts.begin(), attempts.end(), [&](const Json& a) { return gpus_of(a) != gpus; }))
    jobs.remark("contradict themselves: their attempts had different numbers of GPUs");
  draft.gpus = static_cast<double>(gpus);
  draft.duration_s = total;
  return std::nullopt;
}

std::optional<Refused> read_job(const Json& job, Draft& draft, Collector& jobs) {
  draft.id = text_at(job, "jobid");
  if (!is_word(draft.id)) return Refused{"jobid", draft.id, "1 to 256 bytes without control characters"};
  const auto status = text_at(job, "status");
  if (status != "Pass" && status != "Killed" && status != "Failed")
    return Refused{"status", status, "Pass, Killed or Failed"};
  const auto submitted = text_at(job, "submitted_time");
  const auto time = parse_date_time(submitted);
  if (!time) return Refused{"submitted_time", submitted, "a date like 2017-10-03 05:38:20"};
  draft.time_s = *time;
  if (!is_absent(job, "user") && !job["user"].is_string()) return Refused{"user", job["user"].type_name(), "a text"};
  draft.user = text_at(job, "user");
  if (!draft.user.empty() && !is_word(draft.user))
    return Refused{"user", draft.user, "at most 256 bytes without control characters"};
  const auto attempts = job.find("attempts");
  if (attempts == job.end() || !attempts->is_array() || attempts->empty())
    return Refused{"attempts", "", "at least one: a job that never ran is no work"};
  if (auto refused = read_attempts(*attempts, draft, jobs)) return refused;
  if (status != "Pass") jobs.remark("were killed or failed: the time they ran counts as work");
  return std::nullopt;
}

// Parses one object; `twice` becomes the first key that one of its objects has twice.
Json parse_once(std::string_view text, std::string& twice) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second && twice.empty())
      twice = "'" + parsed.get<std::string>() + "' twice";
    return true;
  };
  return Json::parse(text, watch, false);
}

void read_element(const JsonElement& element, Collector& jobs) {
  const auto refuse = [&](std::string_view value, std::string_view rule) {
    jobs.refuse(element.line, "", value, rule);
  };
  if (!element.broken.empty()) return refuse(element.text, element.broken);
  if (!element.text.starts_with('{')) return refuse(element.text, "one JSON object");
  if (element.text.size() > kMostJob) return refuse(element.text, "one JSON object of at most 16 MiB");
  std::string twice;
  const auto json = parse_once(element.text, twice);
  if (json.is_discarded()) return refuse(element.text, "one JSON object");
  if (!twice.empty()) return refuse(twice, "an object that has every key once");
  Draft draft;
  draft.line = element.line;
  draft.gpus_column = "gpus";
  draft.duration_column = "attempts";
  if (const auto refused = read_job(json, draft, jobs))
    jobs.refuse(element.line, refused->column, refused->value, refused->rule);
  else
    jobs.take(std::move(draft));
}

Status read_all(const Source& source, Collector& jobs) {
  JsonElements elements(source.text);
  JsonElement element;
  while (!jobs.full() && elements.next(element)) read_element(element, jobs);
  jobs.times_are_dates();
  jobs.note("dates are local times without an offset: an hour may be off at the change of summer time");
  return {};
}

}  // namespace

Form philly_json_form() {
  return {.name = "philly",
          .summary = "Microsoft Philly's cluster_job_log (JSON)",
          .header = false,
          .read_all = read_all,
          .looks_like = [](const TextRow&, std::string_view text) {
            const auto first = text.find_first_not_of(" \t\r\n");
            if (first == std::string_view::npos || text[first] != '[') return false;
            const auto next = text.find_first_not_of(" \t\r\n", first + 1);
            return next != std::string_view::npos && text[next] == '{';
          }};
}

}  // namespace hadar::traces
