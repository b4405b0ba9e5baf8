#include "tools/traces/collector.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "messages/codec/utf8.hpp"
#include "tools/traces/measured_speeds.hpp"

namespace hadar::traces {
namespace {

constexpr std::size_t kMostRefused = 1'000'000;
constexpr std::size_t kMostShown = 60;
constexpr double kMostSteps = 9007199254740992.0;  // 2^53
constexpr double kEpoch = 1e9;                     // later than this is a date in seconds since 1970

const ThroughputTable& table_of(const LoadOptions& options) {
  return options.throughputs.empty() ? gavel_throughput_file().rows : options.throughputs;
}

}  // namespace

std::string shown(std::string_view value) {
  std::string text;
  while (!value.empty()) {
    const auto length = utf8_length(value);
    if (text.size() + std::max<std::size_t>(length, 1) > kMostShown) return text + "…";
    const auto first = static_cast<unsigned char>(value.front());
    if (length == 0 || first < 0x20 || first == 0x7f)
      text += '?';
    else
      text += value.substr(0, length);
    value.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::string text_of(const Refusal& refusal, const std::string& file) {
  std::string text = file + ":" + std::to_string(refusal.line) + ": ";
  if (!refusal.column.empty()) text += "column '" + std::string(refusal.column) + "': ";
  return text + "got '" + refusal.value + "', must be " + std::string(refusal.rule);
}

Collector::Collector(std::string name, const LoadOptions& options)
    : name_(std::move(name)), options_(options), draw_(table_of(options)) {}

void Collector::refuse(std::uint32_t line, std::string_view column, std::string_view value, std::string_view rule) {
  ++loaded_.rows;
  loaded_.refused.push_back({line, column, shown(value), rule});
}

bool Collector::full() const {
  return loaded_.refused.size() >= kMostRefused;
}

void Collector::remark(std::string_view text) {
  for (auto& [known, count] : remarks_)
    if (known == text) return void(++count);
  remarks_.emplace_back(text, 1);
}

void Collector::take(Draft draft) {
  if (draft.id.empty()) draft.id = std::to_string(loaded_.rows + 1);
  if (!by_id_.try_emplace(draft.id, drafts_.size()).second)
    return refuse(draft.line, "job_id", draft.id, "the id of one row only");
  ++loaded_.rows;
  drafts_.push_back(std::move(draft));
}

void Collector::join(Draft draft) {
  ++loaded_.rows;
  const auto [found, fresh] = by_id_.try_emplace(draft.id, drafts_.size());
  if (fresh) return drafts_.push_back(std::move(draft));
  ++loaded_.joined;
  auto& job = drafts_[found->second];
  const double end = std::max(job.time_s + *job.duration_s, draft.time_s + *draft.duration_s);
  job.time_s = std::min(job.time_s, draft.time_s);
  job.duration_s = end - job.time_s;
  job.gpus += draft.gpus;
}

// False when the draft was refused.
bool Collector::settle_model(Draft& draft) {
  const auto gpus = static_cast<std::uint32_t>(draft.gpus);
  const bool known = !draft.model.empty() && draft.total_steps.has_value();
  const bool again = options_.redraw && draft.duration_s && draw_.find(draft.model, draft.batch_size, gpus) == nullptr;
  if (known && !again) {
    if (draw_.find(draft.model, draft.batch_size, gpus) == nullptr)
      remark("their model and batch size have no speed in the throughput table");
    else if (!draw_.measured(draft.model, draft.batch_size, gpus))
      remark("their model has no speed at their gang size in the throughput table: its speed on one GPU counts");
    return true;
  }
  const auto* type = draw_.draw(draft.id, gpus, options_.seed);
  const double steps = type == nullptr ? 0 : std::round(*draft.duration_s * type->steps_per_s);
  if (type == nullptr || steps > kMostSteps) {
    loaded_.refused.push_back(
        {draft.line, draft.duration_column, shown(std::to_string(*draft.duration_s)),
         type == nullptr ? "run by some model of the throughput table" : "at most 2^53 steps at its model's speed"});
    return false;
  }
  if (!draw_.measured(gpus)) remark("no model is measured on their gang size: drawn at its speed on one GPU");
  draft.model = type->model;
  draft.batch_size = type->batch_size;
  draft.total_steps = static_cast<std::uint64_t>(std::max(1.0, steps));
  ++loaded_.drawn;
  return true;
}

void Collector::finish_draft(Draft& draft, double earliest_s) {
  const double whole = std::ceil(draft.gpus);
  if (whole != draft.gpus) remark("a part of a GPU was asked for: rounded up to a whole one");
  draft.gpus = whole;
  const auto refuse_gpus = [&](std::string_view rule) {
    loaded_.refused.push_back({draft.line, draft.gpus_column, std::to_string(static_cast<std::uint64_t>(whole)), rule});
  };
  if (whole > 65536) return refuse_gpus("at most 65536 GPUs");
  if (options_.gpus_most > 0 && whole > options_.gpus_most) return refuse_gpus("at most the GPUs of the cluster");
  if (!settle_model(draft)) return;
  TraceJob job;
  job.job_id = std::move(draft.id);
  job.arrival_s = draft.time_s - earliest_s;
  job.model = std::move(draft.model);
  job.batch_size = draft.batch_size;
  job.gpus = static_cast<std::uint32_t>(whole);
  job.total_steps = *draft.total_steps;
  job.weight = draft.weight;
  job.deadline_s = draft.deadline_s;
  job.user = std::move(draft.user);
  job.forkable = draft.forkable;
  loaded_.trace.jobs.push_back(std::move(job));
}

void Collector::add_notes() {
  for (const auto& [text, count] : remarks_)
    loaded_.notes.push_back(std::to_string(count) + (count == 1 ? " row: " : " rows: ") + std::string(text));
  if (loaded_.drawn > 0)
    loaded_.notes.push_back(std::to_string(loaded_.drawn) + (loaded_.drawn == 1 ? " job" : " jobs") +
                            " with a duration and no usable model: model drawn by hash(job_id, seed " +
                            std::to_string(options_.seed) +
                            ") among the throughput table's types for their gang size, steps = duration x V100 speed "
                            "(fastest type where V100 has none)");
  if (loaded_.joined > 0)
    loaded_.notes.push_back(std::to_string(loaded_.joined) +
                            (loaded_.joined == 1 ? " row is a further task" : " rows are further tasks") +
                            " of a job already begun");
}

// What arrivals count from.
double Collector::start_s() {
  double earliest = drafts_.empty() ? 0 : drafts_.front().time_s;
  for (const auto& draft : drafts_) earliest = std::min(earliest, draft.time_s);
  if (earliest == 0 || (!from_earliest_ && earliest < kEpoch)) return 0;
  const bool kept = kept_ && !from_earliest_;
  loaded_.start_note = kept ? "the earliest arrival is at 1e9 s or later: kept, since numbers count from the start of "
                              "the trace; were they since 1970, they should be dates"
                            : "times are dates: arrivals count from the earliest job";
  note(loaded_.start_note);
  return kept ? 0 : earliest;
}

Result<LoadedTrace> Collector::finish(std::string_view format) && {
  if (full())
    return fail(ErrorCode::kInvalidArgument, name_ + ": over " + std::to_string(kMostRefused - 1) +
                                                 " rows are refused, the first is " +
                                                 text_of(loaded_.refused.front(), name_) +
                                                 "; is it really of the form " + std::string(format) + "?");
  const double start = start_s();
  const auto before = loaded_.refused.size();
  for (auto& draft : drafts_) finish_draft(draft, start);
  auto& refused = loaded_.refused;
  if (before != refused.size())
    std::stable_sort(refused.begin(), refused.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  auto& jobs = loaded_.trace.jobs;
  const auto earlier = [](const TraceJob& a, const TraceJob& b) { return a.arrival_s < b.arrival_s; };
  if (!std::is_sorted(jobs.begin(), jobs.end(), earlier)) {
    std::stable_sort(jobs.begin(), jobs.end(), earlier);
    note("arrivals were out of order: sorted");
  }
  if (jobs.empty())
    return fail(ErrorCode::kInvalidArgument,
                name_ + ": no usable row" +
                    (refused.empty() ? " after the header"
                                     : " of " + std::to_string(loaded_.rows) +
                                           ", the first is refused: " + text_of(refused.front(), name_)));
  add_notes();
  loaded_.format = format;
  return std::move(loaded_);
}

}  // namespace hadar::traces
