#include "runtime/config/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <numeric>
#include <system_error>

namespace hadar {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

Result<std::string> read_text(const fs::path& file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return fail(ErrorCode::kNotFound, "no such file: " + file.string());
  if (!fs::status_known(status)) return fail(ErrorCode::kIo, "cannot open " + file.string() + ": " + error.message());
  if (fs::is_directory(status)) return fail(ErrorCode::kIo, file.string() + " is a folder, must be a file");
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorCode::kIo, "cannot open " + file.string() + ": " + std::generic_category().message(errno));
  std::string text;
  std::array<char, 65536> buffer{};
  while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostBytes)
      return fail(ErrorCode::kInvalidArgument,
                  file.string() + " is larger than " + std::to_string(kMostBytes) + " bytes");
  }
  if (in.bad()) return fail(ErrorCode::kIo, "cannot read " + file.string());
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

std::string number_text(double value) {
  std::array<char, 40> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::optional<double> parse_number(std::string_view text) {
  return parse_whole<double>(text);
}
std::optional<std::uint64_t> parse_count(std::string_view text) {
  return parse_whole<std::uint64_t>(text);
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  auto best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const auto distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string any_of_text(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace hadar
