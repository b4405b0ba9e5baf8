// Microsoft's Philly cluster_job_log: one JSON array, one object a job. Objects are cut out one by one, so that a
// broken one costs itself only and every job has its line.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/traces/calendar.hpp"
#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

using Json = nlohmann::json;

struct Piece {
  std::string_view text;
  std::uint32_t line = 0;
};

// Walks over the objects of an array.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : text_(text) {}

  // The next object; empty at the end of the text.
  Piece next() {
    while (at_ < text_.size() && text_[at_] != '{') step();
    Piece piece{{}, line_};
    const auto start = at_;
    int depth = 0;
    bool quoted = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (quoted && c == '\\') {
        step();
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && c == '{') {
        ++depth;
      } else if (!quoted && c == '}' && --depth == 0) {
        step();
        break;
      }
      step();
    }
    piece.text = text_.substr(start, at_ - start);
    return piece;
  }

 private:
  void step() {
    if (at_ < text_.size() && text_[at_++] == '\n') ++line_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

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

std::uint64_t gpus_of(const Json& attempt) {
  std::uint64_t gpus = 0;
  const auto detail = attempt.find("detail");
  if (detail == attempt.end() || !detail->is_array()) return 0;
  for (const auto& node : *detail) {
    const auto held = node.is_object() ? node.find("gpus") : node.end();
    if (node.is_object() && held != node.end() && held->is_array()) gpus += held->size();
  }
  return gpus;
}

// Attempts one after the other: their times add up, the first says how many GPUs.
std::optional<Refused> read_attempts(const Json& attempts, Draft& draft, Collector& jobs) {
  double total = 0;
  for (const auto& attempt : attempts) {
    if (!attempt.is_object()) return Refused{"attempts", attempt.dump(), "objects"};
    const auto start = text_at(attempt, "start_time");
    const auto end = text_at(attempt, "end_time");
    const auto from = parse_date_time(start);
    const auto to = parse_date_time(end);
    if (!from) return Refused{"start_time", start, "the date an attempt began"};
    if (!to) return Refused{"end_time", end, "the date an attempt ended: one still running has no known length"};
    if (*to < *from) return Refused{"end_time", end, "at or after its start_time"};
    total += *to - *from;
  }
  const auto gpus = gpus_of(attempts.front());
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

Status read_all(const Source& source, Collector& jobs) {
  Pieces pieces(source.text);
  for (auto piece = pieces.next(); !piece.text.empty() && !jobs.full(); piece = pieces.next()) {
    const auto json = Json::parse(piece.text, nullptr, false);
    if (json.is_discarded()) {
      jobs.refuse(piece.line, "", piece.text, "one JSON object");
      continue;
    }
    Draft draft;
    draft.line = piece.line;
    draft.gpus_column = "gpus";
    draft.duration_column = "attempts";
    if (const auto refused = read_job(json, draft, jobs))
      jobs.refuse(piece.line, refused->column, refused->value, refused->rule);
    else
      jobs.take(std::move(draft));
  }
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
