#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "runtime/config/endpoint.hpp"
#include "runtime/config/names.hpp"
#include "runtime/config/option_visitor.hpp"
#include "runtime/config/text.hpp"
#include "runtime/config/toml_tree.hpp"

namespace hadar {
namespace {

// Fills a config from one parsed file or one override.
class OptionReader final : public OptionVisitor {
 public:
  OptionReader(const TomlTable& root, std::filesystem::path folder, FirstFault& fault)
      : root_(root, "", fault), folder_(std::move(folder)), fault_(fault) {}

  void finish() {
    end_section();
    root_.done();
  }

  void section(const char* name, const char*) override {
    end_section();
    static const TomlTable kNone;
    const auto* table = find_section(name);
    reader_.emplace(table ? *table : kNone, std::string(name) + ".", fault_);
  }

  void flag(const char* key, bool& value, const char*) override { reader_->read(key, value); }
  void number(const char* key, double& value, const NumberRange& range, const char*) override {
    reader_->read(key, value, range);
  }
  void count(const char* key, std::uint32_t& value, const NumberRange& range, const char*) override {
    reader_->read(key, value, range);
  }

  void name(const char* key, std::string& value, const char*) override {
    reader_->read(key, value);
    if (reader_->has(key) && !value.empty() && !is_plain_name(value)) refuse(key, value, kPlainNameRule);
  }

  void endpoint(const char* key, std::string& value, const char*) override {
    reader_->read(key, value);
    if (reader_->has(key) && !value.empty() && !is_endpoint(value)) refuse(key, value, "tcp://HOST:PORT or ipc://PATH");
  }

  void choice(const char* key, std::string& value, const std::vector<std::string>& allowed, const char*) override {
    reader_->read(key, value);
    if (reader_->has(key)) check_word(key, value, allowed);
  }

  void choices(const char* key, std::vector<std::string>& value, const std::vector<std::string>& allowed,
               const char*) override {
    reader_->read(key, value);
    if (!reader_->has(key)) return;
    std::set<std::string> seen;
    for (const auto& word : value) {
      check_word(key, word, allowed);
      if (!seen.insert(word).second) reader_->fault(key, "got " + quote_toml(word) + " twice, must be there once");
    }
  }

  void path(const char* key, std::filesystem::path& value, const char*) override { reader_->read(key, value, folder_); }
  void gpus(const char* key, std::vector<GpuGroup>& value, const char*) override { reader_->read(key, value, true); }

  void open_section(const char* name, PolicyOptions& values, const char*) override {
    end_section();
    const auto* table = find_section(name);
    if (!table) return;
    for (const auto& member : *table) read_open(name, member, values);
  }

 private:
  const TomlTable* find_section(const char* name) {
    const auto* member = root_.find(name);
    if (!member) return nullptr;
    const auto* table = std::get_if<TomlTable>(&member->value.data);
    if (!table) root_.fault(name, "got " + describe(member->value) + ", must be a section [" + std::string(name) + "]");
    return table;
  }

  void end_section() {
    if (reader_) reader_->done();
    reader_.reset();
  }

  void refuse(const char* key, const std::string& value, const std::string& must) {
    reader_->fault(key, "got " + quote_toml(value) + ", must be " + must);
  }

  void check_word(const char* key, const std::string& word, const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return;
    const auto near = nearest(word, allowed);
    refuse(key, word, any_of_text(allowed) + (near ? " (nearest: " + *near + ")" : ""));
  }

  void read_open(const char* name, const TomlMember& member, PolicyOptions& values) {
    const auto& data = member.value.data;
    const auto* real = std::get_if<double>(&data);
    if (const auto* flag = std::get_if<bool>(&data))
      values[member.key] = *flag;
    else if (const auto* whole = std::get_if<std::int64_t>(&data))
      values[member.key] = static_cast<double>(*whole);
    else if (real && std::isfinite(*real))
      values[member.key] = *real;
    else if (const auto* text = std::get_if<std::string>(&data))
      values[member.key] = *text;
    else
      fault_.note(member.value.place, std::string(name) + "." + member.key,
                  "got " + describe(member.value) + ", must be text, a finite number, true or false");
  }

  TableReader root_;
  std::filesystem::path folder_;
  FirstFault& fault_;
  std::optional<TableReader> reader_;
};

Status read_into(ProcessConfig& config, const TomlTable& table, const std::filesystem::path& folder,
                 const std::string& source) {
  FirstFault fault(source);
  OptionReader reader(table, folder, fault);
  visit_options(reader, config);
  reader.finish();
  return fault.status();
}

Status apply_override(ProcessConfig& config, const std::string& text) {
  const auto source = "--set " + text;
  const auto equals = text.find('=');
  const auto dot = text.find('.');
  if (equals == std::string::npos || dot > equals || dot == 0 || dot + 1 == equals)
    return fail(ErrorCode::kInvalidArgument, source + ": must be section.key=value");
  TomlMember option{text.substr(dot + 1, equals - dot - 1), {}, parse_toml_value(text.substr(equals + 1))};
  TomlValue section;
  section.data = TomlTable{std::move(option)};
  const TomlTable root{{text.substr(0, dot), {}, std::move(section)}};
  std::error_code ignored;
  return read_into(config, root, std::filesystem::current_path(ignored), source);
}

}  // namespace

Result<ProcessConfig> load_process_config(const std::filesystem::path& file, std::span<const std::string> overrides) {
  ProcessConfig config;
  if (!file.empty()) {
    const auto text = read_text(file);
    if (!text) return tl::unexpected(text.error());
    const auto table = parse_toml(*text, file.string());
    if (!table) return tl::unexpected(table.error());
    const auto folder = std::filesystem::absolute(file).parent_path();
    if (auto read = read_into(config, *table, folder, file.string()); !read) return tl::unexpected(read.error());
  }
  for (const auto& text : overrides)
    if (auto applied = apply_override(config, text); !applied) return tl::unexpected(applied.error());
  return config;
}

}  // namespace hadar
