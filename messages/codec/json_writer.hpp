// Writes one JSON object on one line. Inside the codec only.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "messages/types/ids.hpp"

namespace hadar::json {

// A struct with named fields has `template <class Io, Is<S> E> void fields(Io& io, E& value)` in this namespace, which
// calls io(key, field) for each. The writer and the reader share it, so they cannot drift apart.
template <class E, class S>
concept Is = std::same_as<std::remove_const_t<E>, S>;

// Enums that are written by name have `std::span<const Named<E>> names_of(Named<E>)`.
template <class E>
struct Named {
  E value;
  std::string_view name;
};

class Writer {
 public:
  static constexpr bool kReads = false;

  template <class T>
  void operator()(std::string_view key, const T& value) {
    name(key);
    write(value);
  }

  // A whole struct as an object.
  template <class T>
  void object(const T& value) {
    open('{');
    fields(*this, value);
    close('}');
  }

  void open(char bracket);
  void close(char bracket);
  [[nodiscard]] std::string take() { return std::move(line_); }

 private:
  void name(std::string_view key);
  void separate();
  void write(bool value) { line_ += value ? "true" : "false"; }
  void write(std::uint64_t value) { line_ += std::to_string(value); }
  void write(std::uint32_t value) { line_ += std::to_string(value); }
  void write(double value);  // aborts when it is not finite
  void write(std::string_view value);
  void write(const std::string& value) { write(std::string_view(value)); }

  template <class Tag>
  void write(const Id<Tag>& value) {
    write(value.value);
  }

  template <class T>
  void write(const std::vector<T>& values) {
    open('[');
    for (const auto& value : values) {
      separate();
      write(value);
    }
    close(']');
  }

  void write(const std::map<std::string, double>& values) {
    open('{');
    for (const auto& [key, value] : values) (*this)(key, value);
    close('}');
  }

  template <class T>
  requires std::is_enum_v<T>
  void write(const T& value) {
    for (const auto& named : names_of(Named<T>{}))
      if (named.value == value) return write(named.name);
    write(std::string_view());
  }

  template <class T>
  requires std::is_class_v<T>
  void write(const T& value) { object(value); }

  std::string line_;
  bool first_ = true;  // nothing stands yet in the innermost bracket
};

}  // namespace hadar::json
