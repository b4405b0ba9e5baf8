#include "messages/codec/round_codec.hpp"

#include "messages/codec/common_wire.hpp"
#include "messages/codec/round_wire.hpp"
#include "messages/schema/round.capnp.h"
#include "messages/types/check.hpp"

namespace hadar::wire {

static void build(PlanRound::Builder out, const hadar::PlanRound& in) {
  HADAR_REQUIRE(in.input != nullptr);
  build(out.initInput(), *in.input);
}

static hadar::PlanRound read(PlanRound::Reader in, const Where& at) {
  hadar::PlanRound out;
  if (!in.hasInput()) refuse(at / "input", "null", "must be set");
  out.input = std::make_shared<const hadar::RoundInput>(read(in.getInput(), at / "input"));
  return out;
}

static void build(RoundPlanned::Builder out, const hadar::RoundPlanned& in) {
  build(out.initPlan(), in.plan);
  out.setPolicy(text(in.policy));
  out.setPlanMs(in.plan_ms);
}

static hadar::RoundPlanned read(RoundPlanned::Reader in, const Where& at) {
  hadar::RoundPlanned out;
  out.plan = read(in.getPlan(), at / "plan");
  out.policy = read_name(in.getPolicy(), at / "policy");
  out.plan_ms = not_negative(in.getPlanMs(), at / "plan_ms");
  return out;
}

static void build(PriceRound::Builder out, const hadar::PriceRound& in) {
  HADAR_REQUIRE(in.input != nullptr);
  build(out.initInput(), *in.input);
}

static hadar::PriceRound read(PriceRound::Reader in, const Where& at) {
  hadar::PriceRound out;
  if (!in.hasInput()) refuse(at / "input", "null", "must be set");
  out.input = std::make_shared<const hadar::RoundInput>(read(in.getInput(), at / "input"));
  return out;
}

static void build(QueryPrices::Builder out, const hadar::QueryPrices& in) {
  out.setRounds(in.rounds);
}

static hadar::QueryPrices read(QueryPrices::Reader in, const Where&) {
  hadar::QueryPrices out;
  out.rounds = in.getRounds();
  return out;
}

static void build(PriceHistory::Builder out, const hadar::PriceHistory& in) {
  build_list(in.boards, [&](auto size) { return out.initBoards(size); });
}

static hadar::PriceHistory read(PriceHistory::Reader in, const Where& at) {
  hadar::PriceHistory out;
  out.boards = read_list(in.getBoards(), at / "boards");
  check_rising(
      out.boards, [](const auto& board) { return board.round.value; }, at / "boards");
  return out;
}

}  // namespace hadar::wire

namespace hadar {

HADAR_DEFINE_CODEC(PriceBoard, "price_board")
HADAR_DEFINE_CODEC(PlanRound, "plan_round")
HADAR_DEFINE_CODEC(RoundPlanned, "round_planned")
HADAR_DEFINE_CODEC(PriceRound, "price_round")
HADAR_DEFINE_CODEC(QueryPrices, "query_prices")
HADAR_DEFINE_CODEC(PriceHistory, "price_history")
HADAR_DEFINE_CODEC(RoundInput, "round_input")
HADAR_DEFINE_CODEC(RoundPlan, "round_plan")

}  // namespace hadar
