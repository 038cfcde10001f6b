/* SPDX-License-Identifier: MIT
 * The made assets: each function writes one file into a folder. */
#ifndef SAMPLES_ASSETS_H
#define SAMPLES_ASSETS_H

/* In: folder — exists; name — of the file without its ending; parameters — the numbers behind the name ("grid-7-3-30": 7, 3, 30). */
typedef void (*asset_fn)(const char *folder, const char *name, const double *parameters);

void make_hero(const char *folder, const char *name, const double *parameters);
void make_scout(const char *folder, const char *name, const double *parameters);
void make_crates(const char *folder, const char *name, const double *parameters);
void make_flag(const char *folder, const char *name, const double *parameters);
void make_fracture_nodes(const char *folder, const char *name, const double *parameters);
void make_fracture_skin(const char *folder, const char *name, const double *parameters);
void make_fracture_baked(const char *folder, const char *name, const double *parameters);
void make_rest(const char *folder, const char *name, const double *parameters);
void make_head(const char *folder, const char *name, const double *parameters);
void make_hair(const char *folder, const char *name, const double *parameters);
void make_wind_hair(const char *folder, const char *name, const double *parameters);

void make_tree(const char *folder, const char *name, const double *parameters);
void make_bush(const char *folder, const char *name, const double *parameters);

void make_tree_of(const char *folder, const char *name, const double *parameters); /* branches, twigs a branch, leaves a twig */
void make_bush_of(const char *folder, const char *name, const double *parameters); /* the same */
void make_grid(const char *folder, const char *name, const double *parameters);   /* vertices, keys, keys a second */
void make_length(const char *folder, const char *name, const double *parameters); /* vertices, seconds */
void make_clips(const char *folder, const char *name, const double *parameters);  /* vertices, clips */
void make_zero(const char *folder, const char *name, const double *parameters);   /* vertices */
void make_walker(const char *folder, const char *name, const double *parameters); /* vertices, metres, seconds */

/* Files with one defect each; the name says which. */
void make_bad(const char *folder, const char *name, const double *parameters);
/* Name of the k-th defect ("bad-magic"), NULL past the last; *about: what is wrong. */
const char *bad_name(unsigned k, const char **about);

#endif
