// SHA-256 by the SHA extensions of x86: some six times as fast, so that the digest of all jars costs a
// start of the JVM little. Other processors take the portable way.
#include "sha256.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <stdbool.h>

// The instructions keep the state as two vectors, {f e b a} and {h g d c}, lowest word first.
struct halves {
  __m128i abef;
  __m128i cdgh;
};

#define SHA_CODE __attribute__((target("sha,sse4.1,ssse3")))

SHA_CODE static struct halves load(const uint32_t state[8]) {
  return (struct halves){
      .abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]),
      .cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]),
  };
}

SHA_CODE static void store(struct halves halves, uint32_t state[8]) {
  state[0] = (uint32_t)_mm_extract_epi32(halves.abef, 3);
  state[1] = (uint32_t)_mm_extract_epi32(halves.abef, 2);
  state[2] = (uint32_t)_mm_extract_epi32(halves.cdgh, 3);
  state[3] = (uint32_t)_mm_extract_epi32(halves.cdgh, 2);
  state[4] = (uint32_t)_mm_extract_epi32(halves.abef, 1);
  state[5] = (uint32_t)_mm_extract_epi32(halves.abef, 0);
  state[6] = (uint32_t)_mm_extract_epi32(halves.cdgh, 1);
  state[7] = (uint32_t)_mm_extract_epi32(halves.cdgh, 0);
}

SHA_CODE static struct halves four_rounds(struct halves halves, __m128i words, int round) {
  __m128i sums = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(sha256_rounds + round)));
  __m128i old = halves.abef;
  __m128i middle = _mm_sha256rnds2_epu32(halves.cdgh, old, sums);
  halves.abef = _mm_sha256rnds2_epu32(old, middle, _mm_shuffle_epi32(sums, 0x0e));
  halves.cdgh = middle;
  return halves;
}

// Words t to t+3 of the schedule from the sixteen before them, oldest four first.
SHA_CODE static __m128i four_words(const __m128i before[4]) {
  __m128i sevenths = _mm_alignr_epi8(before[3], before[2], 4);
  __m128i part = _mm_add_epi32(_mm_sha256msg1_epu32(before[0], before[1]), sevenths);
  return _mm_sha256msg2_epu32(part, before[3]);
}

SHA_CODE static struct halves one_block(struct halves halves, const uint8_t *block) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i words[4];
  for (int i = 0; i < 4; i++) {
    words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)block + i), swap);
    halves = four_rounds(halves, words[i], 4 * i);
  }
  for (int round = 16; round < 64; round += 4) {
    __m128i next = four_words(words);
    words[0] = words[1];
    words[1] = words[2];
    words[2] = words[3];
    words[3] = next;
    halves = four_rounds(halves, next, round);
  }
  return halves;
}

SHA_CODE static void all_blocks(uint32_t state[8], const uint8_t *bytes, size_t count) {
  struct halves sum = load(state);
  for (; count > 0; count--, bytes += SHA256_BLOCK) {
    struct halves result = one_block(sum, bytes);
    sum.abef = _mm_add_epi32(sum.abef, result.abef);
    sum.cdgh = _mm_add_epi32(sum.cdgh, result.cdgh);
  }
  store(sum, state);
}

static bool has_instructions(void) {
  unsigned int a, b, c, d;
  bool has_sse = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3) && (c & bit_SSE4_1);
  return has_sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

sha256_blocks *sha256_hardware(void) {
  return has_instructions() ? all_blocks : NULL;
}

#else

sha256_blocks *sha256_hardware(void) {
  return NULL;
}

#endif
