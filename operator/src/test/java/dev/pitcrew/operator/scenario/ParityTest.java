package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.scenario.compare.Difference;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One wrong fact of an operand shows in the comparison by which `make parity` judges all
/// scenarios.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class ParityTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OPERAND = "gpu-feature-discovery";

  private final Scene scene;
  private final JsonNode before;

  /// The operator ends once the cluster is at rest, so that it does not repair what a test breaks.
  ParityTest(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.running("default-one-gpu-node", controlPlane);
    before = scene.settle();
    scene.stopOperators();
  }

  @AfterAll
  void leave() {
    scene.close();
  }

  /// What an operand that lacks one thing would leave.
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "/spec/template/spec/containers/0/env/0, ' | env | '",
    "/spec/template/spec/containers/0/volumeMounts/0, ' | volumeMounts | '",
    "/metadata/labels/app.kubernetes.io~1managed-by, ' | labels | '"
  })
  void anOperandThatLacksOneThingIsNoParity(String path, String fact) throws InterruptedException {
    var removed = JSON.valueToTree(scene.workloads().daemonSet(OPERAND).get()).at(path);
    patch("{\"op\":\"remove\",\"path\":\"%s\"}".formatted(path));
    try {
      var comparison = new FactComparison("", IgnoreFile.none()).compare(before, scene.settle());

      assertThat(comparison.isEqual()).isFalse();
      assertThat(comparison.differences())
          .extracting(Difference::path)
          .singleElement()
          .asString()
          .startsWith("DaemonSet/" + OPERAND)
          .contains(fact);
    } finally {
      patch("{\"op\":\"add\",\"path\":\"%s\",\"value\":%s}".formatted(path, removed));
    }
  }

  private void patch(String operation) {
    scene
        .workloads()
        .daemonSet(OPERAND)
        .patch(PatchContext.of(PatchType.JSON), "[" + operation + "]");
  }
}
