// The reader of JSON: the values that a container's configuration has, and broken texts.
#include "../json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(const char *json, const char *expected) {
  static const char *const path[] = {"root", "path"};
  char value[32];
  bool found = json_text(json, path, 2, value, sizeof value);
  if (found != (expected != NULL) || (found && strcmp(value, expected) != 0)) {
    fprintf(stderr, "FAIL: %s: expected %s, was %s\n", json, expected ? expected : "nothing", found ? value : "nothing");
    failures++;
  }
}

// Every text that stops before the end of the value is refused and read no further.
static void expect_cuts_to_be_refused(const char *json) {
  for (size_t length = 0; length + 1 < strlen(json); length++) {
    char *cut = malloc(length + 1);
    memcpy(cut, json, length);
    cut[length] = 0;
    static const char *const path[] = {"last"};
    char value[8];
    if (json_text(cut, path, 1, value, sizeof value)) {
      fprintf(stderr, "FAIL: accepted %s\n", cut);
      failures++;
    }
    free(cut);
  }
}

int main(void) {
  expect("{\"root\":{\"path\":\"/a\"}}", "/a");
  expect(" { \"a\" : [1, {\"root\":{\"path\":\"/no\"}}, \"x\\\"}\"], \"root\" : { \"readonly\": true, \"path\" : \"rootfs\" } }", "rootfs");
  expect("{\"root\":{\"path\":\"\\u002fa\\/\\\\\\u00e9\\ud83d\\ude00\"}}", "/a/\\\xc3\xa9\xf0\x9f\x98\x80");
  expect("{\"root\":{\"path\":\"\"}}", "");
  expect("{\"root\":{\"path\":7}}", NULL);
  expect("{\"root\":\"/a\"}", NULL);
  expect("{\"path\":\"/a\"}", NULL);
  expect("{\"root\":{\"path\":\"\\u0000/a\"}}", NULL);
  expect("{\"root\":{\"path\":\"\\ud83d/a\"}}", NULL);
  expect("{\"root\":{\"path\":\"\\x\"}}", NULL);
  expect("{\"root\":{\"path\":\"0123456789012345678901234567890\"}}", "0123456789012345678901234567890");
  expect("{\"root\":{\"path\":\"01234567890123456789012345678901\"}}", NULL);
  expect("", NULL);
  expect("[]", NULL);
  expect("{\"a\" 1}", NULL);
  expect("{,}", NULL);
  char deep[400] = "{\"a\":";
  memset(deep + 5, '[', 300);
  expect(deep, NULL);
  expect_cuts_to_be_refused("{\"a\":[true,null,-1.5e3,{\"b\":\"\\u00e9\\n\"}],\"c\":{},\"last\":\"x\"}");
  if (failures == 0) puts("json: ok");
  return failures != 0;
}
