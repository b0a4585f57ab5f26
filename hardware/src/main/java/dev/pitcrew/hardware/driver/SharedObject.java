package dev.pitcrew.hardware.driver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The one thing that we read of a 64-bit ELF library: the name under which the dynamic linker
/// looks for it (DT_SONAME). The program headers are read, as the linker reads them.
final class SharedObject {
  private static final int MAGIC = 0x7f454c46;
  private static final int CLASS_64 = 2;
  private static final int DATA_BIG = 2;

  private static final int FILE_HEADER_BYTES = 64;
  private static final int SEGMENT_HEADER_BYTES = 56;
  private static final int MAX_SEGMENTS = 256;
  private static final int SEGMENT_LOAD = 1;
  private static final int SEGMENT_DYNAMIC = 2;

  private static final int TAG_NULL = 0;
  private static final int TAG_STRING_TABLE = 5;
  private static final int TAG_SONAME = 14;
  private static final int DYNAMIC_ENTRY_BYTES = 16;
  private static final int MAX_DYNAMIC_BYTES = 64 * 1024;
  private static final int MAX_NAME_BYTES = 255;

  private record Segment(int type, long offset, long address, long fileBytes) {
    boolean holds(long wanted) {
      return type == SEGMENT_LOAD && wanted >= address && wanted - address < fileBytes;
    }
  }

  private record Dynamic(OptionalLong soname, OptionalLong stringTable) {}

  private SharedObject() {}

  /// Empty for what is no ELF library; an empty text for one that has no such name.
  static Optional<String> soname(Path library) {
    try (FileChannel file = FileChannel.open(library, StandardOpenOption.READ)) {
      return soname(file);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static Optional<String> soname(FileChannel file) throws IOException {
    ByteBuffer header = read(file, 0, FILE_HEADER_BYTES);
    if (header.remaining() < FILE_HEADER_BYTES
        || header.getInt(0) != MAGIC
        || header.get(4) != CLASS_64) {
      return Optional.empty();
    }
    ByteOrder order = header.get(5) == DATA_BIG ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    List<Segment> segments = segments(file, header.order(order));
    Optional<Segment> dynamic =
        segments.stream().filter(segment -> segment.type() == SEGMENT_DYNAMIC).findFirst();
    if (dynamic.isEmpty()) {
      return Optional.empty();
    }
    int bytes = (int) Math.clamp(dynamic.get().fileBytes(), 0L, MAX_DYNAMIC_BYTES);
    Dynamic entries = entries(read(file, dynamic.get().offset(), bytes).order(order));
    if (entries.soname().isEmpty()) {
      return Optional.of("");
    }
    return name(file, segments, entries);
  }

  private static List<Segment> segments(FileChannel file, ByteBuffer header) throws IOException {
    long offset = header.getLong(32);
    int size = Short.toUnsignedInt(header.getShort(54));
    int count = Math.min(MAX_SEGMENTS, Short.toUnsignedInt(header.getShort(56)));
    List<Segment> segments = new ArrayList<>();
    for (int i = 0; size >= SEGMENT_HEADER_BYTES && i < count; i++) {
      ByteBuffer one = read(file, offset + (long) i * size, SEGMENT_HEADER_BYTES);
      if (one.remaining() == SEGMENT_HEADER_BYTES) {
        one.order(header.order());
        segments.add(new Segment(one.getInt(0), one.getLong(8), one.getLong(16), one.getLong(32)));
      }
    }
    return segments;
  }

  private static Dynamic entries(ByteBuffer table) {
    OptionalLong soname = OptionalLong.empty();
    OptionalLong strings = OptionalLong.empty();
    while (table.remaining() >= DYNAMIC_ENTRY_BYTES) {
      long tag = table.getLong();
      long value = table.getLong();
      if (tag == TAG_NULL) {
        break;
      } else if (tag == TAG_SONAME) {
        soname = OptionalLong.of(value);
      } else if (tag == TAG_STRING_TABLE) {
        strings = OptionalLong.of(value);
      }
    }
    return new Dynamic(soname, strings);
  }

  private static Optional<String> name(FileChannel file, List<Segment> segments, Dynamic entries)
      throws IOException {
    long address = entries.stringTable().orElse(-1) + entries.soname().orElse(0);
    Optional<Segment> holder =
        segments.stream().filter(segment -> segment.holds(address)).findFirst();
    if (holder.isEmpty()) {
      return Optional.empty();
    }
    long offset = holder.get().offset() + (address - holder.get().address());
    ByteBuffer text = read(file, offset, MAX_NAME_BYTES + 1);
    int length = 0;
    while (length < text.remaining() && text.get(length) != 0) {
      length++;
    }
    String name = StandardCharsets.UTF_8.decode(text.slice(0, length)).toString();
    boolean isPlain = name.chars().noneMatch(c -> c == '/' || Character.isISOControl(c));
    return isPlain && length < text.remaining() ? Optional.of(name) : Optional.empty();
  }

  /// As much as there is from `offset` on.
  private static ByteBuffer read(FileChannel file, long offset, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    if (offset < 0) {
      return buffer.flip();
    }
    while (buffer.hasRemaining() && file.read(buffer, offset + buffer.position()) > 0) {
      // read on
    }
    return buffer.flip();
  }
}
