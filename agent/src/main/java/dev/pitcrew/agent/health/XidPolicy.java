package dev.pitcrew.agent.health;

import dev.pitcrew.core.xids.XidCatalogue;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which Xids make a device unhealthy (device plugin, health checks). Enabling an Xid by name
/// overrides that it is ignored by default or disabled.
///
/// @param disabled by `DP_DISABLE_HEALTHCHECKS`
/// @param enabled by `DP_ENABLE_HEALTHCHECKS`
public record XidPolicy(Choice disabled, Choice enabled) {
  public static final XidPolicy DEFAULT = of("", "");

  /// A list as the two variables write it.
  ///
  /// @param malformed items that are neither a number nor a word for all
  public record Choice(boolean isAll, Set<Long> xids, List<String> malformed) {
    private static final Set<String> ALL = Set.of("all", "xids");

    public Choice {
      xids = Set.copyOf(xids);
      malformed = List.copyOf(malformed);
    }

    static Choice parse(String list) {
      List<String> items =
          Arrays.stream(list.toLowerCase(Locale.ROOT).split(","))
              .map(String::strip)
              .filter(item -> !item.isEmpty())
              .toList();
      return new Choice(
          items.stream().anyMatch(ALL::contains),
          items.stream().flatMap(item -> number(item).stream()).collect(Collectors.toSet()),
          items.stream().filter(it -> !ALL.contains(it) && number(it).isEmpty()).toList());
    }

    boolean names(long xid) {
      return isAll || xids.contains(xid);
    }

    boolean isEmpty() {
      return !isAll && xids.isEmpty();
    }

    private static Optional<Long> number(String item) {
      try {
        return Optional.of(Long.parseUnsignedLong(item));
      } catch (NumberFormatException _) {
        return Optional.empty();
      }
    }
  }

  /// @param disabled the value of `DP_DISABLE_HEALTHCHECKS`; empty if it is not set
  /// @param enabled the value of `DP_ENABLE_HEALTHCHECKS`; empty if it is not set
  public static XidPolicy of(String disabled, String enabled) {
    return new XidPolicy(Choice.parse(disabled), Choice.parse(enabled));
  }

  /// With more Xids that say nothing about the health of a GPU, as FleetPolicy lists them.
  public XidPolicy ignoring(List<Integer> more) {
    Set<Long> xids =
        Stream.concat(disabled.xids().stream(), more.stream().map(Integer::longValue))
            .collect(Collectors.toUnmodifiableSet());
    return new XidPolicy(new Choice(disabled.isAll(), xids, disabled.malformed()), enabled);
  }

  public boolean isCritical(long xid) {
    return enabled.names(xid)
        || (!disabled.names(xid) && !XidCatalogue.IGNORED_BY_DEFAULT.contains(xid));
  }

  /// Whether any Xid could be critical. One that is enabled by name is enough, also where all
  /// others are disabled.
  public boolean isWatching() {
    return !disabled.isAll() || !enabled.isEmpty();
  }

  /// What of the two lists could not be read.
  public List<String> malformed() {
    return Stream.concat(disabled.malformed().stream(), enabled.malformed().stream()).toList();
  }
}
