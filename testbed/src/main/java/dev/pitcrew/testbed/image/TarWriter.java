package dev.pitcrew.testbed.image;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// Writes a tar archive in GNU's format, in which a name may have any length. Everything belongs to
/// root and is as old as the Unix epoch, so that the same contents give the same bytes.
final class TarWriter implements AutoCloseable {
  private static final int BLOCK_BYTES = 512;
  private static final int NAME_BYTES = 100;
  private static final int LONG_LINK_MODE = 0644;
  private static final int LINK_MODE = 0777;
  private final OutputStream out;

  TarWriter(OutputStream out) {
    this.out = out;
  }

  void folder(String name, int mode) throws IOException {
    header(new Entry(name + "/", '5', mode, 0, ""));
  }

  void link(String name, String target) throws IOException {
    header(new Entry(name, '2', LINK_MODE, 0, target));
  }

  void file(String name, int mode, Path source) throws IOException {
    var size = Files.size(source);
    header(new Entry(name, '0', mode, size, ""));
    var written = Files.copy(source, out);
    if (written != size) {
      throw new IOException(source + " changed its size while it was read");
    }
    pad(size);
  }

  void file(String name, int mode, byte[] content) throws IOException {
    header(new Entry(name, '0', mode, content.length, ""));
    out.write(content);
    pad(content.length);
  }

  /// Two empty blocks are the end of an archive.
  @Override
  public void close() throws IOException {
    out.write(new byte[2 * BLOCK_BYTES]);
    out.close();
  }

  private record Entry(String name, char type, int mode, long size, String link) {}

  private void header(Entry entry) throws IOException {
    longName('L', entry.name());
    longName('K', entry.link());
    block(entry);
  }

  /// A name that does not fit into a header goes before it, as the content of an entry of its own.
  private void longName(char type, String name) throws IOException {
    var bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= NAME_BYTES) {
      return;
    }
    block(new Entry("././@LongLink", type, LONG_LINK_MODE, bytes.length + 1, ""));
    out.write(bytes);
    out.write(0);
    pad(bytes.length + 1);
  }

  private void block(Entry entry) throws IOException {
    var block = new byte[BLOCK_BYTES];
    put(block, 0, entry.name());
    put(block, 100, octal(entry.mode(), 7));
    put(block, 108, octal(0, 7));
    put(block, 116, octal(0, 7));
    put(block, 124, octal(entry.size(), 11));
    put(block, 136, octal(0, 11));
    put(block, 156, String.valueOf(entry.type()));
    put(block, 157, entry.link());
    put(block, 257, "ustar  ");
    put(block, 148, octal(checksum(block), 6));
    block[155] = ' ';
    out.write(block);
  }

  /// The checksum field itself counts as spaces.
  private static int checksum(byte[] block) {
    Arrays.fill(block, 148, 156, (byte) ' ');
    var sum = 0;
    for (var value : block) {
      sum += Byte.toUnsignedInt(value);
    }
    block[154] = 0;
    return sum;
  }

  private static void put(byte[] block, int offset, String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, block, offset, Math.min(bytes.length, NAME_BYTES));
  }

  private static String octal(long value, int digits) {
    var text = Long.toOctalString(value);
    return "0".repeat(digits - text.length()) + text;
  }

  private void pad(long size) throws IOException {
    var rest = (int) (size % BLOCK_BYTES);
    if (rest > 0) {
      out.write(new byte[BLOCK_BYTES - rest]);
    }
  }
}
