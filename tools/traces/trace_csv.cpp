#include <array>
#include <charconv>

#include "tools/traces/trace.hpp"

namespace hadar::traces {
namespace {

void add_cell(std::string& out, std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     (text.empty() || (text.front() != ' ' && text.back() != ' '));
  if (plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

template <class Number>
void add_number(std::string& out, Number value) {
  std::array<char, 64> buffer{};  // the shortest form of a double needs 24
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), end);
}

}  // namespace

std::string to_csv(const Trace& trace) {
  std::string out = "job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable\n";
  for (const auto& job : trace.jobs) {
    add_cell(out, job.job_id);
    add_number(out += ',', job.arrival_s);
    add_cell(out += ',', job.model);
    add_number(out += ',', job.batch_size);
    add_number(out += ',', job.gpus);
    add_number(out += ',', job.total_steps);
    add_number(out += ',', job.weight);
    add_number(out += ',', job.deadline_s);
    add_cell(out += ',', job.user);
    out += job.forkable ? ",true\n" : ",false\n";
  }
  return out;
}

}  // namespace hadar::traces
