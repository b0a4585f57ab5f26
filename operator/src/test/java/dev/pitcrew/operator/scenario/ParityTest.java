package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.scenario.ParityOptions;
import dev.pitcrew.testbed.scenario.ParityOptions.Output;
import dev.pitcrew.testbed.scenario.ParityOptions.Rules;
import dev.pitcrew.testbed.scenario.ParityOptions.Selection;
import dev.pitcrew.testbed.scenario.ParityRun;
import dev.pitcrew.testbed.scenario.compare.Difference;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import dev.pitcrew.testbed.scenario.play.OperatorCommand;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A few quick scenarios leave the reference's facts, and one wrong fact of an operand shows. All
/// scenarios are played by `make parity`.
@WithControlPlane
class ParityTest {
  private static final List<String> QUICK =
      List.of("default-one-gpu-node", "no-gpu-nodes", "mixed-cpu-and-gpu");

  private final ControlPlane controlPlane;

  ParityTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @Test
  void quickScenariosLeaveTheFactsOfTheReference() throws IOException, InterruptedException {
    Scene.installDefinitions(controlPlane);
    var stage = Scene.stageOf(controlPlane);
    var operator = OperatorCommand.of(Launch.PLAIN, Launch.PROGRAM, stage.kubeconfig());
    var report = new StringWriter();

    var result =
        ParityRun.run(
            new ParityOptions(
                stage,
                operator,
                ParityOptions.USUAL_QUIET,
                new Selection(Scene.SCENARIOS, QUICK, Optional.empty()),
                new Rules(ofProject("ignore"), ofProject("expected"), false),
                new Output(Path.of("target", "parity-test"), true)),
            new PrintWriter(report, true));

    assertThat(result.isParity()).as(report.toString()).isTrue();
  }

  /// Where the project deliberately differs.
  private static Optional<Path> ofProject(String file) {
    return Optional.of(Scene.SCENARIOS.resolveSibling(file)).filter(Files::exists);
  }

  /// What an operand that lacks one thing would leave, made on the live object while no operator
  /// runs.
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "/spec/template/spec/containers/0/env/0, ' | env | '",
    "/spec/template/spec/containers/0/volumeMounts/0, ' | volumeMounts | '",
    "/metadata/labels/app.kubernetes.io~1managed-by, ' | labels | '"
  })
  void anOperandThatLacksOneThingIsNoParity(String path, String fact)
      throws IOException, InterruptedException {
    var name = "gpu-feature-discovery";
    try (var scene = Scene.running("default-one-gpu-node", controlPlane)) {
      var before = scene.settle();
      scene.stopOperators();
      scene
          .workloads()
          .daemonSet(name)
          .patch(
              PatchContext.of(PatchType.JSON),
              "[{\"op\":\"remove\",\"path\":\"%s\"}]".formatted(path));

      var comparison = new FactComparison("", IgnoreFile.none()).compare(before, scene.settle());

      assertThat(comparison.isEqual()).isFalse();
      assertThat(comparison.differences())
          .extracting(Difference::path)
          .singleElement()
          .asString()
          .startsWith("DaemonSet/" + name)
          .contains(fact);
    }
  }
}
