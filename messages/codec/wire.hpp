// What all codecs share: frames in and out, checked reading of fields and lists. Inside the codec only.
//
// For each schema struct S there is `void build(S::Builder, const hadar::S&)` and `hadar::S read(S::Reader, const
// Where&)` in this namespace; the templates below find them by argument. read() leaves by an exception when a rule is
// broken; decode_as() turns it into an Error.
#pragma once

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "messages/codec/codec.hpp"
#include "messages/types/ids.hpp"

namespace hadar::wire {

// Where a value stands in its message, for error texts: "prepare_leases.leases[2].quota_steps". Children point to their
// parents on the stack.
class Where {
 public:
  // `budget` = how many list entries the whole message may still have.
  Where(std::string_view message, std::size_t& budget) : name_(message), budget_(&budget) {}

  Where operator/(std::string_view field) const { return Where(this, field, kNoIndex); }
  Where operator[](std::size_t index) const { return Where(this, {}, index); }

  [[nodiscard]] std::string path() const;
  // Takes a list's entries off the budget; refuses a list that goes beyond it.
  void spend(std::size_t entries) const;

 private:
  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);
  Where(const Where* up, std::string_view name, std::size_t index)
      : up_(up), name_(name), index_(index), budget_(up->budget_) {}

  const Where* up_ = nullptr;
  std::string_view name_;
  std::size_t index_ = kNoIndex;
  std::size_t* budget_;
};

// Leaves reading with "path: value, rule". Text values are shortened and quoted.
[[noreturn]] void refuse(const Where& at, std::string_view value, std::string_view rule);
[[noreturn]] void refuse(const Where& at, double value, std::string_view rule);
[[noreturn]] void refuse(const Where& at, std::uint64_t value, std::string_view rule);
[[noreturn]] inline void refuse(const Where& at, std::uint32_t value, std::string_view rule) {
  refuse(at, std::uint64_t{value}, rule);
}

// ---- single fields ----

double finite(double value, const Where& at);
double not_negative(double value, const Where& at);
double positive(double value, const Where& at);
double part_of_one(double value, const Where& at);
std::uint32_t gang_size(std::uint32_t value, const Where& at);  // 1 … 65,536

template <class N>
N at_least_one(N value, const Where& at) {
  if (value == 0) refuse(at, value, "must be at least 1");
  return value;
}

template <class N>
N between(N value, N low, N high, const Where& at) {
  if (value < low || value > high) refuse(at, value, "must be " + std::to_string(low) + " to " + std::to_string(high));
  return value;
}

template <class I>
I read_id(std::uint64_t value, const Where& at) {
  return I{at_least_one(value, at)};
}

template <class E, class WireEnum>
E read_enum(WireEnum value, unsigned low, unsigned high, const Where& at) {
  const auto number = static_cast<std::uint16_t>(value);
  if (number < low || number > high)
    refuse(at, std::uint64_t{number}, "must be " + std::to_string(low) + " to " + std::to_string(high));
  return static_cast<E>(number);
}

std::string read_name(capnp::Text::Reader value, const Where& at);  // not empty, ≤ 256 bytes, UTF-8, no control
std::string read_optional_name(capnp::Text::Reader value, const Where& at);  // the same, or empty
std::string read_text(capnp::Text::Reader value, const Where& at);           // ≤ 64 KiB; any bytes
std::string read_hash(capnp::Text::Reader value, const Where& at);           // 32 lower-case hex digits, or empty
std::string read_memory(capnp::Data::Reader value, const Where& at);         // ≤ 1 MiB
std::string read_log(capnp::Data::Reader value, const Where& at);            // ≤ 16 MiB

inline capnp::Text::Reader text(const std::string& value) {
  return {value.c_str(), value.size()};
}
inline capnp::Data::Reader data(const std::string& value) {
  return {reinterpret_cast<const capnp::byte*>(value.data()), value.size()};
}

// ---- lists ----

template <class List, class T>
void build_entry(List& list, unsigned index, const T& value) {
  if constexpr (std::is_arithmetic_v<T>)
    list.set(index, value);
  else if constexpr (std::is_same_v<T, std::string>)
    list.set(index, text(value));
  else if constexpr (requires { T{std::uint64_t{0}}.value; })
    list.set(index, value.value);
  else if constexpr (requires { *value; })
    build(list[index], *value);
  else
    build(list[index], value);
}

// `init` makes the list of a given size. An empty list is left out, which reads the same.
template <class Range, class Init>
void build_list(const Range& range, Init init) {
  if (range.empty()) return;
  auto list = init(static_cast<unsigned>(range.size()));
  unsigned index = 0;
  for (const auto& value : range) build_entry(list, index++, value);
}

// `read_entry(entry, where)` gives each entry's value.
template <class List, class ReadEntry>
auto read_list(List list, const Where& at, ReadEntry read_entry) {
  at.spend(list.size());
  std::vector<std::decay_t<decltype(read_entry(list[0], at))>> values;
  values.reserve(list.size());
  for (unsigned index = 0; index < list.size(); ++index) values.push_back(read_entry(list[index], at[index]));
  return values;
}

template <class List>
auto read_list(List list, const Where& at) {
  return read_list(list, at, [](auto entry, const Where& where) { return read(entry, where); });
}

template <class List>
auto read_shared_list(List list, const Where& at) {
  return read_list(list, at, [](auto entry, const Where& where) {
    auto value = read(entry, where);
    return std::make_shared<const decltype(value)>(std::move(value));
  });
}

template <class I>
std::vector<I> read_ids(capnp::List<std::uint64_t>::Reader list, const Where& at) {
  return read_list(list, at, [](std::uint64_t value, const Where& where) { return read_id<I>(value, where); });
}

std::vector<std::string> read_names(capnp::List<capnp::Text>::Reader list, const Where& at);
std::vector<std::string> read_texts(capnp::List<capnp::Text>::Reader list, const Where& at);
std::vector<std::uint32_t> read_numbers(capnp::List<std::uint32_t>::Reader list, const Where& at);
std::vector<std::uint32_t> read_gpus(capnp::List<std::uint32_t>::Reader list, const Where& at);  // rising, not empty

// A list of {name, value} whose names rise.
template <class Value, class List, class ReadValue>
std::map<std::string, Value> read_rising_map(List list, const Where& at, ReadValue read_value) {
  at.spend(list.size());
  std::map<std::string, Value> values;
  for (unsigned index = 0; index < list.size(); ++index) {
    auto [name, value] = read_value(list[index], at[index]);
    if (!values.empty() && name <= values.rbegin()->first)
      refuse(at[index] / "name", name, "must come after the name before it");
    values.emplace_hint(values.end(), std::move(name), std::move(value));
  }
  return values;
}

// Refuses a list whose keys do not rise. `key_of(entry)` is what must rise.
template <class T, class KeyOf>
void check_rising(const std::vector<T>& values, KeyOf key_of, const Where& at) {
  for (std::size_t index = 1; index < values.size(); ++index)
    if (!(key_of(values[index - 1]) < key_of(values[index])))
      refuse(at[index], key_of(values[index]), "must come after the entry before it");
}

// ---- frames ----

// The bytes of a built message: one segment, the same bytes for the same value.
std::vector<std::byte> flatten(capnp::MallocMessageBuilder& message);

// Zeroed words of this thread, so that small messages need no allocation. Given back zeroed by the builder.
kj::ArrayPtr<capnp::word> scratch_words();

template <class W, class T>
std::vector<std::byte> encode_body(const T& value) {
  capnp::MallocMessageBuilder message(scratch_words());
  build(message.initRoot<W>(), value);
  return flatten(message);
}

template <class W, class T>
Encoded encode_as(const T& value) {
  return {encode_body<W>(value), {}};
}

// Opens a frame of any bytes and calls `read_root`; whatever is wrong becomes an error that starts with `message`.
Status read_frame(std::span<const std::byte> body, std::string_view message,
                  const std::function<void(capnp::MessageReader&, const Where&)>& read_root);

// kCorrupt when a kind that has no payload came with one.
Status refuse_payload(std::string_view message, const Payload& payload);

template <class W, class T>
Result<T> decode_body(std::span<const std::byte> body, std::string_view message) {
  std::optional<T> value;
  auto status = read_frame(body, message, [&](capnp::MessageReader& reader, const Where& at) {
    value.emplace(read(reader.getRoot<W>(), at));
  });
  if (!status) return fail(std::move(status));
  return std::move(*value);
}

template <class W, class T>
Result<T> decode_as(std::span<const std::byte> body, const Payload& payload, std::string_view message) {
  if (auto status = refuse_payload(message, payload); !status) return fail(std::move(status));
  return decode_body<W, T>(body, message);
}

}  // namespace hadar::wire

// The two functions of a codec whose schema struct has the message's name; `name` starts its error texts.
#define HADAR_DEFINE_CODEC(T, name)                                              \
  Encoded Codec<T>::encode(const T& value) {                                     \
    return wire::encode_as<wire::T>(value);                                      \
  }                                                                              \
  Result<T> Codec<T>::decode(std::span<const std::byte> body, Payload payload) { \
    return wire::decode_as<wire::T, T>(body, payload, name);                     \
  }
