#include "compat_note.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SECTIONS = 512, MAX_NOTE = 64 * 1024 };

static const char SECTION[] = ".note.cuda.fwd_compatibility";
static const char OWNER[] = "NVIDIA Corporation";

static bool read_at(int file, void *to, size_t size, Elf64_Off at) {
  return at <= INT64_MAX && pread(file, to, size, (off_t)at) == (ssize_t)size;
}

static bool is_named(int file, const Elf64_Shdr *names, Elf64_Word name) {
  char text[sizeof SECTION];
  return name < names->sh_size && names->sh_offset <= (Elf64_Off)INT64_MAX - name &&
         read_at(file, text, sizeof text, names->sh_offset + name) && memcmp(text, SECTION, sizeof text) == 0;
}

static bool find_section(int file, Elf64_Shdr *found) {
  Elf64_Ehdr header;
  Elf64_Shdr names;
  if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return false;
  if (header.e_shentsize != sizeof names || header.e_shnum > MAX_SECTIONS || header.e_shstrndx >= header.e_shnum) return false;
  if (header.e_shoff > INT64_MAX / 2) return false;
  if (!read_at(file, &names, sizeof names, header.e_shoff + header.e_shstrndx * sizeof names)) return false;
  for (Elf64_Half i = 0; i < header.e_shnum; i++) {
    if (!read_at(file, found, sizeof *found, header.e_shoff + i * sizeof *found)) return false;
    if (found->sh_type == SHT_NOTE && is_named(file, &names, found->sh_name)) return true;
  }
  return false;
}

// "Driver" is a list of numbers in a JSON object without other lists of that name.
static bool names_branch(const char *json, unsigned long branch) {
  const char *at = strstr(json, "\"Driver\"");
  if (at == NULL) return false;
  at += strlen("\"Driver\"");
  at += strspn(at, " \t\r\n:");
  if (*at++ != '[') return false;
  for (;;) {
    at += strspn(at, " \t\r\n,");
    if (!isdigit((unsigned char)*at)) return false;
    char *end;
    if (strtoul(at, &end, 10) == branch) return true;
    at = end;
  }
}

static bool judge(const char *note, size_t size, size_t alignment, unsigned long branch, bool *supports) {
  Elf64_Nhdr head;
  if (size < sizeof head || alignment == 0 || alignment > 8) return false;
  memcpy(&head, note, sizeof head);
  if (head.n_namesz != sizeof OWNER || head.n_descsz == 0) return false;
  size_t start = sizeof head + (head.n_namesz + alignment - 1) / alignment * alignment;
  if (start > size || head.n_descsz > size - start) return false;
  if (memcmp(note + sizeof head, OWNER, sizeof OWNER) != 0) return false;
  char *json = strndup(note + start, head.n_descsz);
  bool object = json != NULL && json[strspn(json, " \t\r\n")] == '{';
  if (object) *supports = names_branch(json, branch);
  free(json);
  return object;
}

bool compat_note(int library, unsigned long branch, bool *supports) {
  Elf64_Shdr section;
  if (!find_section(library, &section) || section.sh_size > MAX_NOTE) return false;
  char *note = malloc(section.sh_size + 1);
  bool found = note != NULL && read_at(library, note, section.sh_size, section.sh_offset) &&
               judge(note, section.sh_size, section.sh_addralign, branch, supports);
  free(note);
  return found;
}
