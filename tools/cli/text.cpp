#include "tools/cli/text.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "messages/types/check.hpp"
#include "tools/cli/interrupt.hpp"

namespace hadar::cli {
namespace {

constexpr int kPollMs = 100;
int first_output_error = 0;  // stdout belongs to the process, and so does this

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

std::string lower(std::string text) {
  for (auto& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

Table::Table(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) {
  HADAR_REQUIRE(row.size() == rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string duration_text(std::optional<double> seconds) {
  if (!seconds || !std::isfinite(*seconds)) return "-";
  if (*seconds < 60) return fmt::format("{:.1f}s", *seconds);
  const auto whole = static_cast<std::uint64_t>(*seconds);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

std::string gpus_text(const std::vector<GpuGroup>& gpus) {
  std::string out;
  for (const auto& group : gpus) out += fmt::format("{}{}×{}", out.empty() ? "" : "+", group.count, group.type);
  return out.empty() ? "-" : out;
}

std::string count_text(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::vector<std::uint32_t> idle_by_group(const NodeView& node) {
  std::vector<std::uint32_t> idle(node.inventory.gpus.size());
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < idle.size(); ++i) {
    const auto end = first + node.inventory.gpus[i].count;
    for (const auto gpu : node.idle_gpus) idle[i] += gpu >= first && gpu < end ? 1U : 0U;
    first = end;
  }
  return idle;
}

std::string metrics_text(const Metrics& metrics) {
  std::string out;
  for (const auto& [name, value] : metrics)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, number_text(value));
  return out.empty() ? "-" : out;
}

std::string bar_text(double part, int width, bool plain) {
  const auto cells = static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * width));
  std::string out;
  for (int i = 0; i < width; ++i) {
    if (plain)
      out += i < cells ? "=" : ".";
    else
      out += i < cells ? "█" : "·";
  }
  return out;
}

std::string worth_text(const JobStatus& job) {
  if (!job.steps_effective) return "not known yet: its merges do not tell their efficiency";
  auto text = fmt::format("{:.0f} effective steps", *job.steps_effective);
  if (job.merge_efficiency) text += fmt::format(", merges keep {:.2f} of what slower forks add", *job.merge_efficiency);
  return text;
}

std::uint64_t steps_seen(const JobStatus& job) {
  return std::min(job.spec.total_steps, job.steps_credited + job.steps_running);
}

std::string reason_code(const JobStatus& job) {
  const auto state = lower(name_of(job.state));
  const auto& code = job.reason.code;
  if (is_final(job.state)) return code.starts_with(state) ? code : state;  // how it ended, not what it waited for
  return code.empty() ? state : code;
}

std::string reason_text(const JobStatus& job) {
  if (!job.reason.text.empty()) return job.reason.text;
  return fmt::format("{}: {} of {} steps credited, {} forks hold GPUs", lower(name_of(job.state)), job.steps_credited,
                     job.spec.total_steps, job.forks);
}

bool stdout_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

bool print(std::string_view text) {
  while (first_output_error == 0 && !text.empty()) {
    const auto wrote = ::write(STDOUT_FILENO, text.data(), text.size());
    if (wrote >= 0) {
      text.remove_prefix(static_cast<std::size_t>(wrote));
    } else if (errno == EAGAIN) {
      pollfd writable = {STDOUT_FILENO, POLLOUT, 0};
      poll(&writable, 1, kPollMs);
      if (interrupted()) first_output_error = EINTR;
    } else if (errno != EINTR || interrupted()) {
      first_output_error = errno;
    }
  }
  return first_output_error == 0;
}

int output_error() {
  return first_output_error;
}

}  // namespace hadar::cli
