#include "soname.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SEGMENTS = 128, MAX_DYNAMIC = 1024 };

// glibc, sysdeps/generic/ldconfig.h: FLAG_ELF_LIBC6 with FLAG_X8664_LIB64 or FLAG_AARCH64_LIB64.
enum { X8664 = 0x0303, AARCH64 = 0x0a03 };

static bool read_at(int file, void *to, size_t size, uint64_t at) {
  return at <= INT64_MAX && pread(file, to, size, (off_t)at) == (ssize_t)size;
}

static bool is_library(const Elf64_Ehdr *header) {
  return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
         header->e_ident[EI_DATA] == ELFDATA2LSB && (header->e_machine == EM_X86_64 || header->e_machine == EM_AARCH64) &&
         header->e_type == ET_DYN && header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum <= MAX_SEGMENTS &&
         header->e_phoff <= INT64_MAX / 2;
}

// Where in the file an address of the loaded library lies.
static bool place(const Elf64_Phdr segments[], size_t count, uint64_t address, uint64_t *offset) {
  for (size_t i = 0; i < count; i++) {
    const Elf64_Phdr *load = &segments[i];
    if (load->p_type != PT_LOAD || address < load->p_vaddr || address - load->p_vaddr >= load->p_filesz) continue;
    return !__builtin_add_overflow(load->p_offset, address - load->p_vaddr, offset);
  }
  return false;
}

// The name of a file in the library's own folder.
static bool read_name(int file, uint64_t at, char name[NAME_MAX + 1]) {
  ssize_t size = at <= INT64_MAX ? pread(file, name, NAME_MAX + 1, (off_t)at) : -1;
  if (size <= 0 || memchr(name, 0, (size_t)size) == NULL) return false;
  return name[0] != 0 && strpbrk(name, "/\n\r") == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

bool soname_read(int file, struct soname *found) {
  Elf64_Ehdr header;
  Elf64_Phdr segments[MAX_SEGMENTS];
  const Elf64_Phdr *dynamic = NULL;
  if (!read_at(file, &header, sizeof header, 0) || !is_library(&header)) return false;
  if (!read_at(file, segments, header.e_phnum * sizeof segments[0], header.e_phoff)) return false;
  for (size_t i = 0; i < header.e_phnum; i++) {
    if (segments[i].p_type == PT_DYNAMIC) dynamic = &segments[i];
  }
  if (dynamic == NULL || dynamic->p_offset > INT64_MAX / 2) return false;
  uint64_t names = 0, name = 0, at;
  bool named = false;
  for (size_t i = 0; i < MAX_DYNAMIC && i < dynamic->p_filesz / sizeof(Elf64_Dyn); i++) {
    Elf64_Dyn entry;
    if (!read_at(file, &entry, sizeof entry, dynamic->p_offset + i * sizeof entry)) return false;
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) names = entry.d_un.d_ptr;
    if (entry.d_tag == DT_SONAME) name = entry.d_un.d_val, named = true;
  }
  found->flags = header.e_machine == EM_AARCH64 ? AARCH64 : X8664;
  found->name[0] = 0;
  if (!named) return true;
  if (__builtin_add_overflow(names, name, &at) || !place(segments, header.e_phnum, at, &at)) return false;
  return read_name(file, at, found->name);
}
