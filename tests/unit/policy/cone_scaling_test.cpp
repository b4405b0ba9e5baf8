// Scalings of half-lines and second-order cones.
#include "actors/policy/round_mechanism/cone_scaling.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace hadar::embedded {
namespace {

const ConeShape kShape = {2, 2};
const Vector kS = {0.5, 3, 5, 3, 2, 2, -1, 1.5};
const Vector kZ = {2, 0.1, 1, -0.4, 0.7, 9, 2, 4};

void expect_near(const Vector& a, const Vector& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t r = 0; r < a.size(); ++r) EXPECT_NEAR(a[r], b[r], 1e-12) << "row " << r;
}

Vector moved(Vector at, double length, const Vector& along) {
  for (std::size_t r = 0; r < at.size(); ++r) at[r] += length * along[r];
  return at;
}

TEST(ConeScaling, TakesBothPointsToTheSame) {
  const auto w = ConeScaling::between(kShape, kS, kZ);
  ASSERT_TRUE(w);
  expect_near(w->scaled(kZ), w->lambda());
  expect_near(w->scaled(w->lambda()), kS);
}

TEST(ConeScaling, HasNoneForAPointOutside) {
  auto s = kS;
  s[2] = 3.5;  // less than |(3, 2)|
  EXPECT_FALSE(ConeScaling::between(kShape, s, kZ));
  EXPECT_GT(outside_by(kShape, s), 0);
  add_unit(kShape, 1, s);
  EXPECT_LT(outside_by(kShape, s), 0);
  EXPECT_TRUE(ConeScaling::between(kShape, s, kZ));
}

TEST(ConeScaling, DividesWhatTheProductMultiplied) {
  const auto w = ConeScaling::between(kShape, kS, kZ);
  ASSERT_TRUE(w);
  expect_near(w->by_lambda(cone_product(kShape, w->lambda(), kS)), kS);
}

TEST(ConeScaling, LongestStepEndsAtTheFirstWall) {
  const auto w = ConeScaling::between(kShape, kS, kZ);
  ASSERT_TRUE(w);
  const Vector inwards(kShape.rows(), 0.0);
  const Vector ds = {1, 1, -1, 0.5, -0.5, 0, 1, 0};
  const auto length = w->longest(ds, inwards);
  EXPECT_NEAR(outside_by(kShape, moved(w->lambda(), length, ds)), 0, 1e-12);
  EXPECT_EQ(w->longest(inwards, ds), length);
  EXPECT_EQ(w->longest(inwards, inwards), HUGE_VAL);
}

TEST(ConeScaling, ExpansionEliminatedIsTheSquare) {
  const auto w = ConeScaling::between(kShape, kS, kZ);
  ASSERT_TRUE(w);
  const Vector v = {1, 2, 3, -1, 0.5, 0, 2, -2};
  Vector extra(kExpansion * kShape.cones, 0.0);
  for (std::size_t cone = 0; cone < kShape.cones; ++cone) {
    const auto matrix = w->expanded(cone);
    for (std::size_t k = 0; k < kExpansion; ++k) {
      const auto& row = matrix[kConeRows + k];
      for (std::size_t r = 0; r < kConeRows; ++r)
        extra[kExpansion * cone + k] -= row[r] * v[kShape.linear + kConeRows * cone + r] / row[kConeRows + k];
    }
  }
  Vector square(kShape.rows(), 0.0);
  Vector rest(extra.size(), 0.0);
  w->add_square(v, extra, square, rest);
  expect_near(square, w->scaled(w->scaled(v)));
  expect_near(rest, Vector(extra.size(), 0.0));
}

}  // namespace
}  // namespace hadar::embedded
