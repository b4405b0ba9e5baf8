// Rows of a text file, one after the other, with the line each starts in.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace hadar::traces {

struct TextRow {
  std::uint32_t line = 0;               // from 1
  std::vector<std::string_view> cells;  // valid until the next row; at most kMostCells of them
  std::size_t cell_count = 0;           // how many there were
  std::string_view broken;              // what is wrong with the row as a whole; empty = nothing
};

inline constexpr std::size_t kMostCells = 256;

// Splits at `separator`. Blank lines, CRLF, spaces around cells and a missing last line break are harmless. With a
// comma cells may be in double quotes and then hold commas, line breaks and doubled quotes; a quote left open breaks
// its line only. Does not own the text.
class TextRows {
 public:
  TextRows(std::string_view text, char separator) : text_(text), separator_(separator) {}

  // The next row that is not blank; false at the end.
  bool next(TextRow& row);

 private:
  void read_row(TextRow& row);
  std::string_view read_cell(TextRow& row);
  std::string_view read_quoted(TextRow& row);
  std::string_view read_plain();
  [[nodiscard]] std::size_t line_end(std::size_t from) const;
  [[nodiscard]] bool at_cell_end() const;
  void skip_line(TextRow& row, std::size_t from);

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::deque<std::string> unquoted_;  // cells with doubled quotes
};

}  // namespace hadar::traces
