package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.settings.SettingsProblem.Consequence;
import java.util.Set;

/// An invalid or ignored setting, before its consequence is known.
record SettingError(String field, String value, String remedy) {

  static SettingError inPolicy(String path, String value, String remedy) {
    return new SettingError("ClusterPolicy spec." + path, value, remedy);
  }

  SettingsProblem with(Consequence consequence, Set<NodeFunction> functions) {
    return new SettingsProblem(field, value, remedy, consequence, functions);
  }
}
