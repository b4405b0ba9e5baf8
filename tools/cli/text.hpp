// How values look to people: tables, durations, GPU lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/job.hpp"

namespace hadar::cli {

// Columns aligned by their widest cell, two spaces between; the last column is not padded. Widths count code points.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void add(std::vector<std::string> row);  // as many cells as the header
  [[nodiscard]] std::string text() const;  // ends with a line break

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "12.3s", "4m05s", "2h03m"; "-" when absent.
std::string duration_text(std::optional<double> seconds);

// Shortest form that reads back with six significant digits; never in a locale.
std::string number_text(double value);

// "2×V100+1×K80".
std::string gpus_text(const std::vector<GpuGroup>& gpus);

// "1 job", "2 jobs"; `what` is one of them.
std::string count_text(std::uint64_t count, const std::string& what);

// Control characters as "?", so that a line stays a line.
std::string one_line(std::string text);

// How many of the node's GPUs are idle, per type, in the order of its inventory.
std::vector<std::uint32_t> idle_by_group(const NodeView& node);

// "accuracy=0.97 loss=0.1".
std::string metrics_text(const Metrics& metrics);

// "█████·····" of `width` cells for done/total, "=====....." when `plain`.
std::string bar_text(double part, int width, bool plain);

// What a job's credited steps are worth.
std::string worth_text(const JobStatus& job);

// Steps done so far, credited and running, never above the total.
std::uint64_t steps_seen(const JobStatus& job);

// The reason code of a job; its state in lower case when nothing is said. And one sentence with numbers.
std::string reason_code(const JobStatus& job);
std::string reason_text(const JobStatus& job);

// Whether stdout is a terminal.
bool stdout_is_terminal();

// Writes to stdout at once; false when not everything could be written, now or earlier. Commands may go on or stop
// then: main() looks at output_error() at the end.
bool print(std::string_view text);

// errno of the first print() that failed; 0 when everything was written. EPIPE: the reader went away. EINTR: Ctrl-C.
int output_error();

}  // namespace hadar::cli
