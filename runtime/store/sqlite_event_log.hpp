// The event log on disk.
#pragma once

#include <filesystem>
#include <memory>

#include "messages/types/result.hpp"
#include "runtime/store/event_log.hpp"

namespace hadar {

// Opens the log at `file` (an SQLite database, write-ahead logging, synchronous=FULL), made when missing together with
// its folder. Two processes never have one log open: `file`.lock is held while it is. Before anything is read the
// database's integrity and the sequence are checked. append() is one transaction; when it fails (a full disk, say) the
// log is as it was, and a later call may succeed.
// Errors: kAlreadyExists (in use by another process), kCorrupt (damaged, or not a log of ours), kInvalidArgument
// (written by a newer schema), kIo.
Result<std::unique_ptr<EventLog>> open_event_log(const std::filesystem::path& file);

}  // namespace hadar
