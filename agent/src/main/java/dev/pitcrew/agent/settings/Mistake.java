package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.settings.SettingsProblem.Consequence;
import java.util.Set;

/// What is wrong where, before it is known what becomes of it.
record Mistake(String field, String value, String remedy) {

  static Mistake inPolicy(String path, String value, String remedy) {
    return new Mistake("ClusterPolicy spec." + path, value, remedy);
  }

  SettingsProblem with(Consequence consequence, Set<NodeFunction> functions) {
    return new SettingsProblem(field, value, remedy, consequence, functions);
  }
}
