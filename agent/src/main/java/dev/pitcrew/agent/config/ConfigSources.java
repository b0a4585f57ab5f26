package dev.pitcrew.agent.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Everything that configures one run.
///
/// @param flags what was given on the command line, by spelling without dashes
/// @param fileText the configuration file; an empty text is an empty configuration
public record ConfigSources(
    Map<String, List<String>> flags, Map<String, String> environment, String fileText) {
  public ConfigSources {
    flags = new LinkedHashMap<>(flags);
    environment = Map.copyOf(environment);
  }

  public ConfigSources withFile(String text) {
    return new ConfigSources(flags, environment, text);
  }
}
