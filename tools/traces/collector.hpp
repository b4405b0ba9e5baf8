// From rows of any form to jobs: what all forms have in common. Internal to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/traces/model_draw.hpp"
#include "tools/traces/trace.hpp"

namespace hadar::traces {

// What a row says of a job. Exactly one of total_steps and duration_s must be there; where both are, duration_s serves
// a redraw.
struct Draft {
  std::uint32_t line = 0;
  std::string id;  // empty: the number of the row
  double time_s = 0;
  std::string model;  // empty: to be drawn
  std::uint32_t batch_size = 1;
  double gpus = 1;  // rounded up to whole GPUs
  std::optional<std::uint64_t> total_steps;
  std::optional<double> duration_s;
  double weight = 1;
  double deadline_s = 0;
  std::string user;
  bool forkable = true;
  std::string_view gpus_column;      // for refusals
  std::string_view duration_column;  // likewise
};

class Collector {
 public:
  Collector(std::string name, const LoadOptions& options);

  // Takes a row that broke no rule of its form.
  void take(Draft draft);
  // Adds a row to the job of its id, or begins one: start is the earliest, end the latest, GPUs add up.
  void join(Draft draft);
  void refuse(std::uint32_t line, std::string_view column, std::string_view value, std::string_view rule);
  // Counts a remark about a row; `text` is static and comes after "N rows: ".
  void remark(std::string_view text);
  // A note about the whole file.
  void note(std::string text) { loaded_.notes.push_back(std::move(text)); }
  // Times are dates: arrivals count from the earliest job.
  void times_are_dates() { from_earliest_ = true; }
  // Times count from the start of the trace, however late the first is.
  void times_are_kept() { kept_ = true; }

  [[nodiscard]] bool full() const;  // so many refusals that reading on has no use
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const ModelDraw& models() const { return draw_; }

  Result<LoadedTrace> finish(std::string_view format) &&;

 private:
  void finish_draft(Draft& draft, double earliest_s);
  bool settle_model(Draft& draft);
  void add_notes();
  double start_s();

  std::string name_;
  const LoadOptions& options_;
  ModelDraw draw_;
  std::vector<Draft> drafts_;
  std::unordered_map<std::string, std::size_t> by_id_;  // place in drafts_
  std::vector<std::pair<std::string_view, std::uint64_t>> remarks_;
  bool from_earliest_ = false;
  bool kept_ = false;
  LoadedTrace loaded_;
};

// At most 60 bytes and "…" where it was cut; control characters and what is not UTF-8 as '?'.
std::string shown(std::string_view value);

}  // namespace hadar::traces
