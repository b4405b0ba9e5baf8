#include "runtime/config/option_visitor.hpp"
#include "runtime/config/text.hpp"
#include "runtime/config/toml_tree.hpp"

namespace hadar {
namespace {

std::string bare_or_quoted(const std::string& key) {
  const bool bare = !key.empty() && key.find_first_not_of(
                                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-") == std::string::npos;
  return bare ? key : quote_toml(key);
}

class OptionPrinter final : public OptionVisitor {
 public:
  explicit OptionPrinter(bool comments) : comments_(comments) {}

  [[nodiscard]] const std::string& text() const { return out_; }

  void section(const char* name, const char* help) override {
    if (!out_.empty()) out_ += "\n";
    comment(help);
    out_ += std::string("[") + name + "]\n";
  }
  void flag(const char* key, bool& value, const char* help) override {
    comment(help);
    line(key, value ? "true" : "false");
  }
  void number(const char* key, double& value, const NumberRange& range, const char* help) override {
    comment(std::string(help) + " Takes " + range.text() + ".");
    line(key, number_text(value));
  }
  void count(const char* key, std::uint32_t& value, const NumberRange& range, const char* help) override {
    comment(std::string(help) + " Takes whole numbers " + range.text() + ".");
    line(key, std::to_string(value));
  }
  void name(const char* key, std::string& value, const char* help) override { quoted(key, value, help); }
  void endpoint(const char* key, std::string& value, const char* help) override { quoted(key, value, help); }
  void choice(const char* key, std::string& value, const std::vector<std::string>& allowed, const char* help) override {
    comment(std::string(help) + " Takes " + any_of_text(allowed) + ".");
    line(key, quote_toml(value));
  }
  void choices(const char* key, std::vector<std::string>& value, const std::vector<std::string>& allowed,
               const char* help) override {
    comment(std::string(help) + " Takes any of " + any_of_text(allowed) + ".");
    std::string list;
    for (const auto& word : value) list += (list.empty() ? "" : ", ") + quote_toml(word);
    line(key, "[" + list + "]");
  }
  void path(const char* key, std::filesystem::path& value, const char* help) override {
    comment(help);
    line(key, quote_toml(value.string()));
  }
  void gpus(const char* key, std::vector<GpuGroup>& value, const char* help) override {
    comment(help);
    std::string list;
    for (const auto& group : value)
      list += (list.empty() ? "" : ", ") + ("{type = " + quote_toml(group.type)) +
              ", count = " + std::to_string(group.count) + "}";
    line(key, "[" + list + "]");
  }
  void open_section(const char* name, PolicyOptions& values, const char* help) override {
    section(name, help);
    for (const auto& [key, value] : values) {
      if (const auto* flag = std::get_if<bool>(&value)) line(key, *flag ? "true" : "false");
      if (const auto* number = std::get_if<double>(&value)) line(key, number_text(*number));
      if (const auto* word = std::get_if<std::string>(&value)) line(key, quote_toml(*word));
    }
  }

 private:
  void quoted(const char* key, const std::string& value, const char* help) {
    comment(help);
    line(key, quote_toml(value));
  }
  void comment(const std::string& help) {
    if (comments_) out_ += "# " + help + "\n";
  }
  void line(const std::string& key, const std::string& value) { out_ += bare_or_quoted(key) + " = " + value + "\n"; }

  bool comments_;
  std::string out_;
};

std::string print(ProcessConfig config, bool comments) {
  OptionPrinter printer(comments);
  visit_options(printer, config);
  return printer.text();
}

}  // namespace

std::string to_toml(const ProcessConfig& config) {
  return print(config, false);
}

std::string to_commented_toml(const ProcessConfig& config) {
  return "# Every option of a hadard process with its default. A file needs only what differs; unknown keys are "
         "refused.\n"
         "# Relative paths are taken from the file's folder. `--set section.key=value` overrides a file.\n\n" +
         print(config, true);
}

}  // namespace hadar
