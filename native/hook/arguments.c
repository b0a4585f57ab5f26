#include "arguments.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void complain(const char *level, const char *message, const char *what) {
  fprintf(stderr, "pitcrew-cdi-hook: %s: %s%s%s\n", level, message, what ? ": " : "", what ? what : "");
}

static bool is_flag(const struct flag *flag, const char *word, const char **value) {
  size_t length = strlen(flag->name);
  if (strncmp(word, flag->name, length) != 0) return false;
  *value = word[length] == '=' ? word + length + 1 : NULL;
  return word[length] == 0 || word[length] == '=';
}

void arguments_read(char *const words[], struct flag *const flags[], size_t count) {
  for (size_t i = 0; words[i] != NULL; i++) {
    const char *value = NULL;
    struct flag *known = NULL;
    for (size_t j = 0; j < count && known == NULL; j++) {
      if (is_flag(flags[j], words[i], &value)) known = flags[j];
    }
    if (known == NULL) {
      complain("warning", "unknown argument is ignored", words[i]);
      continue;
    }
    if (value == NULL) {
      if (words[i + 1] == NULL) {
        complain("warning", "value is missing", words[i]);
        return;
      }
      value = words[++i];
    }
    if (known->count < MAX_VALUES) {
      known->values[known->count++] = value;
    } else {
      complain("warning", "too many values, ignored", value);
    }
  }
}
