/* SPDX-License-Identifier: MIT
 * What an engine does with a clip's tracks: moves the object by the root's, hangs things on attachments.  Source: docs/FORMATS.md. */
#include <string.h>

#include "base/math.h"
#include "decode/decode_priv.h"

typedef struct ground_move {
    double pivot[3], translation[3], sine, cosine;
    int a, b; /* axes on the ground: a quarter turn takes a to b */
} ground_move;

/* False where there is nothing to put back. */
static bool move_at(ground_move *move, const bwi_decoder *d, const bwi_manifest_clip *clip, uint32_t frame, double t) {
    const bwi_root_track *root = &clip->root;
    if (!root->node || (clip->closed && frame == clip->frame_count - 1))
        return false;
    const uint32_t next = t > 0.0 ? frame + 1 : frame;
    const float *from = root->translation + 3 * (size_t)frame, *to = root->translation + 3 * (size_t)next;
    for (int k = 0; k < 3; k++) {
        move->pivot[k] = (double)root->pivot[k];
        move->translation[k] = (double)from[k] + ((double)to[k] - (double)from[k]) * t;
    }
    const double yaw_from = (double)root->yaw_rad[frame], yaw_to = (double)root->yaw_rad[next];
    const double yaw = yaw_from + (yaw_to - yaw_from) * t;
    const bool z_up = strcmp(d->manifest->space.up, "z") == 0;
    move->sine = bwi_sin(yaw);
    move->cosine = bwi_cos(yaw);
    move->a = z_up ? 0 : 2;
    move->b = z_up ? 1 : 0;
    return true;
}

static void turn(double v[3], const ground_move *move) {
    const double a = v[move->a], b = v[move->b];
    v[move->a] = move->cosine * a - move->sine * b;
    v[move->b] = move->sine * a + move->cosine * b;
}

static void turn_all(float *directions, size_t count, const ground_move *move) {
    for (size_t i = 0; directions && i < count; i++) {
        double v[3] = {(double)directions[3 * i], (double)directions[3 * i + 1], (double)directions[3 * i + 2]};
        turn(v, move);
        for (size_t k = 0; k < 3; k++)
            directions[3 * i + k] = (float)v[k];
    }
}

void bwi_decoder_restore_root(const bwi_decoder *decoder, const bwi_decoded *decoded, size_t count, uint32_t clip,
                              uint32_t frame, double t) {
    ground_move move;
    if (!move_at(&move, decoder, &decoder->manifest->clips.data[clip], frame, t))
        return;
    for (size_t i = 0; i < count; i++) {
        float *p = decoded->positions + 3 * i;
        double from_pivot[3];
        for (int k = 0; k < 3; k++)
            from_pivot[k] = (double)p[k] - move.pivot[k];
        turn(from_pivot, &move);
        for (int k = 0; k < 3; k++)
            p[k] = (float)(from_pivot[k] + (move.pivot[k] + move.translation[k]));
    }
    turn_all(decoded->normals, count, &move);
    turn_all(decoded->tangents, count, &move);
}

static const float *entry(const bwi_track *track, uint32_t frame, size_t components) {
    return track->data + components * (track->count > 1 ? frame : 0);
}

void bwi_decoder_attachment(const bwi_decoder *decoder, double matrix[16], uint32_t clip, uint32_t attachment,
                            uint32_t frame) {
    const bwi_decoder *d = decoder;
    const bwi_manifest_clip *c = &d->manifest->clips.data[clip];
    const bwi_attachment *at = &c->attachments.data[attachment];
    const float *t = entry(&at->translation, frame, 3), *q = entry(&at->rotation, frame, 4);
    const float *s = entry(&at->scale, frame, 3);
    bwi_mat4 m =
        bwi_mat4_from_trs((bwi_vec3){(double)t[0], (double)t[1], (double)t[2]},
                          bwi_quat_normalize((bwi_quat){(double)q[0], (double)q[1], (double)q[2], (double)q[3]}),
                          (bwi_vec3){(double)s[0], (double)s[1], (double)s[2]});
    ground_move move;
    if (move_at(&move, d, c, frame, 0.0)) {
        for (int column = 0; column < 3; column++)
            turn(m.m + 4 * column, &move);
        for (int k = 0; k < 3; k++)
            m.m[12 + k] -= move.pivot[k];
        turn(m.m + 12, &move);
        for (int k = 0; k < 3; k++)
            m.m[12 + k] += move.pivot[k] + move.translation[k];
    }
    /* An object of the engine's space is an object of glTF's, its own axes turned alike. */
    memset(matrix, 0, 16 * sizeof *matrix);
    matrix[15] = 1.0;
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++)
            matrix[4 * d->axis[column] + d->axis[row]] =
                (double)(d->sign[column] * d->sign[row]) * m.m[4 * column + row];
    for (int row = 0; row < 3; row++)
        matrix[12 + d->axis[row]] = (double)d->sign[row] * (double)d->metres * m.m[12 + row];
}
