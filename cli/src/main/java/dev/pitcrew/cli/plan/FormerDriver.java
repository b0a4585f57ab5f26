package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.DriverRevision;
import dev.pitcrew.cli.cluster.DriverSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The version of the driver before the one that is asked for, from the templates that its
/// DaemonSets had.
public final class FormerDriver {
  /// What becomes a part of a patch and of a command.
  private static final Pattern VERSION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,126}");

  private FormerDriver() {}

  /// Of each DaemonSet; one where all agree, none where none is known.
  public static List<String> versions(DriverSource source, Collection<DriverRevision> revisions) {
    Map<String, List<DriverRevision>> bySet =
        revisions.stream().collect(Collectors.groupingBy(DriverRevision::daemonSet));
    return bySet.values().stream()
        .flatMap(it -> version(source, it).stream())
        .distinct()
        .sorted()
        .toList();
  }

  /// Tags are the version and what the node's system adds to it, such as `-ubuntu24.04`.
  private static Optional<String> version(DriverSource source, List<DriverRevision> revisions) {
    String begin = source.image() + ":";
    List<String> tags =
        revisions.stream()
            .sorted(Comparator.comparingLong((DriverRevision it) -> -it.number()))
            .map(DriverRevision::image)
            .filter(it -> !source.image().isEmpty() && it.startsWith(begin))
            .map(it -> it.substring(begin.length()))
            .toList();
    return tags.stream()
        .filter(it -> isOf(it, source.version()))
        .findFirst()
        .map(it -> it.substring(source.version().length()))
        .flatMap(system ->
            tags.stream()
                .filter(it -> !isOf(it, source.version()) && it.endsWith(system))
                .map(it -> it.substring(0, it.length() - system.length()))
                .filter(it -> VERSION.matcher(it).matches())
                .findFirst());
  }

  private static boolean isOf(String tag, String version) {
    return tag.equals(version) || tag.startsWith(version + "-");
  }
}
