#include "json.h"

#include <string.h>

// Deeper than any container's configuration, shallower than our stack.
enum { MAX_DEPTH = 64 };

struct reader {
  const char *at;
};

static void skip_space(struct reader *in) {
  while (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r') in->at++;
}

static bool take(struct reader *in, char expected) {
  skip_space(in);
  if (*in->at != expected) return false;
  in->at++;
  return true;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static long code_unit(struct reader *in) {
  long unit = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*in->at);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
    in->at++;
  }
  return unit;
}

// A pair of surrogates is one character.
static long code_point(struct reader *in) {
  long first = code_unit(in);
  if (first < 0xd800 || first > 0xdbff) return first >= 0xdc00 && first <= 0xdfff ? -1 : first;
  if (in->at[0] != '\\' || in->at[1] != 'u') return -1;
  in->at += 2;
  long second = code_unit(in);
  if (second < 0xdc00 || second > 0xdfff) return -1;
  return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

struct text {
  char *start;
  size_t size, used;
  bool fits;
};

static void put(struct text *out, unsigned value) {
  if (out->start == NULL) return;
  if (out->used + 1 >= out->size) {
    out->fits = false;
    return;
  }
  out->start[out->used++] = (char)value;
}

static void put_utf8(struct text *out, unsigned long code) {
  if (code < 0x80) {
    put(out, (unsigned)code);
  } else if (code < 0x800) {
    put(out, 0xc0 | (unsigned)(code >> 6));
    put(out, 0x80 | (unsigned)(code & 0x3f));
  } else if (code < 0x10000) {
    put(out, 0xe0 | (unsigned)(code >> 12));
    put(out, 0x80 | (unsigned)(code >> 6 & 0x3f));
    put(out, 0x80 | (unsigned)(code & 0x3f));
  } else {
    put(out, 0xf0 | (unsigned)(code >> 18));
    put(out, 0x80 | (unsigned)(code >> 12 & 0x3f));
    put(out, 0x80 | (unsigned)(code >> 6 & 0x3f));
    put(out, 0x80 | (unsigned)(code & 0x3f));
  }
}

static bool escape(struct reader *in, struct text *out) {
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  char name = *in->at;
  if (name == 0) return false;
  in->at++;
  if (name == 'u') {
    long code = code_point(in);
    // A NUL would end the text early.
    if (code <= 0) return false;
    put_utf8(out, (unsigned long)code);
    return true;
  }
  const char *found = strchr(names, name);
  if (found == NULL) return false;
  put(out, (unsigned char)values[found - names]);
  return true;
}

static bool text(struct reader *in, struct text *out) {
  if (!take(in, '"')) return false;
  while (*in->at != '"') {
    char c = *in->at;
    if (c == 0) return false;
    in->at++;
    if (c != '\\') {
      put(out, (unsigned char)c);
    } else if (!escape(in, out)) {
      return false;
    }
  }
  in->at++;
  if (out->start != NULL) out->start[out->used] = 0;
  return true;
}

static bool skip_value(struct reader *in, int depth);

static bool skip_members(struct reader *in, char end, int depth) {
  if (take(in, end)) return true;
  do {
    struct text nothing = {0};
    if (end == '}' && (!text(in, &nothing) || !take(in, ':'))) return false;
    if (!skip_value(in, depth + 1)) return false;
  } while (take(in, ','));
  return take(in, end);
}

static bool skip_value(struct reader *in, int depth) {
  if (depth > MAX_DEPTH) return false;
  skip_space(in);
  struct text nothing = {0};
  if (*in->at == '"') return text(in, &nothing);
  if (take(in, '{')) return skip_members(in, '}', depth);
  if (take(in, '[')) return skip_members(in, ']', depth);
  size_t word = strcspn(in->at, " \t\r\n,:]}");
  in->at += word;
  return word > 0;
}

// Stands before the value of `key` afterwards.
static bool enter(struct reader *in, const char *key) {
  if (!take(in, '{')) return false;
  skip_space(in);
  if (*in->at == '}') return false;
  do {
    char name[64];
    struct text out = {.start = name, .size = sizeof name, .fits = true};
    if (!text(in, &out) || !take(in, ':')) return false;
    if (out.fits && strcmp(name, key) == 0) return true;
    if (!skip_value(in, 0)) return false;
  } while (take(in, ','));
  return false;
}

bool json_text(const char *json, const char *const path[], size_t keys, char *value, size_t size) {
  struct reader in = {json};
  for (size_t i = 0; i < keys; i++) {
    if (!enter(&in, path[i])) return false;
  }
  struct text out = {.start = value, .size = size, .fits = true};
  return text(&in, &out) && out.fits;
}
