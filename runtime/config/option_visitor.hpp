// The list of a process's options, walked by whoever reads, prints or explains them. Internal to this room.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/config/process_config.hpp"
#include "runtime/config/table_reader.hpp"

namespace hadar {

// `help` is one sentence with the unit; a range is added by the printer.
class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;

  virtual void section(const char* name, const char* help) = 0;
  virtual void flag(const char* key, bool& value, const char* help) = 0;
  virtual void number(const char* key, double& value, const NumberRange& range, const char* help) = 0;
  virtual void count(const char* key, std::uint32_t& value, const NumberRange& range, const char* help) = 0;
  // Empty, or 1 to 64 plain characters.
  virtual void name(const char* key, std::string& value, const char* help) = 0;
  // Empty, or tcp://HOST:PORT, or ipc://PATH.
  virtual void endpoint(const char* key, std::string& value, const char* help) = 0;
  virtual void choice(const char* key, std::string& value, const std::vector<std::string>& allowed,
                      const char* help) = 0;
  virtual void choices(const char* key, std::vector<std::string>& value, const std::vector<std::string>& allowed,
                       const char* help) = 0;
  virtual void path(const char* key, std::filesystem::path& value, const char* help) = 0;
  virtual void gpus(const char* key, std::vector<GpuGroup>& value, const char* help) = 0;
  // A whole section with keys of its own.
  virtual void open_section(const char* name, PolicyOptions& values, const char* help) = 0;
};

// Walks over every option, section by section.
void visit_options(OptionVisitor& visitor, ProcessConfig& config);

}  // namespace hadar
