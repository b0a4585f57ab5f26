// SHA-256 (FIPS 180-4).
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_BYTES = 32, SHA256_HEX = 2 * SHA256_BYTES + 1 };

// Takes `count` whole blocks into the state; one by the book, one by the processor's instructions.
typedef void sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count);

struct sha256 {
  sha256_blocks *blocks;
  uint32_t state[8];
  uint64_t length; // bytes so far
  uint8_t block[SHA256_BLOCK];
};

void sha256_start(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t count);
void sha256_end(struct sha256 *hash, char hex[SHA256_HEX]);

sha256_blocks sha256_portable;

// The constants of the 64 rounds.
extern const uint32_t sha256_rounds[64];

// By the processor's own instructions, or NULL where it has none.
sha256_blocks *sha256_hardware(void);
