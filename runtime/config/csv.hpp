// Comma-separated tables with a header line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar {

struct CsvRow {
  std::uint32_t line = 0;  // where it starts, from 1
  std::vector<std::string> cells;
};

struct CsvTable {
  std::string name;  // of the file, for errors
  CsvRow header;
  std::vector<CsvRow> rows;

  // "name:line: column 'c': got 'v', must be …"
  [[nodiscard]] Error cell_error(const CsvRow& row, std::size_t column, const std::string& must) const;
};

// Splits a file. Harmless: CRLF, a byte-order mark, blank lines, a missing last line break, spaces around cells. A cell
// in double quotes may hold commas, line breaks and doubled quotes.
// Errors: kNotFound, kIo, kInvalidArgument (no header, a quote left open, text after a closing quote, a row with
// another number of cells than the header, a column twice).
Result<CsvTable> load_csv(const std::filesystem::path& file);

// The same from text; `name` stands for the file in errors.
Result<CsvTable> parse_csv(const std::string& text, const std::string& name);

}  // namespace hadar
