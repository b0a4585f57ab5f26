package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedObjectTest {
  @TempDir Path folder = Path.of("");

  @Test
  void nameOfTheLinkerIsRead() throws IOException {
    Path library = Files.write(folder.resolve("x.so.1.2"), sharedObject("libx.so.1"));
    assertThat(SharedObject.soname(library)).contains("libx.so.1");
  }

  @Test
  void nameThatIsAPathIsNone() throws IOException {
    Path library = Files.write(folder.resolve("x.so"), sharedObject("../../libx.so.1"));
    assertThat(SharedObject.soname(library)).isEmpty();
  }

  @Test
  void fileThatIsNoLibrary_hasNoVersion() throws IOException {
    assertThat(SharedObject.soname(Files.writeString(folder.resolve("a"), "no ELF"))).isEmpty();
    assertThat(SharedObject.soname(folder.resolve("nothing"))).isEmpty();
    assertThat(SharedObject.soname(folder)).isEmpty();
  }

  @Test
  void noDamageThrows() throws IOException {
    Random random = new Random(1);
    Path library = folder.resolve("damaged.so");
    for (int i = 0; i < 500; i++) {
      byte[] content = sharedObject("libx.so.1");
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        content[random.nextInt(content.length)] = (byte) random.nextInt();
      }
      Files.write(library, Arrays.copyOf(content, random.nextInt(content.length + 1)));
      assertThatCode(() -> SharedObject.soname(library)).doesNotThrowAnyException();
    }
  }

  /// The least that is an ELF library: a header, two segments, the dynamic section and its text.
  static byte[] sharedObject(String soname) {
    byte[] name = soname.getBytes(StandardCharsets.US_ASCII);
    int dynamicAt = 64 + 2 * 56;
    int textAt = dynamicAt + 3 * 16;
    int size = textAt + 1 + name.length + 1;
    ByteBuffer elf = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    elf.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1});
    elf.putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 2);
    segment(elf, 64, 1, 0, size);
    segment(elf, 64 + 56, 2, dynamicAt, 3 * 16);
    elf.putLong(dynamicAt, 5).putLong(dynamicAt + 8, textAt);
    elf.putLong(dynamicAt + 16, 14).putLong(dynamicAt + 24, 1);
    elf.put(textAt + 1, name);
    return elf.array();
  }

  private static void segment(ByteBuffer elf, int at, int type, int offset, int bytes) {
    elf.putInt(at, type).putLong(at + 8, offset).putLong(at + 16, offset).putLong(at + 32, bytes);
  }
}
