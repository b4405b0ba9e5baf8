#include "runtime/store/round_archive.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "runtime/store/blob_store.hpp"
#include "runtime/store/file_io.hpp"

namespace hadar {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "hadar round 1\n";
constexpr std::string_view kSuffix = ".round";

struct RecordName {
  std::uint64_t round = 0;
  std::uint64_t early = 0;  // 0: at the border

  friend auto operator<=>(const RecordName&, const RecordName&) = default;
};

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "12" or "000012.1"
std::optional<RecordName> parse_name(std::string_view text) {
  const auto dot = text.find('.');
  const auto round = number_in(text.substr(0, dot));
  if (!round) return std::nullopt;
  if (dot == std::string_view::npos) return RecordName{*round, 0};
  const auto early = number_in(text.substr(dot + 1));
  if (!early || *early == 0) return std::nullopt;
  return RecordName{*round, *early};
}

std::string file_name(const RecordName& name) {
  auto text = std::to_string(name.round);
  text.insert(0, text.size() < 6 ? 6 - text.size() : 0, '0');
  if (name.early > 0) text += "." + std::to_string(name.early);
  return text + std::string(kSuffix);
}

Result<std::set<RecordName>> names_in(const fs::path& folder) {
  std::set<RecordName> names;
  std::error_code error;
  if (!fs::exists(folder, error)) return fail(ErrorCode::kNotFound, "no folder of rounds: " + folder.string());
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.ends_with(kSuffix)) continue;
    if (const auto parsed = parse_name(std::string_view(name).substr(0, name.size() - kSuffix.size())))
      names.insert(*parsed);
  }
  if (error) return fail(ErrorCode::kIo, "cannot list " + folder.string() + ": " + error.message());
  return names;
}

void put_number(std::string& out, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}

void put_bytes(std::string& out, std::span<const std::byte> bytes) {
  put_number(out, bytes.size());
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Takes pieces off the front; after the first piece that is not there everything is empty and `ok` is false.
struct Cursor {
  std::string_view rest;
  bool ok = true;

  std::string_view take(std::uint64_t size) {
    if (size > rest.size()) ok = false;
    if (!ok) return {};
    const auto piece = rest.substr(0, size);
    rest.remove_prefix(size);
    return piece;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto bytes = take(8);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
  }
  std::vector<std::byte> bytes() {
    const auto piece = std::as_bytes(std::span(take(number())));
    return {piece.begin(), piece.end()};
  }
};

std::string encode(const RoundRecord& record) {
  std::string out(kMagic);
  put_number(out, record.round.value);
  put_number(out, record.early ? 1 : 0);
  put_bytes(out, std::as_bytes(std::span(record.policy)));
  put_bytes(out, record.input);
  put_bytes(out, record.plan);
  put_number(out, chunk_checksum(std::as_bytes(std::span(out))));
  return out;
}

}  // namespace

Result<std::unique_ptr<RoundArchive>> RoundArchive::open(const fs::path& folder, std::size_t keep_rounds) {
  if (auto made = make_folders(folder); !made) return tl::unexpected(made.error());
  remove_temporaries(folder);
  return std::unique_ptr<RoundArchive>(new RoundArchive(folder, keep_rounds));
}

Status RoundArchive::save(const RoundRecord& record) {
  auto names = names_in(folder_);
  if (!names) return tl::unexpected(names.error());
  RecordName name{record.round.value, 0};
  std::vector<RecordName> same_round;
  std::set<std::uint64_t> rounds{record.round.value};
  for (const auto& other : *names) {
    rounds.insert(other.round);
    if (other.round == name.round && other.early > 0) same_round.push_back(other);
  }
  if (record.early) name.early = same_round.empty() ? 1 : same_round.back().early + 1;
  if (auto written = write_file_atomic(folder_ / file_name(name), encode(record)); !written) return written;

  const auto drop = [this](const RecordName& old) { ::unlink((folder_ / file_name(old)).c_str()); };
  if (record.early && same_round.size() >= kEarlyPlans) drop(same_round.front());
  while (rounds.size() > keep_rounds_) {
    const auto oldest = *rounds.begin();
    for (const auto& other : *names)
      if (other.round == oldest) drop(other);
    rounds.erase(rounds.begin());
  }
  return {};
}

Result<std::vector<fs::path>> round_files(const fs::path& folder) {
  const auto names = names_in(folder);
  if (!names) return tl::unexpected(names.error());
  std::vector<fs::path> files;
  for (const auto& name : *names) files.push_back(folder / file_name(name));
  return files;
}

Result<fs::path> find_round(const fs::path& folder, const std::string& name) {
  const auto files = round_files(folder);
  if (const auto parsed = parse_name(name); parsed && files) {
    const auto file = folder / file_name(*parsed);
    if (std::find(files->begin(), files->end(), file) != files->end()) return file;
  }
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored)) return fs::path(name);
  if (!parse_name(name))
    return fail(ErrorCode::kInvalidArgument,
                "round: got \"" + name + "\", must be a number, NUMBER.EARLY for an early replan, or a round's file");
  if (!files) return tl::unexpected(files.error());
  if (files->empty()) return fail(ErrorCode::kNotFound, "no round " + name + ": no rounds in " + folder.string());
  return fail(ErrorCode::kNotFound, "no round " + name + " in " + folder.string() + ", there are " +
                                        files->front().stem().string() + " to " + files->back().stem().string());
}

Result<RoundRecord> read_round(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  Cursor cursor{*text};
  const bool marked = cursor.take(kMagic.size()) == kMagic;
  RoundRecord record;
  record.round.value = cursor.number();
  record.early = cursor.number() != 0;
  record.policy = std::string(cursor.take(cursor.number()));
  record.input = cursor.bytes();
  record.plan = cursor.bytes();
  const auto checksum = chunk_checksum(std::as_bytes(std::span(*text).first(text->size() - cursor.rest.size())));
  if (marked && cursor.number() == checksum && cursor.ok && cursor.rest.empty()) return record;
  return fail(ErrorCode::kCorrupt, file.string() + " is not a whole round record: it is cut short or damaged");
}

}  // namespace hadar
