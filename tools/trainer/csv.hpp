// Tables of numbers in CSV files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar::trainer {

// `cells` holds the rows one after another.
struct Table {
  std::size_t columns = 0;
  std::vector<float> cells;

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : cells.size() / columns; }
  [[nodiscard]] float at(std::size_t row, std::size_t column) const { return cells[row * columns + column]; }
};

// Reads a file whose every line holds `columns` comma-separated numbers, after one header line when `has_header`.
// kNotFound: no such file (the message says how to get it); kCorrupt: names file:line of the first bad line.
Result<Table> read_csv(const std::filesystem::path& path, std::size_t columns, bool has_header);

}  // namespace hadar::trainer
