package dev.pitcrew.operator.runtime.crds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.operator.command.CrdOptions;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithControlPlane
class ManageCrdsTest {
  private static final CrdOptions PACKAGED = new CrdOptions(List.of(), "", false);

  private static final String OF_ANY_SHAPE =
      TestDefinitions.yaml("widgets")
          .replace(
              "properties: {size: {type: integer, minimum: 1, default: 3}}",
              "x-kubernetes-preserve-unknown-fields: true");

  private static final String SHARED =
      TestDefinitions.yaml("widgets")
          .replace(
              "metadata:\n", "metadata:\n  labels: {pitcrew.dev/shared-definition: \"true\"}\n");

  private static final String WIDGET =
      """
      {"apiVersion": "pitcrew.test/v1", "kind": "widgetsKind",
       "metadata": {"name": "one", "annotations": {"meta.helm.sh/release-name": "r"}},
       "spec": %s}
      """;

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

  /// As the upgrades of a release do, one after another.
  @Test
  void anObjectComesWithItsDefinitionAndFollowsWhatChanges() {
    apply("{\"a\": 1, \"deep\": {\"b\": [1, 2], \"c\": true}}");
    assertThat(widget().path("spec")).hasToString("{\"a\":1,\"deep\":{\"b\":[1,2],\"c\":true}}");
    assertThat(widget().at("/metadata/annotations").has("meta.helm.sh/release-name")).isTrue();

    edit("{\"spec\": {\"a\": 2, \"mine\": \"x\"}}");
    var before = widget().at("/metadata/resourceVersion").asText();
    apply("{\"a\": 1, \"deep\": {\"b\": [1, 2], \"c\": true}}");
    assertThat(widget().at("/metadata/resourceVersion").asText()).isEqualTo(before);

    apply("{\"a\": 1, \"deep\": {\"b\": [3]}, \"new\": {\"d\": 4}}");
    assertThat(widget().path("spec"))
        .as("what users have changed stays, if the chart has not changed it")
        .hasToString("{\"a\":2,\"deep\":{\"b\":[3]},\"mine\":\"x\",\"new\":{\"d\":4}}");
    assertThat(output.toString()).contains("created widgetsKind/one", "updated widgetsKind/one");
  }

  @Test
  void objectOfAnotherOwner_staysAsItIs() {
    assertThat(program(OF_ANY_SHAPE).apply(PACKAGED)).isZero();
    client
        .resource(WIDGET.formatted("{\"a\": 7}").replace("meta.helm.sh/release-name", "x/y"))
        .create();

    apply("{\"a\": 1}");

    assertThat(widget().path("spec")).hasToString("{\"a\":7}");
  }

  @Test
  void documentThatIsNoObject_isRefused_andNamed() {
    for (var text : List.of("[", "1")) {
      var options = new CrdOptions(List.of(), kubeconfig, false, Optional.of(text));
      assertThat(program(TestDefinitions.yaml("widgets")).apply(options)).isEqualTo(1);
    }
    assertThat(errors.toString())
        .contains("--fleet-policy is no JSON: ", "--fleet-policy is no JSON object");
  }

  private void apply(String spec) {
    var options = new CrdOptions(List.of(), kubeconfig, false, Optional.of(WIDGET.formatted(spec)));
    assertThat(program(OF_ANY_SHAPE).apply(options)).as("errors: %s", errors).isZero();
  }

  private JsonNode widget() {
    return client.getKubernetesSerialization().convertValue(one().get(), JsonNode.class);
  }

  private void edit(String patch) {
    one().patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private Resource<GenericKubernetesResource> one() {
    return client.genericKubernetesResources("pitcrew.test/v1", "widgetsKind").withName("one");
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
  void aDefinitionThatAnotherChartHasInstalledIsNeitherChangedNorDeleted() {
    program(TestDefinitions.yaml("widgets")).apply(PACKAGED);
    String before = resourceVersion();
    var shared = program(SHARED);

    assertThat(shared.apply(PACKAGED)).isZero();
    assertThat(resourceVersion()).isEqualTo(before);
    assertThat(shared.delete(PACKAGED)).isZero();
    assertThat(widgets().get().getMetadata().getDeletionTimestamp()).isNull();
    assertThat(output.toString())
        .contains(
            "left unchanged, as another chart has installed it: widgets.pitcrew.test",
            "left, as another chart has installed it: widgets.pitcrew.test");
  }

  @Test
  void aSharedDefinitionIsUpdatedAndStaysWhileItHasObjects() {
    var older = SHARED.replace("minimum: 1", "minimum: 2");
    program(older).apply(PACKAGED);
    String before = resourceVersion();
    var shared = program(SHARED);
    assertThat(shared.apply(PACKAGED)).isZero();
    assertThat(resourceVersion()).isNotEqualTo(before);
    client.resource(WIDGET.formatted("{\"size\": 1}")).create();

    assertThat(shared.delete(PACKAGED)).isZero();
    assertThat(widgets().get().getMetadata().getDeletionTimestamp()).isNull();
    one().delete();
    assertThat(shared.delete(PACKAGED)).isZero();
    awaitGone();
    assertThat(output.toString())
        .contains("left, as another chart uses it: widgets.pitcrew.test", "deleted widgets");
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
