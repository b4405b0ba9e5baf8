// The list of all messages with a codec, for tests that run over every one: X(type, snake_case name).
#pragma once

#include "messages/codec/blob_codec.hpp"
#include "messages/codec/client_codec.hpp"
#include "messages/codec/lease_codec.hpp"
#include "messages/codec/link_codec.hpp"
#include "messages/codec/node_codec.hpp"
#include "messages/codec/round_codec.hpp"
#include "messages/codec/tracker_codec.hpp"
#include "messages/codec/trainer_codec.hpp"

#define HADAR_ALL_MESSAGES(X)                 \
  X(LinkHello, link_hello)                    \
  X(LinkWelcome, link_welcome)                \
  X(LinkRefused, link_refused)                \
  X(LinkPing, link_ping)                      \
  X(LinkPong, link_pong)                      \
  X(LinkBye, link_bye)                        \
  X(Ack, ack)                                 \
  X(NodeHello, node_hello)                    \
  X(NodeWelcome, node_welcome)                \
  X(PrepareLeases, prepare_leases)            \
  X(LeasesPrepared, leases_prepared)          \
  X(CommitLeases, commit_leases)              \
  X(RevokeLeases, revoke_leases)              \
  X(ExtendLease, extend_lease)                \
  X(LeaseEnded, lease_ended)                  \
  X(OpenTerm, open_term)                      \
  X(TermOpened, term_opened)                  \
  X(ViewJobs, view_jobs)                      \
  X(JobsViewed, jobs_viewed)                  \
  X(RecordPlan, record_plan)                  \
  X(PlanRecorded, plan_recorded)              \
  X(RecordExtension, record_extension)        \
  X(CloseLeases, close_leases)                \
  X(RecordNode, record_node)                  \
  X(JobAdvanced, job_advanced)                \
  X(LeaseReport, lease_report)                \
  X(ReportAnswered, report_answered)          \
  X(ProgressSampled, progress_sampled)        \
  X(StatBlob, stat_blob)                      \
  X(BlobStat, blob_stat)                      \
  X(PutBlobChunk, put_blob_chunk)             \
  X(GetBlobChunk, get_blob_chunk)             \
  X(BlobChunk, blob_chunk)                    \
  X(PlanRound, plan_round)                    \
  X(RoundPlanned, round_planned)              \
  X(PriceRound, price_round)                  \
  X(PriceBoard, price_board)                  \
  X(QueryPrices, query_prices)                \
  X(PriceHistory, price_history)              \
  X(SubmitJob, submit_job)                    \
  X(JobSubmitted, job_submitted)              \
  X(CommandJob, command_job)                  \
  X(QueryJobs, query_jobs)                    \
  X(JobList, job_list)                        \
  X(QueryNodes, query_nodes)                  \
  X(NodeList, node_list)                      \
  X(CommandNode, command_node)                \
  X(QueryEvents, query_events)                \
  X(EventPage, event_page)                    \
  X(QueryLog, query_log)                      \
  X(LogPart, log_part)                        \
  X(QueryHealth, query_health)                \
  X(ClusterHealth, cluster_health)            \
  X(ProcessHealth, process_health)            \
  X(TrainerHello, trainer_hello)              \
  X(TrainerLeaseStart, trainer_lease_start)   \
  X(TrainerLeaseExtend, trainer_lease_extend) \
  X(TrainerSave, trainer_save)                \
  X(TrainerLeaseStop, trainer_lease_stop)     \
  X(TrainerExit, trainer_exit)                \
  X(TrainerProgress, trainer_progress)        \
  X(TrainerSaved, trainer_saved)
