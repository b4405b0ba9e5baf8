#include "tests/answers/integer_program.hpp"

#include <algorithm>
#include <cmath>

#include "actors/policy/solvers/linear_program.hpp"

namespace hadar::answers {
namespace {

enum class Fixed : unsigned char { kFree, kOut, kIn };

class Search {
 public:
  Search(const Packing& packing, int most_nodes) : packing_(packing), left_(most_nodes) {}

  Status run() {
    std::vector<Fixed> fixed(packing_.columns.size(), Fixed::kFree);
    auto done = visit(fixed, true);
    best_.proven = left_ >= 0;
    return done;
  }
  [[nodiscard]] const Packed& best() const { return best_; }

 private:
  [[nodiscard]] Result<solvers::LpAnswer> relax(const std::vector<Fixed>& fixed) const {
    solvers::LinearProgram program(solvers::LinearProgram::Sense::kMaximise);
    std::vector<std::size_t> groups;
    std::vector<std::size_t> resources;
    for (std::size_t i = 0; i < packing_.groups; ++i) groups.push_back(program.add_row(-HUGE_VAL, 1));
    for (const double capacity : packing_.capacity) resources.push_back(program.add_row(-HUGE_VAL, capacity));
    for (std::size_t i = 0; i < packing_.columns.size(); ++i) {
      const auto& column = packing_.columns[i];
      std::vector<solvers::LpEntry> entries = {{groups[column.group], 1}};
      for (const auto& [resource, amount] : column.uses) entries.push_back({resources[resource], amount});
      program.add_column(column.value, fixed[i] == Fixed::kIn ? 1 : 0, fixed[i] == Fixed::kOut ? 0 : 1, entries);
    }
    return program.solve();
  }

  Status visit(std::vector<Fixed>& fixed, bool root) {
    if (left_-- <= 0) return {};
    const auto answer = relax(fixed);
    if (!answer && answer.error().code == ErrorCode::kInfeasible) return {};
    if (!answer) return fail(answer.error().code, answer.error().message);
    if (root) best_.relaxed = answer->objective;
    if (answer->objective <= best_.value + 1e-9) return {};
    std::size_t at = fixed.size();
    double most = 1e-6;
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      const double x = answer->columns[i];
      if (const double undecided = std::min(x, 1 - x); undecided > most) {
        most = undecided;
        at = i;
      }
    }
    if (at == fixed.size()) {
      best_.value = answer->objective;
      return {};
    }
    for (const auto choice : {Fixed::kIn, Fixed::kOut}) {
      fixed[at] = choice;
      if (auto done = visit(fixed, false); !done) return done;
    }
    fixed[at] = Fixed::kFree;
    return {};
  }

  const Packing& packing_;
  int left_;
  Packed best_;
};

}  // namespace

Result<Packed> pack(const Packing& packing, int most_nodes) {
  Search search(packing, most_nodes);
  if (auto done = search.run(); !done) return fail(std::move(done));
  return search.best();
}

}  // namespace hadar::answers
