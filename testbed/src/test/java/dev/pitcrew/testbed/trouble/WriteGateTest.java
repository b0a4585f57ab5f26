package dev.pitcrew.testbed.trouble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.scenario.play.OperatorProcess;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The writer is `kubectl`: a process that sends one write and can be killed while it waits.
@WithControlPlane
class WriteGateTest {
  private static final String USER = "held";
  private static final String SORT = "create ConfigMap";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final KubernetesClient client;
  private final TestNamespace namespace;
  private final ControlPlane controlPlane;

  @TempDir private Path folder = Path.of("");
  private WriteGate gate;
  private Path kubeconfig;

  WriteGateTest(ControlPlane controlPlane, TestNamespace namespace) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.namespace = namespace;
  }

  @BeforeEach
  void open() {
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(USER)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("rbac.authorization.k8s.io", "User", USER, null)
                .build())
        .create();
    gate = WriteGate.of(controlPlane, USER);
    kubeconfig = gate.kubeconfig(controlPlane.kubeconfigForUser(USER));
  }

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void writesAreCountedByOperationKindAndSubresource() throws IOException, InterruptedException {
    assertThat(kubectl("create", "configmap", "one").awaitEnd(LIMIT)).hasValue(0);
    assertThat(kubectl("label", "configmap", "one", "a=b").awaitEnd(LIMIT)).hasValue(0);
    assertThat(kubectl("create", "serviceaccount", "one").awaitEnd(LIMIT)).hasValue(0);
    assertThat(kubectl("create", "token", "one").awaitEnd(LIMIT)).hasValue(0);
    assertThat(kubectl("delete", "configmap", "one").awaitEnd(LIMIT)).hasValue(0);

    assertThat(gate.counts())
        .isEqualTo(
            Map.of(
                "create ConfigMap", 1,
                "update ConfigMap", 1,
                "create ServiceAccount", 1,
                "create TokenRequest/token", 1,
                "delete ConfigMap", 1));
    gate.forget();
    assertThat(gate.counts()).isEmpty();
  }

  @Test
  void onlyTheNthWriteOfTheUserIsHeldUntilItIsAllowed() throws IOException, InterruptedException {
    var second = gate.hold(SORT, 2);
    createAsAnotherUser("of-another-user");
    assertThat(kubectl("create", "configmap", "first").awaitEnd(LIMIT)).hasValue(0);
    assertThat(second.isHeld()).isFalse();

    var writer = kubectl("create", "configmap", "second");
    second.awaitHeld(LIMIT);
    assertThat(names()).contains("first").doesNotContain("second");
    second.allow();

    assertThat(writer.awaitEnd(LIMIT)).hasValue(0);
    assertThat(names()).contains("second");
  }

  @Test
  void aDeniedWriteIsRefused() throws IOException, InterruptedException {
    var held = gate.hold(SORT);
    var writer = kubectl("create", "configmap", "denied");
    held.awaitHeld(LIMIT);
    held.deny();

    assertThat(writer.awaitEnd(LIMIT)).isNotEqualTo(OptionalInt.of(0)).isPresent();
    assertThat(names()).doesNotContain("denied");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theWriteOfAKilledProcessLandsWhereItIsAllowed(boolean isAllowed)
      throws IOException, InterruptedException {
    var name = "killed-" + isAllowed;
    var held = gate.hold(SORT);
    var writer = kubectl("create", "configmap", name);
    held.awaitHeld(LIMIT);
    gate.kill(writer);
    if (isAllowed) {
      held.allow();
      client
          .configMaps()
          .inNamespace(namespace.name())
          .withName(name)
          .waitUntilCondition(Objects::nonNull, LIMIT.toSeconds(), TimeUnit.SECONDS);
    } else {
      held.deny();
      // The next write is answered after the denied one.
      assertThat(kubectl("create", "configmap", "next").awaitEnd(LIMIT)).hasValue(0);
      assertThat(names()).contains("next").doesNotContain(name);
    }
  }

  @Test
  void aWriteThatDoesNotComeIsNamed() {
    var held = gate.hold("delete Pod", 3);
    assertThatThrownBy(() -> held.awaitHeld(Duration.ZERO))
        .hasMessage("0 of 3 writes \"delete Pod\" came within 0 s");
  }

  private OperatorProcess kubectl(String... arguments) throws IOException {
    var command =
        new ArrayList<>(
            List.of(
                Binaries.standard(Progress.standardError()).resolve(Binary.KUBECTL).toString(),
                "--kubeconfig=" + kubeconfig,
                "--namespace=" + namespace.name()));
    command.addAll(List.of(arguments));
    return OperatorProcess.start(command, Map.of(), folder.resolve("kubectl.log"));
  }

  private void createAsAnotherUser(String name) {
    client
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(namespace.name())
                .withName(name)
                .endMetadata()
                .build())
        .create();
  }

  private List<String> names() {
    return client.configMaps().inNamespace(namespace.name()).list().getItems().stream()
        .map(map -> map.getMetadata().getName())
        .toList();
  }
}
