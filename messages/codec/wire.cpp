#include "messages/codec/wire.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "messages/codec/utf8.hpp"
#include "messages/types/check.hpp"

namespace hadar::wire {
namespace {

constexpr std::size_t kMaxListEntries = 1'000'000;
constexpr std::size_t kMaxEntriesOfAllLists = 2'000'000;
constexpr std::size_t kMaxName = 256;
constexpr std::size_t kMaxText = 64 * 1024;
constexpr std::size_t kMaxMemory = 1024 * 1024;
constexpr std::size_t kMaxLog = 16 * 1024 * 1024;
constexpr std::uint32_t kMaxGang = 65'536;
constexpr std::size_t kScratchWords = 4096;
constexpr int kNestingLimit = 32;

// A broken rule, on its way from read() to read_frame().
struct BrokenRule {
  std::string message;
};

std::string number_text(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string quoted(std::string_view value) {
  constexpr std::size_t kShown = 64;
  std::string shown = "\"";
  for (const char c : value.substr(0, kShown)) shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return shown + (value.size() > kShown ? "…\"" : "\"");
}

std::string bytes_text(std::size_t size) {
  return std::to_string(size) + " bytes";
}

std::string one_line(std::string_view value) {
  std::string line(value);
  for (char& c : line)
    if (c == '\n' || c == '\r') c = ' ';
  return line;
}

Status read_words(kj::ArrayPtr<const capnp::word> words, std::string_view message,
                  const std::function<void(capnp::MessageReader&, const Where&)>& read_root) {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = 4 * words.size() + 1024;
  options.nestingLimit = kNestingLimit;
  std::size_t budget = kMaxEntriesOfAllLists;
  try {
    capnp::FlatArrayMessageReader reader(words, options);
    if (reader.getEnd() != words.end())
      return fail(ErrorCode::kCorrupt,
                  std::string(message) + ": " +
                      bytes_text(static_cast<std::size_t>(words.end() - reader.getEnd()) * sizeof(capnp::word)) +
                      " after the end of the message, must be none");
    read_root(reader, Where(message, budget));
  } catch (const kj::Exception& e) {
    return fail(ErrorCode::kCorrupt,
                std::string(message) + ": not a Cap'n Proto message: " + one_line(e.getDescription().cStr()));
  } catch (const BrokenRule& broken) {
    return fail(ErrorCode::kInvalidArgument, broken.message);
  } catch (const std::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string(message) + ": cannot be read: " + one_line(e.what()));
  }
  return {};
}

}  // namespace

std::string Where::path() const {
  if (up_ == nullptr) return std::string(name_);
  auto path = up_->path();
  if (index_ != kNoIndex) return path + "[" + std::to_string(index_) + "]";
  return path + "." + std::string(name_);
}

void Where::spend(std::size_t entries) const {
  const auto counted = [&] { return std::to_string(entries) + " entries"; };
  if (entries > kMaxListEntries) refuse(*this, counted(), "must be at most 1000000");
  if (entries > *budget_) refuse(*this, counted(), "all lists of a message must have at most 2000000 together");
  *budget_ -= entries;
}

void refuse(const Where& at, std::string_view value, std::string_view rule) {
  throw BrokenRule{at.path() + ": " + quoted(value) + ", " + std::string(rule)};
}

void refuse(const Where& at, double value, std::string_view rule) {
  throw BrokenRule{at.path() + ": " + number_text(value) + ", " + std::string(rule)};
}

void refuse(const Where& at, std::uint64_t value, std::string_view rule) {
  throw BrokenRule{at.path() + ": " + std::to_string(value) + ", " + std::string(rule)};
}

double finite(double value, const Where& at) {
  if (!std::isfinite(value)) refuse(at, value, "must be a finite number");
  return value;
}

double not_negative(double value, const Where& at) {
  if (!std::isfinite(value) || value < 0) refuse(at, value, "must be a finite number, at least 0");
  return value;
}

double part_of_one(double value, const Where& at) {
  if (!(value >= 0 && value <= 1)) refuse(at, value, "must be from 0 to 1");
  return value;
}

double positive(double value, const Where& at) {
  if (!std::isfinite(value) || value <= 0) refuse(at, value, "must be a finite number above 0");
  return value;
}

std::uint32_t gang_size(std::uint32_t value, const Where& at) {
  return between<std::uint32_t>(value, 1, kMaxGang, at);
}

std::string read_name(capnp::Text::Reader value, const Where& at) {
  if (value.size() == 0) refuse(at, "", "must not be empty");
  return read_optional_name(value, at);
}

std::string read_optional_name(capnp::Text::Reader value, const Where& at) {
  const std::string_view name(value.begin(), value.size());
  if (name.size() > kMaxName) refuse(at, bytes_text(name.size()), "must be at most 256");
  if (has_control(name)) refuse(at, name, "must have no control characters");
  if (!is_utf8(name)) refuse(at, bytes_text(name.size()), "must be UTF-8");
  return std::string(name);
}

std::string read_text(capnp::Text::Reader value, const Where& at) {
  if (value.size() > kMaxText) refuse(at, bytes_text(value.size()), "must be at most 65536");
  return {value.begin(), value.size()};
}

std::string read_hash(capnp::Text::Reader value, const Where& at) {
  std::string hash(value.begin(), value.size());
  if (hash.empty()) return hash;
  if (hash.size() != 32 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    refuse(at, hash, "must be 32 lower-case hex digits");
  return hash;
}

std::string read_memory(capnp::Data::Reader value, const Where& at) {
  if (value.size() > kMaxMemory) refuse(at, bytes_text(value.size()), "must be at most 1048576");
  return {value.asChars().begin(), value.size()};
}

std::string read_log(capnp::Data::Reader value, const Where& at) {
  if (value.size() > kMaxLog) refuse(at, bytes_text(value.size()), "must be at most 16777216");
  return {value.asChars().begin(), value.size()};
}

std::vector<std::string> read_names(capnp::List<capnp::Text>::Reader list, const Where& at) {
  return read_list(list, at, read_name);
}

std::vector<std::string> read_texts(capnp::List<capnp::Text>::Reader list, const Where& at) {
  return read_list(list, at, read_text);
}

std::vector<std::uint32_t> read_numbers(capnp::List<std::uint32_t>::Reader list, const Where& at) {
  return read_list(list, at, [](std::uint32_t value, const Where&) { return value; });
}

std::vector<std::uint32_t> read_gpus(capnp::List<std::uint32_t>::Reader list, const Where& at) {
  if (list.size() == 0) refuse(at, "", "must name at least one GPU");
  auto gpus = read_numbers(list, at);
  check_rising(
      gpus, [](std::uint32_t gpu) { return gpu; }, at);
  if (gpus.back() >= kMaxGang) refuse(at[gpus.size() - 1], gpus.back(), "must be below 65536");
  return gpus;
}

std::vector<std::byte> flatten(capnp::MallocMessageBuilder& message) {
  const auto segments = message.getSegmentsForOutput();
  if (segments.size() > 1) {
    // How a large message is cut into segments is the library's affair; one segment gives the same bytes everywhere.
    const auto root = message.getRoot<capnp::AnyPointer>().asReader();
    capnp::MallocMessageBuilder whole(static_cast<unsigned>(root.targetSize().wordCount + 1));
    whole.setRoot(root);
    HADAR_ENSURE(whole.getSegmentsForOutput().size() == 1);
    return flatten(whole);
  }
  const auto words = segments[0].asBytes();
  const std::array<std::uint32_t, 2> table{0, static_cast<std::uint32_t>(segments[0].size())};
  std::vector<std::byte> body(sizeof(table) + words.size());
  std::memcpy(body.data(), table.data(), sizeof(table));
  std::memcpy(body.data() + sizeof(table), words.begin(), words.size());
  return body;
}

kj::ArrayPtr<capnp::word> scratch_words() {
  alignas(8) static thread_local std::array<std::uint64_t, kScratchWords> words{};
  return {reinterpret_cast<capnp::word*>(words.data()), words.size()};
}

Status read_frame(std::span<const std::byte> body, std::string_view message,
                  const std::function<void(capnp::MessageReader&, const Where&)>& read_root) {
  constexpr std::size_t kWord = sizeof(capnp::word);
  if (body.empty() || body.size() % kWord != 0)
    return fail(ErrorCode::kCorrupt, std::string(message) + ": a frame of " + bytes_text(body.size()) +
                                         ", must be a whole number of 8-byte words, at least one");
  const std::size_t words = body.size() / kWord;
  if (reinterpret_cast<std::uintptr_t>(body.data()) % kWord == 0)
    return read_words({reinterpret_cast<const capnp::word*>(body.data()), words}, message, read_root);
  std::vector<std::uint64_t> copy(words);
  std::memcpy(copy.data(), body.data(), body.size());
  return read_words({reinterpret_cast<const capnp::word*>(copy.data()), words}, message, read_root);
}

Status refuse_payload(std::string_view message, const Payload& payload) {
  if (payload.empty()) return {};
  return fail(ErrorCode::kCorrupt,
              std::string(message) + ": came with a payload of " + bytes_text(payload.size()) + ", must have none");
}

}  // namespace hadar::wire
