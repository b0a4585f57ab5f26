package dev.pitcrew.operator.runtime.crds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.command.CrdOptions;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithControlPlane
class ManageCrdsTest {
  private static final CrdOptions PACKAGED = new CrdOptions(List.of(), "", false);

  private final StringWriter output = new StringWriter();
  private final StringWriter errors = new StringWriter();
  private final KubernetesClient client;
  private final String kubeconfig;

  ManageCrdsTest(ControlPlane controlPlane) {
    client = controlPlane.client();
    kubeconfig = controlPlane.kubeconfigFile().toString();
  }

  @AfterEach
  void deleteDefinitions() {
    program(TestDefinitions.yaml("widgets")).delete(PACKAGED);
    awaitGone();
  }

  @Test
  void appliedDefinitionsAreServedWhenItReturns() {
    assertThat(program(TestDefinitions.yaml("widgets")).apply(PACKAGED)).isZero();

    assertThat(client.raw("/apis/pitcrew.test/v1/widgets")).contains("\"widgetsKindList\"");
    assertThat(output.toString())
        .contains("applied widgets.pitcrew.test", "served widgets.pitcrew.test");
  }

  @Test
  void applyingAgainChangesNothing() {
    var program = program(TestDefinitions.yaml("widgets"));
    program.apply(PACKAGED);
    String first = resourceVersion();

    assertThat(program.apply(PACKAGED)).isZero();
    assertThat(resourceVersion()).isEqualTo(first);
  }

  @Test
  void newVersionIsServedAndForeignEditsAreUndone() {
    program(TestDefinitions.yaml("widgets")).apply(PACKAGED);
    widgets()
        .edit(definition -> {
          definition
              .getSpec()
              .getVersions()
              .getFirst()
              .getSchema()
              .getOpenAPIV3Schema()
              .getProperties()
              .clear();
          return definition;
        });
    String newer = TestDefinitions.yaml("widgets").replace("served: false", "served: true");

    assertThat(program(newer).apply(PACKAGED)).isZero();
    assertThat(client.raw("/apis/pitcrew.test/v1alpha1/widgets")).contains("widgetsKindList");
    assertThat(
            widgets()
                .get()
                .getSpec()
                .getVersions()
                .getFirst()
                .getSchema()
                .getOpenAPIV3Schema()
                .getProperties())
        .containsKey("spec");
  }

  @Test
  void filesTakeTheirPlaceAndDeletingTwiceIsNoError(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("crd.yaml"), TestDefinitions.yaml("widgets"));
    var files = new CrdOptions(List.of(folder), kubeconfig, false);
    var program = program("never read");

    assertThat(program.apply(files)).isZero();
    assertThat(program.delete(files)).isZero();
    awaitGone();
    assertThat(program.delete(files)).isZero();
    assertThat(output.toString())
        .contains("deleted widgets.pitcrew.test", "not there: widgets.pitcrew.test");
  }

  @Test
  void definitionThatTheServerRefusesIsReported() {
    var invalid = TestDefinitions.yaml("widgets").replace("scope: Cluster", "scope: Galaxy");

    assertThat(program(invalid).apply(PACKAGED)).isEqualTo(1);
    assertThat(errors.toString()).contains("Galaxy").doesNotContain("\tat ");
  }

  @Test
  void debugPrintsTheWholeErrorAndNothingToDoIsAnError(@TempDir Path empty) {
    assertThat(program("").apply(new CrdOptions(List.of(empty), "", true))).isEqualTo(1);
    assertThat(errors.toString())
        .startsWith("no custom resource definition in [" + empty)
        .contains("\tat ");
  }

  private Resource<CustomResourceDefinition> widgets() {
    return client.apiextensions().v1().customResourceDefinitions().withName("widgets.pitcrew.test");
  }

  private void awaitGone() {
    widgets().waitUntilCondition(Objects::isNull, 20, TimeUnit.SECONDS);
  }

  private String resourceVersion() {
    return widgets().get().getMetadata().getResourceVersion();
  }

  private ManageCrds program(String yaml) {
    return new ManageCrds(
        this::open,
        () -> List.of(yaml),
        new PrintWriter(output, true),
        new PrintWriter(errors, true));
  }

  private KubernetesClient open(String ignoredDefault) {
    return new KubernetesClientBuilder()
        .withConfig(Config.fromKubeconfig(Path.of(kubeconfig).toFile()))
        .build();
  }
}
