package dev.pitcrew.hardware.driver;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The 64-bit libraries of an `/etc/ld.so.cache` in glibc's format 1.1 (struct cache_file_new of
/// sysdeps/generic/dl-cache.h), alone or behind the older format that libc5 read.
///
/// It is a hint and nothing more: a cache that is damaged anywhere counts as one that is not there.
final class LibraryCache {
  private static final byte[] OLD_MAGIC = "ld.so-1.7.0".getBytes(StandardCharsets.US_ASCII);
  private static final int OLD_HEADER_BYTES = 16;
  private static final int OLD_ENTRY_BYTES = 12;
  private static final int OLD_COUNT_AT = 12;

  private static final byte[] MAGIC = "glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII);
  private static final int COUNT_AT = 20;
  private static final int FLAGS_AT = 28;
  private static final int HEADER_BYTES = 48;
  private static final int ENTRY_BYTES = 24;
  private static final int VALUE_IN_ENTRY = 8;

  private static final int BYTE_ORDER_MASK = 3;
  private static final int BIG_ENDIAN_FLAG = 3;
  private static final int ARCHITECTURE_MASK = 0xff00;

  /// FLAG_X8664_LIB64, FLAG_POWERPC_LIB64 and FLAG_AARCH64_LIB64.
  private static final Set<Integer> ARCHITECTURES_64 = Set.of(0x0300, 0x0500, 0x0a00);

  private static final int MAX_FILE_BYTES = 32 << 20;
  private static final int MAX_PATH_BYTES = 4096;

  private LibraryCache() {}

  /// The paths of the libraries of a root, in the order of its cache.
  static List<String> read(RootFolder root) {
    return root.resolve("/etc/ld.so.cache")
        .flatMap(path -> RootFolder.readAtMost(root.at(path), MAX_FILE_BYTES))
        .map(LibraryCache::parse)
        .orElse(List.of());
  }

  static List<String> parse(byte[] file) {
    int start = startOfNewFormat(file);
    if (start < 0 || file.length - start < HEADER_BYTES || !startsWith(file, start, MAGIC)) {
      return List.of();
    }
    ByteBuffer cache = ByteBuffer.wrap(file, start, file.length - start).slice();
    boolean big = (cache.get(FLAGS_AT) & BYTE_ORDER_MASK) == BIG_ENDIAN_FLAG;
    cache.order(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    int count = cache.getInt(COUNT_AT);
    if (count < 0 || count > (cache.limit() - HEADER_BYTES) / ENTRY_BYTES) {
      return List.of();
    }
    return paths(cache, count);
  }

  private static List<String> paths(ByteBuffer cache, int count) {
    List<String> paths = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int entry = HEADER_BYTES + i * ENTRY_BYTES;
      if (!ARCHITECTURES_64.contains(cache.getInt(entry) & ARCHITECTURE_MASK)) {
        continue;
      }
      Optional<String> path = text(cache, cache.getInt(entry + VALUE_IN_ENTRY));
      if (path.isEmpty()) {
        return List.of();
      }
      paths.add(path.get());
    }
    return List.copyOf(paths);
  }

  private static Optional<String> text(ByteBuffer cache, int offset) {
    if (offset < HEADER_BYTES || offset >= cache.limit()) {
      return Optional.empty();
    }
    int limit = Math.min(cache.limit(), offset + MAX_PATH_BYTES);
    for (int end = offset; end < limit; end++) {
      if (cache.get(end) == 0) {
        byte[] bytes = new byte[end - offset];
        cache.get(offset, bytes);
        String path = new String(bytes, StandardCharsets.UTF_8);
        return path.startsWith("/") ? Optional.of(path) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  /// 0 for a file of the new format alone, -1 for one that can be neither.
  private static int startOfNewFormat(byte[] file) {
    if (!startsWith(file, 0, OLD_MAGIC)) {
      return 0;
    }
    if (file.length < OLD_HEADER_BYTES) {
      return -1;
    }
    // The byte order is not known yet; a count that is absurd in one order is right in the other.
    ByteBuffer old = ByteBuffer.wrap(file);
    int little = afterOld(old.order(ByteOrder.LITTLE_ENDIAN).getInt(OLD_COUNT_AT), file.length);
    int big = afterOld(old.order(ByteOrder.BIG_ENDIAN).getInt(OLD_COUNT_AT), file.length);
    return little >= 0 ? little : big;
  }

  private static int afterOld(int count, int length) {
    if (count < 0 || count > (length - OLD_HEADER_BYTES) / OLD_ENTRY_BYTES) {
      return -1;
    }
    int end = OLD_HEADER_BYTES + count * OLD_ENTRY_BYTES;
    return Math.ceilDiv(end, Long.BYTES) * Long.BYTES;
  }

  private static boolean startsWith(byte[] file, int at, byte[] magic) {
    return at <= file.length - magic.length
        && Arrays.equals(file, at, at + magic.length, magic, 0, magic.length);
  }
}
