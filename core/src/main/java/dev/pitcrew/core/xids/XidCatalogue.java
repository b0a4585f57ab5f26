package dev.pitcrew.core.xids;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What Xids mean and to which level they lead, as data: `xids.tsv`, after NVIDIA's public
/// catalogue of Xids. An Xid that the data does not know degrades.
public final class XidCatalogue {
  private static final String RESOURCE = "xids.tsv";
  private static final int COLUMNS = 5;

  /// Of an Xid that the data does not know.
  private static final String DEFAULT_LEVEL = "Degraded";

  /// Xids that an application causes and that the GPU survives: NVIDIA's device plugin ignores them
  /// by default.
  public static final Set<Long> IGNORED_BY_DEFAULT = Set.of(13L, 31L, 43L, 45L, 68L, 109L);

  private static final SortedMap<Long, Entry> BY_NUMBER = read();

  private XidCatalogue() {}

  /// @param mnemonic which names its row in the catalogue
  /// @param action what the catalogue says to do at once, such as `RESET_GPU`; `-` for nothing
  /// @param level as GPUNodes have it, such as `NeedsReset`
  /// @param meaning in our words
  public record Entry(long number, String mnemonic, String action, String level, String meaning) {}

  public static Collection<Entry> entries() {
    return BY_NUMBER.values();
  }

  public static String level(long xid) {
    return find(xid).map(Entry::level).orElse(DEFAULT_LEVEL);
  }

  /// Such as `Xid 79 (the GPU has fallen off the bus)`.
  public static String text(long xid) {
    return find(xid)
        .map(entry -> "Xid %d (%s)".formatted(xid, entry.meaning()))
        .orElse("Xid " + xid);
  }

  public static Optional<Entry> find(long xid) {
    return Optional.ofNullable(BY_NUMBER.get(xid));
  }

  private static SortedMap<Long, Entry> read() {
    var stream = Objects.requireNonNull(XidCatalogue.class.getResourceAsStream(RESOURCE), RESOURCE);
    try (var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      Map<Long, Entry> entries =
          lines
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(XidCatalogue::entry)
              .collect(Collectors.toMap(Entry::number, entry -> entry));
      return new TreeMap<>(entries);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Entry entry(String line) {
    List<String> words = List.of(line.split("\t", COLUMNS));
    return new Entry(
        Long.parseLong(words.get(0)), words.get(1), words.get(2), words.get(3), words.get(4));
  }
}
