/* The part of libseccomp's interface that runc is compiled against, so that a machine needs the library
 * (libseccomp.so.2, which Debian's and Fedora's package managers depend on), and no package with headers.
 * Names, values and signatures are those of libseccomp 2.5 (seccomp(3) and its siblings); architectures are those of
 * linux/audit.h, structures those of linux/seccomp.h. */
#ifndef SECCOMP_H
#define SECCOMP_H

#include <elf.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCMP_VER_MAJOR 2
#define SCMP_VER_MINOR 5
#define SCMP_VER_MICRO 0

#define SCMP_ARCH_NATIVE 0
#define SCMP_ARCH_X86 AUDIT_ARCH_I386
#define SCMP_ARCH_X86_64 AUDIT_ARCH_X86_64
#define SCMP_ARCH_X32 (EM_X86_64 | __AUDIT_ARCH_LE)
#define SCMP_ARCH_ARM AUDIT_ARCH_ARM
#define SCMP_ARCH_AARCH64 AUDIT_ARCH_AARCH64
#define SCMP_ARCH_MIPS AUDIT_ARCH_MIPS
#define SCMP_ARCH_MIPS64 AUDIT_ARCH_MIPS64
#define SCMP_ARCH_MIPS64N32 AUDIT_ARCH_MIPS64N32
#define SCMP_ARCH_MIPSEL AUDIT_ARCH_MIPSEL
#define SCMP_ARCH_MIPSEL64 AUDIT_ARCH_MIPSEL64
#define SCMP_ARCH_MIPSEL64N32 AUDIT_ARCH_MIPSEL64N32
#define SCMP_ARCH_PPC64LE AUDIT_ARCH_PPC64LE
#define SCMP_ARCH_S390X AUDIT_ARCH_S390X
#define SCMP_ARCH_RISCV64 AUDIT_ARCH_RISCV64

#define SCMP_ACT_KILL_PROCESS 0x80000000U
#define SCMP_ACT_KILL_THREAD 0x00000000U
#define SCMP_ACT_KILL SCMP_ACT_KILL_THREAD
#define SCMP_ACT_TRAP 0x00030000U
#define SCMP_ACT_NOTIFY 0x7fc00000U
#define SCMP_ACT_ERRNO(code) (0x00050000U | ((code) & 0x0000ffffU))
#define SCMP_ACT_TRACE(code) (0x7ff00000U | ((code) & 0x0000ffffU))
#define SCMP_ACT_LOG 0x7ffc0000U
#define SCMP_ACT_ALLOW 0x7fff0000U

typedef void *scmp_filter_ctx;

enum scmp_filter_attr {
  SCMP_FLTATR_ACT_DEFAULT = 1,
  SCMP_FLTATR_ACT_BADARCH = 2,
  SCMP_FLTATR_CTL_NNP = 3,
  SCMP_FLTATR_CTL_TSYNC = 4,
  SCMP_FLTATR_API_TSKIP = 5,
  SCMP_FLTATR_CTL_LOG = 6,
  SCMP_FLTATR_CTL_SSB = 7,
  SCMP_FLTATR_CTL_OPTIMIZE = 8,
  SCMP_FLTATR_API_SYSRAWRC = 9,
};

enum scmp_compare {
  SCMP_CMP_NE = 1,
  SCMP_CMP_LT = 2,
  SCMP_CMP_LE = 3,
  SCMP_CMP_EQ = 4,
  SCMP_CMP_GE = 5,
  SCMP_CMP_GT = 6,
  SCMP_CMP_MASKED_EQ = 7,
};

struct scmp_arg_cmp {
  unsigned int arg;
  enum scmp_compare op;
  uint64_t datum_a;
  uint64_t datum_b;
};

struct scmp_version {
  unsigned int major;
  unsigned int minor;
  unsigned int micro;
};

const struct scmp_version *seccomp_version(void);
scmp_filter_ctx seccomp_init(uint32_t action);
int seccomp_reset(scmp_filter_ctx filter, uint32_t action);
void seccomp_release(scmp_filter_ctx filter);
int seccomp_merge(scmp_filter_ctx into, scmp_filter_ctx from);
uint32_t seccomp_arch_native(void);
int seccomp_arch_exist(const scmp_filter_ctx filter, uint32_t architecture);
int seccomp_arch_add(scmp_filter_ctx filter, uint32_t architecture);
int seccomp_arch_remove(scmp_filter_ctx filter, uint32_t architecture);
int seccomp_load(const scmp_filter_ctx filter);
int seccomp_attr_get(const scmp_filter_ctx filter, enum scmp_filter_attr attribute, uint32_t *value);
int seccomp_attr_set(scmp_filter_ctx filter, enum scmp_filter_attr attribute, uint32_t value);
char *seccomp_syscall_resolve_num_arch(uint32_t architecture, int number);
int seccomp_syscall_resolve_name_arch(uint32_t architecture, const char *name);
int seccomp_syscall_resolve_name(const char *name);
int seccomp_syscall_priority(scmp_filter_ctx filter, int number, uint8_t priority);
int seccomp_rule_add_array(scmp_filter_ctx filter, uint32_t action, int number, unsigned int count,
                           const struct scmp_arg_cmp *arguments);
int seccomp_rule_add_exact_array(scmp_filter_ctx filter, uint32_t action, int number, unsigned int count,
                                 const struct scmp_arg_cmp *arguments);
int seccomp_export_pfc(const scmp_filter_ctx filter, int file);
int seccomp_export_bpf(const scmp_filter_ctx filter, int file);

#endif
