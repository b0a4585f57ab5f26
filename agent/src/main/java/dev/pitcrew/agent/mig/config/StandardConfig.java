package dev.pitcrew.agent.mig.config;

import dev.pitcrew.api.node.StandardLayouts;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.MigGpu;
import java.util.Collection;
import java.util.List;

/// The static table of layouts ([StandardLayouts]), for boards whose driver lists no profile while
/// MIG mode is off.
public final class StandardConfig {
  private StandardConfig() {}

  public static MigConfig config() {
    return switch (MigConfigParser.parse(StandardLayouts.yaml())) {
      case ParsedMigConfig.Accepted(var config) -> config;
      case ParsedMigConfig.Rejected(var problem) ->
          throw new IllegalStateException(problem.text("standard layouts"));
    };
  }

  /// The shapes that a board of the table cannot have. Of a board that the table does not name
  /// nothing is known, and none is returned.
  public static List<MigProfile> unknown(MigGpu gpu, Collection<MigProfile> shapes) {
    List<MigEntry> entries = config().layouts().values().stream().flatMap(List::stream).toList();
    boolean isBoardKnown =
        entries.stream().anyMatch(entry -> !entry.filters().isEmpty() && entry.matches(gpu));
    return isBoardKnown
        ? shapes.stream()
            .filter(shape ->
                entries.stream()
                    .filter(entry -> entry.matches(gpu))
                    .noneMatch(entry -> entry.counts().containsKey(whole(shape))))
            .toList()
        : List.of();
  }

  private static MigProfile whole(MigProfile shape) {
    return new MigProfile(
        shape.gpuSlices(), shape.gpuSlices(), shape.memoryGigabytes(), shape.attribute());
  }
}
