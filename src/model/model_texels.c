/* SPDX-License-Identifier: MIT
 * Sizes of texels, and the table of formats: container, texel type, names. */
#include "model/texels.h"

#include <string.h>

size_t bwi_texel_size(bwi_texel_type type) {
    switch (type) {
    case BWI_TEXEL_U8:
    case BWI_TEXEL_U10:
        return 4;
    case BWI_TEXEL_U16:
    case BWI_TEXEL_F16:
        return 8;
    case BWI_TEXEL_F32:
        return 16;
    }
    return 0;
}

bool bwi_texel_is_float(bwi_texel_type type) {
    return type == BWI_TEXEL_F16 || type == BWI_TEXEL_F32;
}

uint32_t bwi_texel_max_code(bwi_texel_type type) {
    switch (type) {
    case BWI_TEXEL_U8:
        return 255;
    case BWI_TEXEL_U16:
        return 65535;
    case BWI_TEXEL_U10:
        return 1023;
    case BWI_TEXEL_F16:
    case BWI_TEXEL_F32:
        break;
    }
    return 0;
}

static const bwi_format_info formats[] = {
    {BW_VAT_FORMAT_PNG8, "png8", BWI_CONTAINER_PNG, BWI_TEXEL_U8, "png"},
    {BW_VAT_FORMAT_PNG16, "png16", BWI_CONTAINER_PNG, BWI_TEXEL_U16, "png"},
    {BW_VAT_FORMAT_EXR16, "exr16", BWI_CONTAINER_EXR, BWI_TEXEL_F16, "exr"},
    {BW_VAT_FORMAT_EXR32, "exr32", BWI_CONTAINER_EXR, BWI_TEXEL_F32, "exr"},
    {BW_VAT_FORMAT_KTX2_U16, "ktx2-u16", BWI_CONTAINER_KTX2, BWI_TEXEL_U16, "ktx2"},
    {BW_VAT_FORMAT_KTX2_U10, "ktx2-u10", BWI_CONTAINER_KTX2, BWI_TEXEL_U10, "ktx2"},
    {BW_VAT_FORMAT_KTX2_F16, "ktx2-f16", BWI_CONTAINER_KTX2, BWI_TEXEL_F16, "ktx2"},
    {BW_VAT_FORMAT_KTX2_F32, "ktx2-f32", BWI_CONTAINER_KTX2, BWI_TEXEL_F32, "ktx2"},
    {BW_VAT_FORMAT_RAW, "raw", BWI_CONTAINER_RAW, BWI_TEXEL_U16, "bin"},
    {BW_VAT_FORMAT_RAW_F32, "raw-f32", BWI_CONTAINER_RAW, BWI_TEXEL_F32, "bin"},
};

const bwi_format_info *bwi_format_info_of(bw_vat_format format) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
        if (formats[i].format == format)
            return &formats[i];
    return NULL;
}

const bwi_format_info *bwi_format_info_named(const char *name) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}
