// The last rounds, kept for `hadar replay`: what the policy was asked and what it answered, as the bytes that
// travelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "messages/types/ids.hpp"
#include "messages/types/result.hpp"

namespace hadar {

struct RoundRecord {
  RoundId round;
  bool early = false;            // an early replan inside the round
  std::string policy;            // that made the plan
  std::vector<std::byte> input;  // an encoded RoundInput
  std::vector<std::byte> plan;   // the encoded RoundPlan

  friend bool operator==(const RoundRecord&, const RoundRecord&) = default;
};

// Files in a folder: 000012.round for the plan at round 12's border, 000012.1.round, 000012.2.round, … for its early
// replans. The oldest rounds go when there are more than `keep_rounds`, and of one round at most kEarlyPlans early
// replans stay, the latest. One owner per folder; one thread at a time.
class RoundArchive {
 public:
  static constexpr std::size_t kKeepRounds = 50;
  static constexpr std::size_t kEarlyPlans = 8;

  // Makes the folder when missing; removes temporary files of an earlier process. Errors: kIo.
  static Result<std::unique_ptr<RoundArchive>> open(const std::filesystem::path& folder,
                                                    std::size_t keep_rounds = kKeepRounds);

  // Whole or not at all; a round written again replaces its old file. Errors: kIo (the archive is as it was).
  Status save(const RoundRecord& record);

 private:
  RoundArchive(std::filesystem::path folder, std::size_t keep_rounds)
      : folder_(std::move(folder)), keep_rounds_(keep_rounds) {}

  std::filesystem::path folder_;
  std::size_t keep_rounds_;
};

// The record files of a folder, oldest first. Other files are left out. Errors: kNotFound, kIo.
Result<std::vector<std::filesystem::path>> round_files(const std::filesystem::path& folder);

// The file for "12" or "12.1", or the path itself when it names a file. Errors: kNotFound with the rounds there are.
Result<std::filesystem::path> find_round(const std::filesystem::path& folder, const std::string& name);

// Errors: kNotFound, kCorrupt (not a record, cut short, or damaged), kIo.
Result<RoundRecord> read_round(const std::filesystem::path& file);

}  // namespace hadar
