/* SPDX-License-Identifier: MIT
 * A picture as PNG with stored data: no compressor, so its bytes never change.  Source: PNG specification, RFC 1950, RFC 1951. */
#include "shape.h"

static void add_be32(blob *b, uint32_t value) {
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    blob_add(b, bytes, 4);
}

static uint32_t crc32_of(const uint8_t *data, size_t size) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static uint32_t adler32_of(const uint8_t *data, size_t size) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void add_chunk(blob *png, const char *type, const blob *body) {
    blob checked = {0};
    blob_add(&checked, type, 4);
    blob_add(&checked, body->data, body->size);
    add_be32(png, (uint32_t)body->size);
    blob_add(png, checked.data, checked.size);
    add_be32(png, crc32_of(checked.data, checked.size));
    blob_free(&checked);
}

blob make_checker_png(uint32_t side, uint32_t square, const uint8_t colour_a[3], const uint8_t colour_b[3]) {
    blob rows = {0};
    for (uint32_t y = 0; y < side; y++) {
        blob_add(&rows, "\0", 1); /* filter: none */
        for (uint32_t x = 0; x < side; x++)
            blob_add(&rows, (x / square + y / square) % 2 ? colour_b : colour_a, 3);
    }
    blob png = {0}, header = {0}, data = {0}, none = {0};
    blob_add(&png, "\x89PNG\r\n\x1a\n", 8);
    add_be32(&header, side);
    add_be32(&header, side);
    blob_add(&header, "\x08\x02\0\0\0", 5); /* 8 bits, RGB */
    add_chunk(&png, "IHDR", &header);

    uint16_t size = (uint16_t)rows.size; /* one stored block: side <= 147 */
    const uint8_t block[7] = {
        0x78, 0x01, 1, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)~size, (uint8_t)(~size >> 8)};
    blob_add(&data, block, sizeof block);
    blob_add(&data, rows.data, rows.size);
    add_be32(&data, adler32_of(rows.data, rows.size));
    add_chunk(&png, "IDAT", &data);
    add_chunk(&png, "IEND", &none);
    blob_free(&rows);
    blob_free(&header);
    blob_free(&data);
    return png;
}
