// The examples of FIPS 180-4, and both ways of computing against each other at every length and split.
#include "sha256.h"

#include <stdint.h>
#include <string.h>

#include "check.h"

static void digest(const void *bytes, size_t count, size_t split, sha256_blocks *blocks, char *hex) {
  struct sha256 hash;
  sha256_start(&hash);
  hash.blocks = blocks;
  sha256_add(&hash, bytes, split);
  sha256_add(&hash, (const char *)bytes + split, count - split);
  sha256_end(&hash, hex);
}

static void is(const char *text, const char *expected) {
  char hex[SHA256_HEX];
  digest(text, strlen(text), 0, sha256_portable, hex);
  CHECK(strcmp(hex, expected) == 0);
}

static void knownTextsHaveKnownDigests(void) {
  is("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  is("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void aMillionTimesA(void) {
  char *text = malloc(1000000);
  CHECK(text != NULL);
  memset(text, 'a', 1000000);
  char hex[SHA256_HEX];
  digest(text, 1000000, 77, sha256_portable, hex);
  CHECK(strcmp(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0") == 0);
  free(text);
}

static void theProcessorAgreesWithTheBook(void) {
  sha256_blocks *hardware = sha256_hardware();
  if (hardware == NULL) {
    skipped("gate/theProcessorAgreesWithTheBook", "this processor has no SHA instructions");
    return;
  }
  uint8_t bytes[260];
  for (size_t i = 0; i < sizeof bytes; i++) {
    bytes[i] = (uint8_t)(i * 31 + 7);
  }
  for (size_t count = 0; count <= sizeof bytes; count++) {
    for (size_t split = 0; split <= count; split++) {
      char expected[SHA256_HEX];
      char hex[SHA256_HEX];
      digest(bytes, count, 0, sha256_portable, expected);
      digest(bytes, count, split, hardware, hex);
      CHECK(strcmp(hex, expected) == 0);
    }
  }
}

int main(void) {
  knownTextsHaveKnownDigests();
  aMillionTimesA();
  theProcessorAgreesWithTheBook();
  return 0;
}
