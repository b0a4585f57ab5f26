package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.mig.config.GeneratedConfig;
import dev.pitcrew.agent.mig.config.GeneratedConfig.Generated;
import dev.pitcrew.agent.mig.config.MigConfig;
import dev.pitcrew.agent.mig.config.MigConfig.Selection;
import dev.pitcrew.agent.mig.config.MigConfigParser;
import dev.pitcrew.agent.mig.config.MigEntry;
import dev.pitcrew.agent.mig.config.ParsedMigConfig;
import dev.pitcrew.agent.mig.plan.DesiredLayout;
import dev.pitcrew.agent.mig.plan.InvalidLayout;
import dev.pitcrew.agent.mig.plan.WantedLayout;
import dev.pitcrew.agent.settings.MigSettings;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.device.mig.MigGpu;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Which layout a node is to have: the one that its label names, else the policy's default, out of
/// the policy's ConfigMap, else out of those that its boards can have.
public sealed interface MigLayoutChoice {
  /// The ConfigMap key from which NVIDIA's MIG manager reads the layouts.
  String KEY = "config.yaml";

  String ALL_DISABLED = "all-disabled";

  /// The node is to stay as it is.
  record Nothing() implements MigLayoutChoice {}

  /// The ConfigMap was not looked for yet.
  record Unknown() implements MigLayoutChoice {}

  record Wrong(String layout, String reason) implements MigLayoutChoice {}

  /// @param entries empty where they follow from the boards
  record Named(String layout, Optional<List<MigEntry>> entries) implements MigLayoutChoice {}

  /// @param label the value of `nvidia.com/mig.config`; empty where the Node has none
  /// @param configMaps those that were looked for, by name
  static MigLayoutChoice of(
      String label, Map<String, WatchedObject> configMaps, MigSettings settings, String namespace) {
    String layout = label.isEmpty() ? settings.byDefault() : label;
    if (layout.isEmpty()) {
      return new Nothing();
    }
    return settings
        .configMap()
        .map(name -> in(layout, name, configMaps, namespace))
        .orElseGet(() -> new Named(layout, Optional.empty()));
  }

  private static MigLayoutChoice in(
      String layout, String name, Map<String, WatchedObject> configMaps, String namespace) {
    return Optional.ofNullable(configMaps.get(name))
        .map(seen ->
            switch (seen) {
              case WatchedObject.Absent() ->
                  new Wrong(
                      layout,
                      "ClusterPolicy spec.migManager.config.name is '%s': there is no such ConfigMap in namespace %s; create it"
                          .formatted(name, namespace));
              case WatchedObject.Present(var object) ->
                  in(
                      "ConfigMap %s/%s key %s".formatted(namespace, name, KEY),
                      object.path("data").path(KEY).asText(""),
                      layout);
            })
        .orElseGet(Unknown::new);
  }

  private static MigLayoutChoice in(String place, String text, String layout) {
    if (text.isEmpty()) {
      return new Wrong(layout, place + ": there is nothing under this key; put the layouts there");
    }
    return switch (MigConfigParser.parse(text)) {
      case ParsedMigConfig.Rejected(var problem) -> new Wrong(layout, problem.text(place));
      case ParsedMigConfig.Accepted(var config) -> selected(place, config, layout);
    };
  }

  private static MigLayoutChoice selected(String place, MigConfig config, String layout) {
    return switch (config.select(layout)) {
      case Selection.Selected(_, var entries) -> new Named(layout, Optional.of(entries));
      case Selection.None(var reason) ->
          new Wrong(
              layout,
              "%s: %s; Node label %s can be one of %s"
                  .formatted(
                      place,
                      reason,
                      NodeLabels.MIG_CONFIG,
                      String.join(", ", config.layouts().keySet())));
    };
  }

  /// The name of the layout; empty where there is none.
  default String layout() {
    return switch (this) {
      case Nothing(), Unknown() -> "";
      case Wrong(var layout, _) -> layout;
      case Named(var layout, _) -> layout;
    };
  }

  /// What it means for the GPUs of this node.
  default DesiredLayout wish(List<MigGpu> gpus) {
    return switch (this) {
      case Nothing(), Unknown() -> new WantedLayout(List.of(), false);
      case Wrong(_, var reason) -> new InvalidLayout(reason);
      case Named(var layout, var entries) ->
          entries
              .<DesiredLayout>map(said -> new WantedLayout(said, false))
              .orElseGet(() -> ofBoards(layout, gpus));
    };
  }

  private static DesiredLayout ofBoards(String layout, List<MigGpu> gpus) {
    if (layout.equals(ALL_DISABLED)) {
      // Also where an old driver reports no profile while MIG is off.
      var whole = new MigEntry(List.of(), Optional.empty(), false, Map.of());
      return new WantedLayout(List.of(whole), false);
    }
    return switch (GeneratedConfig.of(gpus)) {
      case Generated.None(var reason) -> new InvalidLayout(reason);
      case Generated.Made(var config, _) ->
          switch (selected("the layouts of this node's boards", config, layout)) {
            case Named(_, var entries) -> new WantedLayout(entries.orElse(List.of()), false);
            case Wrong(_, var reason) -> new InvalidLayout(reason);
            case Nothing(), Unknown() -> new WantedLayout(List.of(), false);
          };
    };
  }
}
