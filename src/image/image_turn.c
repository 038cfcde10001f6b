/* SPDX-License-Identifier: MIT
 * Ordered sections inside parallel loops: blocks are compressed at once and written one after the other. */
#define _POSIX_C_SOURCE 200809L
#include "image/image_priv.h"

void bwi_turn_init(bwi_turn *turn) {
    *turn = (bwi_turn){.failed = SIZE_MAX};
    pthread_mutex_init(&turn->mutex, NULL);
    pthread_cond_init(&turn->moved, NULL);
}

void bwi_turn_destroy(bwi_turn *turn) {
    pthread_cond_destroy(&turn->moved);
    pthread_mutex_destroy(&turn->mutex);
}

/* Indices are handed out in ascending order, so every lower index has begun and will end: the wait is finite.  A
 * failure wakes only higher indices, so that the error of the lowest failed index, the one that is reported, is its
 * own. */
bool bwi_turn_wait(bwi_turn *turn, size_t index) {
    pthread_mutex_lock(&turn->mutex);
    while (turn->next < index && turn->failed > index)
        pthread_cond_wait(&turn->moved, &turn->mutex);
    bool good = turn->failed > index;
    pthread_mutex_unlock(&turn->mutex);
    return good;
}

void bwi_turn_end(bwi_turn *turn, size_t index, bool good) {
    pthread_mutex_lock(&turn->mutex);
    if (good)
        turn->next = index + 1;
    else if (index < turn->failed)
        turn->failed = index;
    pthread_cond_broadcast(&turn->moved);
    pthread_mutex_unlock(&turn->mutex);
}

bwi_env bwi_image_loop_env(const bwi_env *env, size_t count) {
    bwi_env loop = *env;
    if (loop.thread_count > count)
        loop.thread_count = (uint32_t)count;
    return loop;
}

bw_result bwi_image_check_cancelled(const bwi_env *env, bw_error *error) {
    return env->progress && bwi_progress_cancelled(env->progress) ? bwi_fail_cancelled(error) : BW_OK;
}
