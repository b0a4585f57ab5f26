package dev.pitcrew.operator.scenario;

import java.io.IOException;
import java.util.Map;

/// A part of the life of a policy, with what its user does then.
enum Phase {
  INSTALL {
    @Override
    void act(Scene scene) throws IOException {
      scene
          .client()
          .namespaces()
          .withName(Scene.NAMESPACE)
          .edit(namespace -> {
            namespace.getMetadata().setLabels(Map.of());
            return namespace;
          });
      scene.policy().create(Scene.scenario(SCENARIO)).edit("{\"psa\":{\"enabled\":true}}");
    }
  },
  /// Another driver version, and an operand less.
  EDIT {
    @Override
    void act(Scene scene) {
      scene.policy().edit(spec("999.1.1", false));
    }
  },
  RESTORE {
    @Override
    void act(Scene scene) {
      scene.policy().edit(spec("999.1.2", true));
    }
  },
  DELETE {
    @Override
    void act(Scene scene) {
      scene.policy().delete();
    }
  };

  /// Has objects of every kind that the operator makes.
  static final String SCENARIO = "monitoring";

  abstract void act(Scene scene) throws IOException;

  /// What comes after it while the operator still runs.
  void end(Scene scene) {}

  /// Whether the operator comes upon what the user has done when it starts, and does not see it
  /// happen. Only then are the numbers of its writes the same in each run.
  boolean isFoundAtStart() {
    return this != DELETE;
  }

  private static String spec(String driver, boolean isExporterEnabled) {
    return "{\"driver\":{\"version\":\"%s\"},\"dcgmExporter\":{\"enabled\":%s}}"
        .formatted(driver, isExporterEnabled);
  }
}
