/* The job SDK: what a trainer calls to train under Hadar. C99, no dependencies; link with -lhadar_job.
 *
 *   hadar_job* job = hadar_connect();
 *   hadar_lease lease;
 *   while (hadar_next_lease(job, &lease) == HADAR_GO) {
 *     load weights from lease.weights_path, or initialise from lease.seed when it is NULL
 *     hadar_action action;
 *     while ((action = hadar_before_step(job)) != HADAR_END) {
 *       if (action == HADAR_SAVE) { write weights to hadar_result_path(job); hadar_saved(job); continue; }
 *       train one step
 *       hadar_after_step(job, samples);
 *     }
 *     write weights to hadar_result_path(job)
 *     hadar_metric(job, "accuracy", value)
 *     hadar_end_lease(job);
 *   }
 *   hadar_close(job);
 *
 * All calls come from one thread of the trainer. Strings handed out live until the next hadar_next_lease or
 * hadar_close. Started outside Hadar (no HADAR_TRAINER_SOCKET in the environment) hadar_connect gives a stand-alone
 * job: one lease of HADAR_STANDALONE_STEPS steps (1000 when unset), unpaced, result written to HADAR_STANDALONE_RESULT
 * or not at all.
 */
#ifndef HADAR_JOB_H
#define HADAR_JOB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hadar_job hadar_job;

typedef enum { HADAR_GO = 0, HADAR_EXIT = 1, HADAR_FAULT = 2 } hadar_next;
typedef enum { HADAR_TRAIN = 0, HADAR_SAVE = 1, HADAR_END = 2 } hadar_action;

typedef struct {
  const char* weights_path; /* safetensors; NULL: no version yet */
  uint64_t seed;            /* data order; and the weights when weights_path is NULL */
  uint64_t quota_steps;
  uint64_t first_step; /* steps credited to the job before this lease */
  uint64_t total_steps;
  uint32_t batch_size;
  uint32_t fork;
  uint32_t rank;
  uint32_t world_size;
} hadar_lease;

/* Connects to the node worker named by the environment. NULL on failure; hadar_last_error says why. */
hadar_job* hadar_connect(void);

/* Waits for work. HADAR_EXIT: finish; HADAR_FAULT: the node worker is gone or spoke nonsense: exit non-zero. */
hadar_next hadar_next_lease(hadar_job* job, hadar_lease* lease);

/* Waits until the next step is due (pace) and says what to do. Never blocks beyond the lease's deadline. */
hadar_action hadar_before_step(hadar_job* job);

/* Counts one step done on `samples` samples. */
void hadar_after_step(hadar_job* job, uint64_t samples);

/* Where to write the weights now; a fresh name for each save. NULL when nobody wants them (ranks above 0). */
const char* hadar_result_path(hadar_job* job);

/* The weights asked for by HADAR_SAVE are written and closed. */
void hadar_saved(hadar_job* job);

/* A validation metric of the current weights, sent with the next save or end. Not finite: refused, returns -1. */
int hadar_metric(hadar_job* job, const char* name, double value);

/* The lease is over: counts, metrics and (when hadar_result_path was asked for) the file are reported. */
void hadar_end_lease(hadar_job* job);

/* Sums `count` floats over the gang, in place, the same bits on every rank. 0 on success; -1 when a member is gone:
 * then the next hadar_before_step says HADAR_END and the lease is reported as failed. */
int hadar_all_reduce(hadar_job* job, float* values, size_t count);

/* Leaves. The job handle is gone after it. */
void hadar_close(hadar_job* job);

/* The last failure of this thread, one line; never NULL. */
const char* hadar_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
