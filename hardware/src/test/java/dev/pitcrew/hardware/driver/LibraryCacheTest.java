package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LibraryCacheTest {
  private static final int LIB64 = 0x0303;
  private static final int LIB32 = 0x0003;

  private static final byte[] CACHE =
      cache(
          LIB64, "libcuda.so.1", "/opt/nvidia/libcuda.so.1", LIB64, "libc.so.6", "/lib/libc.so.6");

  @Test
  void pathsComeInTheOrderOfTheCache() {
    assertThat(LibraryCache.parse(CACHE))
        .containsExactly("/opt/nvidia/libcuda.so.1", "/lib/libc.so.6");
  }

  @Test
  void librariesOf32BitsAreNotOurs() {
    byte[] cache =
        cache(LIB32, "libcuda.so.1", "/lib32/libcuda.so.1", LIB64, "libm.so", "/lib/libm.so");
    assertThat(LibraryCache.parse(cache)).containsExactly("/lib/libm.so");
  }

  @Test
  void newFormatIsFoundBehindTheOldOne() {
    ByteBuffer both =
        ByteBuffer.allocate(16 + 12 + 4 + CACHE.length).order(ByteOrder.LITTLE_ENDIAN);
    both.put("ld.so-1.7.0".getBytes(StandardCharsets.US_ASCII)).putInt(12, 1);
    both.put(32, CACHE);
    assertThat(LibraryCache.parse(both.array())).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10, 19, 20, 47, 48, 60, 95})
  void cutCacheIsAnAbsentOne(int bytes) {
    assertThat(LibraryCache.parse(Arrays.copyOf(CACHE, bytes))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 100, 1000, Integer.MAX_VALUE})
  void wrongCountIsAnAbsentCache(int count) {
    byte[] cache = CACHE.clone();
    ByteBuffer.wrap(cache).order(ByteOrder.LITTLE_ENDIAN).putInt(20, count);
    assertThat(LibraryCache.parse(cache)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 47, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void wrongOffsetIsAnAbsentCache(int offset) {
    byte[] cache = CACHE.clone();
    ByteBuffer.wrap(cache).order(ByteOrder.LITTLE_ENDIAN).putInt(48 + 8, offset);
    assertThat(LibraryCache.parse(cache)).isEmpty();
  }

  @Test
  void noDamageThrows() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] cache = CACHE.clone();
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        cache[random.nextInt(cache.length)] = (byte) random.nextInt();
      }
      assertThatCode(() -> LibraryCache.parse(cache)).doesNotThrowAnyException();
    }
  }

  /// @param entries flags, name and path of each library
  static byte[] cache(Object... entries) {
    int count = entries.length / 3;
    StringBuilder texts = new StringBuilder();
    int textsAt = 48 + count * 24;
    ByteBuffer cache = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
    cache.put("glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII)).putInt(count);
    for (int i = 0; i < count; i++) {
      int entry = 48 + i * 24;
      cache.putInt(entry, (int) entries[3 * i]);
      cache.putInt(entry + 4, textsAt + texts.length());
      texts.append(entries[3 * i + 1]).append('\0');
      cache.putInt(entry + 8, textsAt + texts.length());
      texts.append(entries[3 * i + 2]).append('\0');
    }
    byte[] bytes = texts.toString().getBytes(StandardCharsets.US_ASCII);
    cache.put(textsAt, bytes);
    return Arrays.copyOf(cache.array(), textsAt + bytes.length);
  }

  @Test
  void emptyCacheHasNoPaths() {
    assertThat(LibraryCache.parse(cache())).isEqualTo(List.of());
  }
}
