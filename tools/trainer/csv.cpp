#include "tools/trainer/csv.hpp"

#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace hadar::trainer {
namespace {

// Appends the numbers of a line; false when it is not exactly `columns` numbers.
bool append_line(std::string_view line, std::size_t columns, std::vector<float>& cells) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t column = 0; column < columns; ++column) {
    if (column > 0) {
      if (at == end || *at != ',') return false;
      ++at;
    }
    float value = 0;
    const auto [next, failure] = std::from_chars(at, end, value);
    if (failure != std::errc{}) return false;
    cells.push_back(value);
    at = next;
  }
  return at == end;
}

}  // namespace

Result<Table> read_csv(const std::filesystem::path& path, std::size_t columns, bool has_header) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::kNotFound, path.string() + ": no such data file; run launchers/prepare-data");
  std::ostringstream whole;
  whole << file.rdbuf();
  if (file.bad() || whole.fail()) return fail(ErrorCode::kIo, path.string() + ": cannot be read, must be a data file");
  const std::string text = std::move(whole).str();
  Table table{columns, {}};
  std::size_t line_number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    const std::string_view line(text.data() + start, end - start);
    start = end + 1;
    if (++line_number == 1 && has_header) continue;
    if (!append_line(line, columns, table.cells))
      return fail(ErrorCode::kCorrupt, path.string() + ":" + std::to_string(line_number) + ": not " +
                                           std::to_string(columns) + " comma-separated numbers; delete the file and " +
                                           "run launchers/prepare-data");
  }
  return table;
}

}  // namespace hadar::trainer
