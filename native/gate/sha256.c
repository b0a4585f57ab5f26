#include "sha256.h"

#include <stdio.h>
#include <string.h>

const uint32_t sha256_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t word, int bits) {
  return (word >> bits) | (word << (32 - bits));
}

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void schedule(const uint8_t *block, uint32_t words[64]) {
  for (int i = 0; i < 16; i++) {
    words[i] = big_endian(block + 4 * i);
  }
  for (int i = 16; i < 64; i++) {
    uint32_t near = words[i - 2];
    uint32_t far = words[i - 15];
    words[i] = words[i - 16] + words[i - 7] + (turn(far, 7) ^ turn(far, 18) ^ far >> 3) +
               (turn(near, 17) ^ turn(near, 19) ^ near >> 10);
  }
}

static void step(uint32_t v[8], uint32_t addend) {
  uint32_t a = v[0];
  uint32_t e = v[4];
  uint32_t first = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + addend;
  uint32_t second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
  memmove(v + 1, v, 7 * sizeof v[0]);
  v[4] += first;
  v[0] = first + second;
}

static void one_block(uint32_t state[8], const uint8_t *block) {
  uint32_t words[64];
  uint32_t v[8];
  schedule(block, words);
  memcpy(v, state, sizeof v);
  for (int i = 0; i < 64; i++) {
    step(v, sha256_rounds[i] + words[i]);
  }
  for (int i = 0; i < 8; i++) {
    state[i] += v[i];
  }
}

void sha256_portable(uint32_t state[8], const uint8_t *bytes, size_t count) {
  for (; count > 0; count--, bytes += SHA256_BLOCK) {
    one_block(state, bytes);
  }
}

void sha256_start(struct sha256 *hash) {
  sha256_blocks *hardware = sha256_hardware();
  *hash = (struct sha256){.blocks = hardware == NULL ? sha256_portable : hardware,
                          .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                    0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  size_t used = hash->length % SHA256_BLOCK;
  hash->length += count;
  if (used > 0) {
    size_t taken = count < SHA256_BLOCK - used ? count : SHA256_BLOCK - used;
    memcpy(hash->block + used, next, taken);
    if (used + taken < SHA256_BLOCK) {
      return;
    }
    hash->blocks(hash->state, hash->block, 1);
    next += taken;
    count -= taken;
  }
  hash->blocks(hash->state, next, count / SHA256_BLOCK);
  memcpy(hash->block, next + count / SHA256_BLOCK * SHA256_BLOCK, count % SHA256_BLOCK);
}

static void pad(struct sha256 *hash) {
  static const uint8_t padding[SHA256_BLOCK] = {0x80};
  uint64_t bits = hash->length * 8;
  size_t used = hash->length % SHA256_BLOCK;
  sha256_add(hash, padding, (used < 56 ? 56 : 120) - used);
  uint8_t length[8];
  for (int i = 0; i < 8; i++) {
    length[i] = (uint8_t)(bits >> (56 - 8 * i));
  }
  sha256_add(hash, length, sizeof length);
}

void sha256_end(struct sha256 *hash, char hex[SHA256_HEX]) {
  pad(hash);
  for (int i = 0; i < 8; i++) {
    snprintf(hex + 8 * i, 9, "%08x", hash->state[i]);
  }
}
