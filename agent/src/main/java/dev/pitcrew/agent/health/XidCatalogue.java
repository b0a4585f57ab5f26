package dev.pitcrew.agent.health;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.HealthLevel;
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
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What Xids mean and to which level they lead, as data: `xids.tsv`, after NVIDIA's public
/// catalogue of Xids. An Xid that the data does not know degrades.
public final class XidCatalogue {
  private static final String RESOURCE = "xids.tsv";
  private static final int COLUMNS = 5;
  private static final SortedMap<Long, Entry> BY_NUMBER = read();

  private XidCatalogue() {}

  /// @param mnemonic which names its row in the catalogue
  /// @param action what the catalogue says to do at once, such as `RESET_GPU`; `-` for nothing
  /// @param meaning in our words
  public record Entry(
      long number, String mnemonic, String action, HealthLevel level, String meaning) {}

  public static Collection<Entry> entries() {
    return BY_NUMBER.values();
  }

  public static HealthLevel level(long xid) {
    return find(xid).map(Entry::level).orElse(HealthLevel.DEGRADED);
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
        Long.parseLong(words.get(0)),
        words.get(1),
        words.get(2),
        ApiJson.read("\"" + words.get(3) + "\"", HealthLevel.class),
        words.get(4));
  }
}
