package dev.pitcrew.agent.health;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// What the next agent must know of the kernel's log.
///
/// @param readUpTo the sequence number of the last record that needs no reading any more; empty
///   where everything that is there already does not count
/// @param switches what NVSwitches reported since the driver was loaded, each error of each switch
///   once, and no more than [#MOST]
public record LogNotes(OptionalLong readUpTo, List<SwitchError> switches) {
  public static final LogNotes NONE = new LogNotes(OptionalLong.empty(), List.of());

  /// A switch that fails in ever new ways fails all the same.
  public static final int MOST = 16;

  private static final Comparator<SwitchError> FATAL_FIRST =
      Comparator.comparing((SwitchError it) -> !it.isFatal()).thenComparing(SwitchError::since);

  public LogNotes {
    switches = List.copyOf(switches);
  }

  /// With an error of a switch; the same again is not reported, unless it has become fatal.
  public LogNotes with(SwitchError error) {
    if (switches.stream()
        .anyMatch(it -> it.isSameAs(error) && (it.isFatal() || !error.isFatal()))) {
      return this;
    }
    List<SwitchError> next =
        Stream.concat(switches.stream().filter(it -> !it.isSameAs(error)), Stream.of(error))
            .sorted(FATAL_FIRST)
            .limit(MOST)
            .toList();
    return new LogNotes(readUpTo, next);
  }

  /// After the driver was loaded.
  public LogNotes afterLoading() {
    return new LogNotes(readUpTo, List.of());
  }

  /// For a reader that passes over what is written before it begins.
  public LogNotes fromNowOn() {
    return new LogNotes(OptionalLong.empty(), switches);
  }
}
