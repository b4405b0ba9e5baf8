#include "tests/answers/integer_program.hpp"

#include <coin/CbcModel.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/OsiClpSolverInterface.hpp>

namespace hadar::answers {
namespace {

OsiClpSolverInterface program_of(const Packing& packing) {
  const auto rows = static_cast<int>(packing.groups + packing.capacity.size());
  CoinPackedMatrix matrix(true, 0, 0);
  matrix.setDimensions(rows, 0);
  std::vector<double> value;
  for (const auto& column : packing.columns) {
    CoinPackedVector entries;
    entries.insert(static_cast<int>(column.group), 1.0);
    for (const auto& [resource, amount] : column.uses)
      entries.insert(static_cast<int>(packing.groups + resource), amount);
    matrix.appendCol(entries);
    value.push_back(column.value);
  }
  std::vector<double> most(packing.groups, 1.0);
  most.insert(most.end(), packing.capacity.begin(), packing.capacity.end());
  const std::vector<double> row_least(most.size(), -COIN_DBL_MAX);
  const std::vector<double> least(value.size(), 0.0);
  const std::vector<double> one(value.size(), 1.0);
  OsiClpSolverInterface solver;
  solver.messageHandler()->setLogLevel(0);
  solver.loadProblem(matrix, least.data(), one.data(), value.data(), row_least.data(), most.data());
  solver.setObjSense(-1);
  return solver;
}

}  // namespace

Result<double> pack_parts(const Packing& packing) {
  if (packing.columns.empty()) return 0.0;
  auto solver = program_of(packing);
  solver.initialSolve();
  if (!solver.isProvenOptimal()) return fail(ErrorCode::kInternal, "the linear program has no proven optimum");
  return solver.getObjValue();
}

Result<double> pack_whole(const Packing& packing) {
  if (packing.columns.empty()) return 0.0;
  auto solver = program_of(packing);
  for (int column = 0; column < solver.getNumCols(); ++column) solver.setInteger(column);
  CbcModel model(solver);
  model.setLogLevel(0);
  model.setAllowableGap(1e-12);
  model.branchAndBound();
  if (!model.isProvenOptimal()) return fail(ErrorCode::kInternal, "the integer program has no proven optimum");
  double value = 0;
  for (std::size_t column = 0; column < packing.columns.size(); ++column)
    if (model.bestSolution()[column] > 0.5) value += packing.columns[column].value;
  return value;
}

}  // namespace hadar::answers
