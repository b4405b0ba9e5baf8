// Files that commands write: the one way to them for every -o FILE and --json FILE.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/types/result.hpp"

namespace hadar::cli {

// An output being written. "-", or a name of this process's own stdout, is stdout. A regular file (through a symbolic
// link: the file it leads to) appears or is replaced whole by commit(), or not at all. Anything else that is there,
// such as a device or a FIFO, is opened and written to, and stays what it is. One thread.
class OutputFile {
 public:
  // Errors: kIo (not writable, a folder, no such folder).
  static Result<OutputFile> open(const std::string& target);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // what was not committed is gone

  // Errors: kIo (disk full, reader gone).
  Status write(std::string_view bytes);
  // Where what was written so far lies, to be looked at before commit(); empty when it cannot be read back.
  [[nodiscard]] const std::string& written_at() const { return partial_; }
  // To be called once, after the last write. Errors: kIo.
  Status commit();

 private:
  OutputFile(std::string target, int descriptor) : target_(std::move(target)), descriptor_(descriptor) {}
  [[nodiscard]] tl::unexpected<Error> cannot(int error) const;

  std::string target_;   // as the user said it
  std::string file_;     // that commit() replaces; empty = none
  std::string partial_;  // that holds its new content
  int descriptor_ = -1;  // -1 = stdout
};

// open(), write() and commit() in one.
Status write_text(const std::string& target, std::string_view text);

// Whether write_text() would find a place for the file, before the work for it is done; an empty target is none. kIo.
Status check_writable(const std::string& target);

// Whether a command's outputs leave alone what it reads and each other: none is one of the inputs, whatever path or
// link leads there, no two are the same file, and at most one is stdout. Devices and FIFOs may stand for several; empty
// names are none. kInvalidArgument names both.
Status check_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

}  // namespace hadar::cli
