package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.cdi.CdiClass;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.DeviceNaming;
import dev.pitcrew.agent.cdi.Feature;
import dev.pitcrew.agent.cdi.HookName;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.AgentConfig.ExtraDevices;
import dev.pitcrew.agent.config.DeviceIdStrategy;
import dev.pitcrew.agent.plugin.Injection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What the configuration asks of the CDI specifications of the device plugin.
final class CdiChoice {
  private CdiChoice() {}

  static CdiOptions options(AgentConfig config) {
    var disabled = config.cdi().disabledHooks();
    return CdiOptions.ofPlugin()
        .withClasses(classes(config))
        .withNamings(List.of(naming(config.plugin().deviceIdStrategy())))
        .withHooks(config.cdi().hookPath(), HookName.switched(disabled, List.of()))
        .withFeatures(Feature.of(config.cdi().featureFlags()))
        .withImexChannels(config.plugin().imex().channels());
  }

  private static DeviceNaming naming(DeviceIdStrategy strategy) {
    return switch (strategy) {
      case UUID -> DeviceNaming.UUID;
      case INDEX -> DeviceNaming.INDEX;
    };
  }

  private static List<CdiClass> classes(AgentConfig config) {
    var classes = new ArrayList<>(List.of(CdiClass.GPU));
    if (!config.plugin().imex().channels().isEmpty()) {
      classes.add(CdiClass.IMEX_CHANNEL);
    }
    injections(config.cdi().extraDevices()).map(CdiChoice::cdiClass).forEach(classes::add);
    return List.copyOf(classes);
  }

  static Stream<Injection> injections(ExtraDevices extra) {
    return Stream.of(Injection.values())
        .filter(injection ->
            switch (injection) {
              case GDRCOPY -> extra.gdrcopy();
              case GDS -> extra.gds();
              case MOFED -> extra.mofed();
            });
  }

  static CdiClass cdiClass(Injection injection) {
    return switch (injection) {
      case GDRCOPY -> CdiClass.GDRCOPY;
      case GDS -> CdiClass.GDS;
      case MOFED -> CdiClass.MOFED;
    };
  }

  /// Those of the injections that have a specification.
  static Set<Injection> specified(AgentConfig config, Set<String> deviceClasses) {
    return injections(config.cdi().extraDevices())
        .filter(injection -> deviceClasses.contains(injection.cdiClass()))
        .collect(Collectors.toUnmodifiableSet());
  }
}
