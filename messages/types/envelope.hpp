// What stands on the outside of every message between processes.
#pragma once

#include <cstdint>
#include <optional>

#include "messages/types/error.hpp"

namespace hadar {

// The kind of a message. Numbers go over the wire: append, never renumber, never reuse.
enum class MessageKind : std::uint16_t {
  kNone = 0,
  // Link layer: handled by the transport, never seen by actors.
  kLinkHello = 1,
  kLinkWelcome = 2,
  kLinkRefused = 3,
  kLinkPing = 4,
  kLinkPong = 5,
  kLinkBye = 6,
  // Answers without a body of their own.
  kAck = 20,
  // Node worker ↔ scheduler.
  kNodeHello = 100,
  kNodeWelcome = 101,
  kPrepareLeases = 102,
  kLeasesPrepared = 103,
  kCommitLeases = 104,
  kRevokeLeases = 105,
  kExtendLease = 106,
  kLeaseEnded = 107,
  // Scheduler ↔ job tracker.
  kOpenTerm = 200,
  kTermOpened = 201,
  kViewJobs = 202,
  kJobsViewed = 203,
  kRecordPlan = 204,
  kPlanRecorded = 205,
  kRecordExtension = 206,
  kCloseLeases = 207,
  kRecordNode = 208,
  kJobAdvanced = 209,
  // Node worker ↔ job tracker.
  kLeaseReport = 300,
  kReportAnswered = 301,
  kProgressSampled = 302,
  kStatBlob = 304,
  kBlobStat = 305,
  kPutBlobChunk = 306,
  kGetBlobChunk = 307,
  kBlobChunk = 308,
  // Policies and prices.
  kPlanRound = 400,
  kRoundPlanned = 401,
  kPriceRound = 402,
  kPriceBoard = 403,
  kQueryPrices = 404,
  kPriceHistory = 405,
  // Clients.
  kSubmitJob = 500,
  kJobSubmitted = 501,
  kCommandJob = 502,
  kQueryJobs = 503,
  kJobList = 504,
  kQueryNodes = 505,
  kNodeList = 506,
  kCommandNode = 507,
  kQueryEvents = 508,
  kEventPage = 509,
  kQueryLog = 510,
  kLogPart = 511,
  kQueryHealth = 512,
  kClusterHealth = 513,
  kProcessHealth = 514,
  // Node worker ↔ trainer.
  kTrainerHello = 600,
  kTrainerLeaseStart = 601,
  kTrainerLeaseExtend = 602,
  kTrainerSave = 603,
  kTrainerLeaseStop = 604,
  kTrainerExit = 605,
  kTrainerProgress = 606,
  kTrainerSaved = 607,
};

// Which actor of a process a request is for. Numbers go over the wire.
enum class ActorKey : std::uint16_t {
  kNone = 0,
  kMembership = 1,
  kLeaseKeeper = 2,
  kRoundFlow = 3,
  kPriceOracle = 4,
  kJobLedger = 5,
  kForkTracker = 6,
  kBlobKeeper = 7,
  kThroughputBook = 8,
  kNodeWorker = 9,
  kPolicy = 10,
  kGateway = 11,
  kHealth = 12,
};

enum class EnvelopeFlag : std::uint8_t { kOneway = 0, kRequest = 1, kReply = 2, kError = 3 };

struct Envelope {
  MessageKind kind = MessageKind::kNone;
  ActorKey target = ActorKey::kNone;
  EnvelopeFlag flag = EnvelopeFlag::kOneway;
  std::uint64_t correlation = 0;  // names a request to its sender; 0 for one-way messages
  std::optional<Error> error;     // with kError

  friend bool operator==(const Envelope&, const Envelope&) = default;
};

}  // namespace hadar
