// How traces look to people and as JSON.
#pragma once

#include <string>

#include "tools/traces/generate.hpp"
#include "tools/traces/stats.hpp"
#include "tools/traces/trace.hpp"

namespace hadar::cli {

// {file, format, rows, jobs, joined, drawn, refused_rows, notes[], refused[{line, column, value, rule}]}, `output`
// among them unless empty.
std::string loaded_json(const traces::LoadedTrace& loaded, const std::string& file, const std::string& output);

// The same in a few lines, without the refused rows.
std::string loaded_text(const traces::LoadedTrace& loaded, const std::string& file, const std::string& output);

std::string stats_json(const traces::TraceStats& stats, const std::string& file);
std::string stats_text(const traces::TraceStats& stats, const std::string& file);

std::string sample_json(const std::string& file, const std::string& output, std::uint64_t jobs, std::uint64_t of_jobs);
std::string generated_json(const std::string& profile, std::uint64_t seed, const std::string& output,
                           std::uint64_t jobs);

std::string formats_json();
std::string formats_text();

}  // namespace hadar::cli
