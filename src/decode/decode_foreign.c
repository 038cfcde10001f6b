/* SPDX-License-Identifier: MIT
 * Opening what OpenVAT itself wrote: its JSON, a mesh, a texture of offsets, perhaps one of normals; and what in them may go wrong. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "decode/decode_priv.h"
#include "image/image.h"
#include "scene/scene.h"

/* As for bakes of ours; what OpenVAT's exports show is a sixteenth of it. */
#define CENTRE_TOLERANCE (1.0 / 256.0)

/* Sides above it are refused by many phones. */
#define PORTABLE_SIDE 4096U

/* Its bounds are rounded outward to multiples of this. */
#define BOUNDS_STEP 0.1f

/* Below it, normals of the texture and of the mesh are not the same. */
#define LEAST_MEAN_DOT 0.999

typedef struct foreign_image {
    const char *file; /* below the JSON's folder */
    uint32_t width, height;
    bw_vat_format format;
} foreign_image;

/* "a/Cloth-remap_info.json" gives "Cloth". */
static char *object_name(bwi_arena *arena, const char *path) {
    static const char ending[] = "-remap_info";
    char *stem = bwi_path_stem(arena, path);
    const size_t length = stem ? strlen(stem) : 0, cut = sizeof ending - 1;
    if (length > cut && strcmp(stem + length - cut, ending) == 0)
        stem[length - cut] = 0;
    return stem;
}

/* The first file there is of NAME + ending, beside the JSON or in the folder NAME_vat.  Out: NULL: none. */
static bw_result find_file(const char **file, bwi_decoder *d, const char *name, const char *const *endings,
                           bw_error *error) {
    *file = NULL;
    for (int below = 0; below < 2; ++below)
        for (const char *const *ending = endings; *ending; ++ending) {
            const char *candidate = below ? bwi_arena_printf(d->arena, "%s_vat/%s%s", name, name, *ending)
                                          : bwi_arena_printf(d->arena, "%s%s", name, *ending);
            char *path = candidate ? bwi_path_join(d->arena, d->folder, candidate) : NULL;
            if (!path)
                return bwi_fail_memory(error, name, d->mem, strlen(name));
            bwi_map map = {0};
            bw_error why = {0};
            const bw_result result = bwi_map_open(&map, path, d->mem, &why);
            bwi_map_close(&map);
            if (result == BW_ERR_MEMORY)
                return bwi_fail_memory(error, candidate, d->mem, 0);
            if (result == BW_ERR_FILE_MISSING)
                continue;
            *file = candidate;
            return BW_OK;
        }
    return BW_OK;
}

static bw_result need_file(const char **file, bwi_decoder *d, const char *name, const char *const *endings,
                           const char *path, bw_error *error) {
    bw_result result = find_file(file, d, name, endings, error);
    if (result == BW_OK && !*file)
        return bwi_fail(error, BW_ERR_FILE_MISSING, path, -1,
                        "neither %s%s nor %s%s stands beside it or in the folder %s_vat; put OpenVAT's files together",
                        name, endings[0], name, endings[1], name);
    return result;
}

static bool ends_with(const char *text, const char *ending) {
    const size_t length = strlen(text), size = strlen(ending);
    return length >= size && strcmp(text + length - size, ending) == 0;
}

/* Normals of the offsets' own format: a bake in another one may have left its files behind, and nothing says which are meant. */
static bw_result find_normals(const char **file, bwi_decoder *d, const char *name, const char *offset_file,
                              bwi_warnings *findings, bw_error *error) {
    static const char *const png_offsets[] = {"_vat.png", NULL};
    const bool png = ends_with(offset_file, ".png");
    const char *const endings[] = {png ? "_vnrm.png" : "_vnrm.exr", NULL};
    const char *other = NULL;
    bw_result result = png ? BW_OK : find_file(&other, d, name, png_offsets, error);
    if (result == BW_OK && other) {
        bwi_warn(
            findings, "two-textures", 1,
            "textures of two formats stand side by side, and nothing says which one is meant; remove what an older "
            "bake left behind",
            "%s, %s", offset_file, other);
        return bwi_fail(error, BW_ERR_DIFFERS, d->folder, -1, "the textures cannot be told apart; remove one");
    }
    return result == BW_OK ? find_file(file, d, name, endings, error) : result;
}

/* Sides and type, by decoding the image once: what is claimed is then known to be there. */
static bw_result look_at(foreign_image *image, bwi_decoder *d, const bwi_env *env, bw_error *error) {
    const bool png = ends_with(image->file, ".png");
    char *path = bwi_path_join(d->arena, d->folder, image->file);
    if (!path)
        return bwi_fail_memory(error, image->file, d->mem, strlen(image->file));
    bwi_texels texels = {0};
    bw_result result = bwi_image_read(&texels, path, png ? BWI_CONTAINER_PNG : BWI_CONTAINER_EXR, NULL, env, error);
    if (result != BW_OK)
        return result;
    image->width = texels.width;
    image->height = texels.height;
    image->format = texels.type == BWI_TEXEL_U8    ? BW_VAT_FORMAT_PNG8
                    : texels.type == BWI_TEXEL_U16 ? BW_VAT_FORMAT_PNG16
                    : texels.type == BWI_TEXEL_F16 ? BW_VAT_FORMAT_EXR16
                                                   : BW_VAT_FORMAT_EXR32;
    bwi_texels_free(&texels, env->mem);
    return BW_OK;
}

/* What the UVs of a mesh say about the texture. */
typedef struct uv_survey {
    uint64_t vertices;
    uint32_t top_row; /* the largest */
    bool fits;        /* every UV is the centre of a texel in a row where an element may begin */
} uv_survey;

static uv_survey survey(const bw_scene *scene, uint32_t set, const foreign_image *image, uint32_t frames) {
    uv_survey out = {.fits = true};
    for (size_t k = 0; k < scene->meshes.count; ++k)
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; ++j) {
            const bw_primitive *p = &scene->meshes.data[k].primitives.data[j];
            const float *uv = set < p->uv_sets.count ? p->uv_sets.data[set] : NULL;
            out.vertices += p->vertex_count;
            out.fits = out.fits && uv;
            for (uint32_t i = 0; out.fits && i < p->vertex_count; ++i) {
                const double u = (double)uv[2 * i] * image->width, v = (double)uv[2 * i + 1] * image->height;
                out.fits = u >= 0.0 && u < image->width && v >= 0.0 && v < image->height;
                if (!out.fits)
                    break;
                const uint32_t row = (uint32_t)v;
                out.fits = row % frames == 0 && fabs(u - floor(u) - 0.5) <= CENTRE_TOLERANCE &&
                           fabs(v - row - 0.5) <= CENTRE_TOLERANCE;
                out.top_row = row > out.top_row ? row : out.top_row;
            }
        }
    return out;
}

static uint32_t uv_set_count(const bw_scene *scene) {
    size_t most = 0;
    for (size_t k = 0; k < scene->meshes.count; ++k)
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; ++j) {
            const size_t count = scene->meshes.data[k].primitives.data[j].uv_sets.count;
            most = count > most ? count : most;
        }
    return (uint32_t)most;
}

/* The set with the texels: the last one, where OpenVAT puts it, else whichever fits.  False: none does. */
static bool find_uv_set(uint32_t *set, uv_survey *found, const bw_scene *scene, const foreign_image *image,
                        uint32_t frames) {
    for (uint32_t k = uv_set_count(scene); k-- > 0;) {
        *found = survey(scene, k, image, frames);
        *set = k;
        if (found->fits)
            return true;
    }
    return false;
}

static bool is_pow2(uint32_t x) {
    return (x & (x - 1)) == 0;
}

static void check_sides(const bwi_decoder *d, const foreign_image *image, const uv_survey *uv, bwi_warnings *findings,
                        bwi_warnings *notes) {
    const bwi_manifest *m = d->manifest;
    const uint32_t n = m->frame_count;
    const bool wrapped = uv->top_row > 0;
    if (wrapped ? !is_pow2(image->width) || !is_pow2(image->height) : image->height != n && image->height / 2.0 != n)
        bwi_warn(findings, "texture-sides", 1,
                 "the texture's sides are not those of OpenVAT's rules: a row a frame, or two with packed normals, or "
                 "powers of "
                 "two where rows wrap; the JSON may be of another bake",
                 "%u × %u texels for %u frames", image->width, image->height, n);
    if (image->width > PORTABLE_SIDE || image->height > PORTABLE_SIDE)
        bwi_warn(notes, "texture-large", 1, "sides above 4,096 texels are more than many phones and importers take",
                 "%s: %u × %u", image->file, image->width, image->height);
    if (image->format == BW_VAT_FORMAT_PNG8)
        bwi_warn(notes, "eight-bit", 1, "8 bits a channel are too coarse for most motion; export as EXR or 16-bit PNG",
                 "%s", image->file);
    if (m->uv_set != 1)
        bwi_warn(
            notes, "openvat-uv-set", 1,
            "the texels' UVs are not in the second UV set, which OpenVAT's players read; tell them the set, or export "
            "one other UV set alone",
            "TEXCOORD_%u", m->uv_set);
}

static void check_animations(const bwi_openvat_info *info, bwi_warnings *findings) {
    for (size_t k = 0; k < info->clips.count; ++k) {
        const bwi_openvat_clip *c = &info->clips.data[k];
        if (c->start_frame < 1 || c->end_frame < c->start_frame || c->end_frame > (int64_t)info->frame_count)
            bwi_warn(findings, "animation-range", 1, "an animation's frames are not among those of the texture",
                     "'%s': %lld to %lld of %u", c->name, (long long)c->start_frame, (long long)c->end_frame,
                     info->frame_count);
    }
}

/* Columns that no vertex points at, and how far the offsets reach. */
static bw_result check_texels(bwi_decoder *d, const bwi_env *env, bwi_warnings *findings, bw_error *error) {
    const bwi_manifest *m = d->manifest;
    bool *used = bwi_alloc(env->mem, d->width, sizeof *used);
    if (!used)
        return bwi_fail_memory(error, m->mesh.file, env->mem, d->width);
    bwi_fetched f = {.alpha_code = {0}};
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t frame = 0; frame < m->frame_count; ++frame)
        for (size_t at = 0; at < m->element_count; at += BWI_FETCH_BLOCK) {
            const size_t left = m->element_count - at, count = left < BWI_FETCH_BLOCK ? left : BWI_FETCH_BLOCK;
            bwi_fetch(&f, &d->position, (size_t)frame * d->width, d->texel + at, count);
            for (size_t i = 0; i < count; ++i) {
                used[d->texel[at + i] % d->width] = true;
                for (int k = 0; k < 3; ++k) {
                    low[k] = fminf(low[k], f.value[k][i]);
                    high[k] = fmaxf(high[k], f.value[k][i]);
                }
            }
        }
    uint32_t unused = 0;
    for (uint32_t column = 0; column < d->width; ++column)
        unused += !used[column];
    bwi_free(env->mem, used);
    if (unused > 0 && d->rows == 1)
        bwi_warn(&d->notes, "columns-unused", unused,
                 "no vertex points at a column: the mesh was changed after the bake", "%u of %u columns", unused,
                 d->width);
    for (int k = 0; k < 3; ++k) {
        const float side = m->offset_max[k] - m->offset_min[k];
        const float slack = BOUNDS_STEP + side / (m->format == BW_VAT_FORMAT_PNG8 ? 255.0f : 2048.0f);
        if (!(side * low[k] >= 0.0f && side * low[k] <= slack && side * high[k] <= side &&
              side * (1.0f - high[k]) <= slack))
            bwi_warn(findings, "offset-range", 1,
                     "the offsets do not reach to within 0.1 of the JSON's Min and Max: texture and JSON are of "
                     "different bakes",
                     "axis %c: %g … %g of %g … %g", 'x' + k, (double)(m->offset_min[k] + side * low[k]),
                     (double)(m->offset_min[k] + side * high[k]), (double)m->offset_min[k], (double)m->offset_max[k]);
    }
    return BW_OK;
}

/* The mesh's own normals, [V][3] in glTF's axes; false: a part has none. */
static bool mesh_normals(float *out, const bw_scene *scene) {
    for (size_t k = 0; k < scene->meshes.count; ++k)
        for (size_t j = 0; j < scene->meshes.data[k].primitives.count; ++j) {
            const bw_primitive *p = &scene->meshes.data[k].primitives.data[j];
            if (!p->normals)
                return false;
            memcpy(out, p->normals, 3 * sizeof(float) * p->vertex_count);
            out += 3 * (size_t)p->vertex_count;
        }
    return true;
}

/* The first frame is the mesh as it stands, unless another rest pose was chosen. */
static void compare_first_frame(bwi_decoder *d, const bwi_decoded *frame, const float *normals) {
    const bwi_manifest *m = d->manifest;
    double farthest = 0.0, sum = 0.0;
    uint32_t worst = 0, off = 0;
    for (uint32_t i = 0; i < m->element_count; ++i) {
        double square = 0.0;
        bool near = true;
        for (size_t k = 0; k < 3; ++k) {
            const size_t at = 3 * (size_t)i + k;
            const float side = m->offset_max[k] - m->offset_min[k];
            const float tolerance =
                side / (m->format == BW_VAT_FORMAT_PNG8 ? 255.0f : 2048.0f) + (fabsf(d->rest[at]) + side) / 4194304.0f;
            const double delta = (double)frame->positions[at] - (double)d->rest[at];
            near = near && fabs(delta) <= (double)tolerance;
            square += delta * delta;
        }
        off += !near;
        if (square > farthest) {
            farthest = square;
            worst = i;
        }
    }
    if (off > 0) {
        bwi_warn(&d->notes, "first-frame", off,
                 "the first frame is not the mesh as it stands: another rest pose was chosen, or the mesh is of "
                 "another bake",
                 "vertex %u is %.4g mm away", worst, sqrt(farthest) * 1000.0);
        return;
    }
    if (!normals || !frame->normals)
        return;
    bwi_decoder_to_gltf(d, frame, m->element_count);
    for (size_t i = 0; i < 3 * (size_t)m->element_count; ++i)
        sum += (double)frame->normals[i] * (double)normals[i];
    if (sum / m->element_count < LEAST_MEAN_DOT)
        bwi_warn(&d->notes, "normals-differ", 1,
                 "normals of the first frame are not the mesh's: averaged where edges are split, or the mesh was "
                 "exported in "
                 "another pose",
                 "mean dot %.5f", sum / m->element_count);
}

static bw_result check_first_frame(bwi_decoder *d, const bw_scene *scene, const bwi_env *env, bw_error *error) {
    const size_t v = d->manifest->element_count;
    float *floats = bwi_alloc(env->mem, v, 9 * sizeof(float));
    if (!floats)
        return bwi_fail_memory(error, scene->path, env->mem, v * 9 * sizeof(float));
    const bwi_decoded frame = {floats, d->has_normals ? floats + 3 * v : NULL, NULL};
    float *normals = floats + 6 * v;
    bwi_vertex_frame(d, &frame, 0, 0);
    compare_first_frame(d, &frame, mesh_normals(normals, scene) ? normals : NULL);
    bwi_free(env->mem, floats);
    return BW_OK;
}

/* A manifest that says what OpenVAT's files hold, for the decoder and all who use it. */
static bw_result make_up(bwi_decoder *d, const bwi_openvat_info *info, const foreign_image *position,
                         const foreign_image *normal, const char *mesh_file, bw_error *error) {
    bwi_manifest *m = bwi_arena_alloc(d->arena, 1, sizeof *m);
    bwi_manifest_texture *textures = bwi_arena_alloc(d->arena, 2, sizeof *textures);
    bwi_manifest_clip *clip = bwi_arena_alloc(d->arena, 1, sizeof *clip);
    if (!m || !textures || !clip)
        return bwi_fail_memory(error, mesh_file, d->mem, sizeof *m);
    *clip = (bwi_manifest_clip){.name = "all", .frame_count = info->frame_count};
    textures[0] = (bwi_manifest_texture){.file = position->file,
                                         .width = position->width,
                                         .height = position->height,
                                         .format = position->format,
                                         .decode = BWI_DECODE_OFFSET};
    if (normal->file)
        textures[1] = (bwi_manifest_texture){.file = normal->file,
                                             .role = BWI_ROLE_NORMAL,
                                             .width = normal->width,
                                             .height = normal->height,
                                             .format = normal->format,
                                             .decode = BWI_DECODE_NORMAL};
    *m = (bwi_manifest){.generator = "OpenVAT",
                        .mode = BW_VAT_MODE_VERTEX,
                        .layout = BW_VAT_LAYOUT_OPENVAT,
                        .engine = BW_ENGINE_GENERIC,
                        .format = position->format,
                        .space = {"z", "right", "m"},
                        .mesh = {mesh_file, 0, {0}},
                        .frame_count = info->frame_count,
                        .frames_per_page = info->frame_count};
    m->textures.data = textures;
    m->textures.count = normal->file ? 2 : 1;
    m->clips.data = clip;
    m->clips.count = 1;
    memcpy(m->offset_min, info->min, sizeof m->offset_min);
    memcpy(m->offset_max, info->max, sizeof m->offset_max);
    d->manifest = m;
    return BW_OK;
}

/* Where in the texture things are, which OpenVAT's JSON does not say. */
static bw_result fit(bwi_decoder *d, const bw_scene *scene, const foreign_image *position, const foreign_image *normal,
                     const bwi_env *env, bwi_warnings *findings, bw_error *error) {
    bwi_manifest *m = d->manifest;
    const uint32_t n = m->frame_count;
    uv_survey uv = {0};
    if (normal->file && (normal->width != position->width || normal->height != position->height)) {
        bwi_warn(findings, "texture-differs", 1, "the normal texture has other sides than the one of offsets",
                 "%s: %u × %u, expected %u × %u", normal->file, normal->width, normal->height, position->width,
                 position->height);
        return bwi_fail(error, BW_ERR_DIFFERS, scene->path, -1,
                        "the textures are of different bakes; export them again");
    }
    if (!find_uv_set(&m->uv_set, &uv, scene, position, n)) {
        bwi_warn(findings, "uv-outside", 1,
                 "no UV set of the mesh points at the texels' centres: it is not of this texture, or was changed since",
                 "%s", m->mesh.file);
        return bwi_fail(error, BW_ERR_DIFFERS, scene->path, -1, "the mesh does not fit the texture; export both again");
    }
    const uint64_t rows = (uint64_t)uv.top_row + n;
    if (rows > position->height || uv.vertices > INT32_MAX) {
        bwi_warn(findings, "texture-sides", 1, "the texture has fewer rows than the JSON has frames",
                 "%u rows, expected %llu or more", position->height, (unsigned long long)rows);
        return bwi_fail(error, BW_ERR_DIFFERS, scene->path, -1,
                        "texture and JSON are of different bakes; export both again");
    }
    m->element_count = (uint32_t)uv.vertices;
    m->rows_per_frame = uv.top_row / n + 1;
    const bool packed = !normal->file && 2 * rows <= position->height;
    m->textures.data[0].decode = packed ? BWI_DECODE_OFFSET_NORMAL : BWI_DECODE_OFFSET;
    d->has_normals = packed || normal->file;
    d->width = position->width;
    d->rows = m->rows_per_frame;
    d->stride = n;
    bw_result result = bwi_decoder_place(d, scene, env, findings, error);
    if (result == BW_OK)
        result = bwi_decoder_load_page(d, 0, env, error);
    if (result != BW_OK)
        return result;
    check_sides(d, position, &uv, findings, &d->notes);
    check_animations(d->foreign, findings);
    result = check_texels(d, env, findings, error);
    return result == BW_OK ? check_first_frame(d, scene, env, error) : result;
}

bw_result bwi_decoder_open_foreign(bwi_decoder *d, const char *text, size_t size, const char *path, const bwi_env *env,
                                   bwi_warnings *findings, bw_error *error) {
    static const char *const mesh_endings[] = {".glb", ".gltf", NULL};
    static const char *const offset_endings[] = {"_vat.exr", "_vat.png", NULL};
    const char *mesh_file = NULL;
    foreign_image position = {0}, normal = {0};
    bw_result result = bwi_openvat_parse(&d->foreign, d->arena, text, size, path, error);
    if (result != BW_OK)
        return result;
    const char *name = object_name(d->arena, path);
    if (!name)
        return bwi_fail_memory(error, path, d->mem, 0);
    result = need_file(&mesh_file, d, name, mesh_endings, path, error);
    if (result == BW_OK)
        result = need_file(&position.file, d, name, offset_endings, path, error);
    if (result == BW_OK)
        result = find_normals(&normal.file, d, name, position.file, findings, error);
    if (result == BW_OK)
        result = look_at(&position, d, env, error);
    if (result == BW_OK && normal.file)
        result = look_at(&normal, d, env, error);
    if (result == BW_OK)
        result = make_up(d, d->foreign, &position, &normal, mesh_file, error);
    if (result == BW_OK)
        result = bwi_decoder_begin(d, error);
    bw_scene *scene = NULL;
    if (result == BW_OK)
        result = bwi_decoder_read_mesh(&scene, d, mesh_file, env, error);
    if (result != BW_OK)
        return result;
    result = fit(d, scene, &position, &normal, env, findings, error);
    bwi_scene_free(scene);
    return result;
}
