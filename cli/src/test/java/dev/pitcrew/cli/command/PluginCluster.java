package dev.pitcrew.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs the plugin as users start it, by its launcher and with the real kubectl, against a real API
/// server that has the definitions of this repository.
final class PluginCluster {
  static final Duration LIMIT = Duration.ofSeconds(30);
  static final int NARROW = 60;

  /// What a terminal would obey: red, a title, and text from right to left.
  static final String HOSTILE = "\\u001b[31mred\\u001b]0;title\\u0007 \\u202eb\\u009b1m";

  private static final Path LAUNCHER = Path.of("kubectl-gpu").toAbsolutePath();
  private static final Path DEFINITIONS =
      Path.of("../api/src/main/resources/crds").toAbsolutePath();

  private final Path kubectl = Binaries.standard(Progress.standardError()).resolve(Binary.KUBECTL);
  private final ControlPlane plane;
  private final KubernetesClient client;

  record Run(int code, String out, String err) {
    /// Without line breaks and the lines of trees.
    String text() {
      return (out + err).replaceAll("│? +", " ").replaceAll("\\s+", " ");
    }

    /// Fits a narrow terminal, and has nothing that one would obey.
    void assertFits() {
      assertThat(out.lines()).allMatch(line -> line.length() <= NARROW);
      assertThat(out).doesNotContain("\u001b", "\u0007", "\u202e", "\u009b");
      assertThat(err).isEmpty();
    }
  }

  PluginCluster(ControlPlane plane) {
    this.plane = plane;
    this.client = plane.client();
  }

  /// With the kinds that hold what agents report and how the fleet is to be kept.
  void defineFleet() {
    define(
        List.of("pitcrew.dev_gpunodes.yaml", "pitcrew.dev_fleetpolicies.yaml"),
        List.of("/apis/pitcrew.dev/v1alpha1/gpunodes", "/apis/pitcrew.dev/v1alpha1/fleetpolicies"));
  }

  /// @param rules in YAML
  void grant(String user, String rules) {
    client
        .resource(
            Serialization.unmarshal(
                "metadata: {name: %s}\nrules: [%s]".formatted(user, rules), ClusterRole.class))
        .serverSideApply();
    client
        .resource(
            Serialization.unmarshal(
                """
                metadata: {name: %s}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %s}
                subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %s}]
                """
                    .formatted(user, user, user),
                ClusterRoleBinding.class))
        .serverSideApply();
  }

  /// @param files of definitions
  /// @param lists that the API server serves by them
  void define(List<String> files, List<String> lists) {
    files.forEach(this::define);
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(() -> lists.stream().allMatch(it -> client.raw(it) != null));
  }

  Run run(String... arguments) {
    return start(arguments).end();
  }

  Running start(String... arguments) {
    return start(kubectl, arguments);
  }

  Path kubectl() {
    return kubectl;
  }

  /// As an administrator, with words that a message has.
  void administer(String... arguments) {
    var line = new ArrayList<>(List.of(kubectl.toString()));
    line.addAll(List.of(arguments));
    var builder = new ProcessBuilder(line).inheritIO();
    builder.environment().put("KUBECONFIG", plane.kubeconfigFile().toString());
    try {
      assertThat(builder.start().waitFor()).as(line.toString()).isZero();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /// @param program in the place of kubectl
  Running start(Path program, String... arguments) {
    try {
      Path out = Files.createTempFile("out", "");
      Path err = Files.createTempFile("err", "");
      var builder = builder(arguments).redirectOutput(out.toFile()).redirectError(err.toFile());
      builder.environment().put("KUBECTL", program.toString());
      return new Running(builder.start(), out, err);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /// A run that may not have ended.
  record Running(Process process, Path out, Path err) {
    String printed() {
      try {
        return Files.readString(out, UTF_8);
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    }

    Run end() {
      try {
        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        var run = new Run(process.exitValue(), printed(), Files.readString(err, UTF_8));
        Files.delete(out);
        Files.delete(err);
        return run;
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(interrupted);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  /// The plugin with the kubectl and the kubeconfig of this cluster.
  ProcessBuilder builder(String... arguments) {
    var line = new ArrayList<>(List.of(LAUNCHER.toString()));
    line.addAll(List.of(arguments));
    var builder = new ProcessBuilder(line);
    builder.environment().put("KUBECTL", kubectl.toString());
    builder.environment().put("KUBECONFIG", plane.kubeconfigFile().toString());
    builder.environment().put("COLUMNS", String.valueOf(NARROW));
    builder.environment().put("LC_ALL", "C.UTF-8");
    return builder;
  }

  /// A node of four GPUs, of which the first is as the node is.
  ///
  /// @param more of the status
  void gpuNode(String name, String ready, String reason, String message, String more) {
    String level = ready.equals("True") ? "Healthy" : "NeedsReboot";
    var gpus = new ArrayList<String>();
    for (int index = 0; index < 4; index++) {
      gpus.add(
          "{pciAddress: '0000:0%d:00.0', index: %d, uuid: GPU-%s-%d, product: NVIDIA H100, health: {level: %s, evidence: [Xid 79]}}"
              .formatted(index, index, name, index, index == 0 ? level : "Healthy"));
    }
    createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: pitcrew.dev/v1alpha1
            kind: GPUNode
            metadata: {name: %s}
            status:
              gpuCount: 4
              driver: {version: 580.159.04}
              gpus: [%s]
              conditions:
              - {type: Healthy, status: '%s', reason: %s, message: "%s", lastTransitionTime: '2026-11-29T10:00:00Z'}
              - {type: Ready, status: '%s', reason: %s, message: "%s", lastTransitionTime: '2026-11-29T10:00:00Z'}
            %s
            """
                .formatted(
                    name,
                    String.join(", ", gpus),
                    ready,
                    reason,
                    message,
                    ready,
                    reason,
                    message,
                    more.indent(2).stripTrailing()),
            GenericKubernetesResource.class));
  }

  <T extends HasMetadata> void createWithStatus(T resource) {
    client.resource(resource).create();
    client.resource(resource).patchStatus();
  }

  private void define(String file) {
    try (InputStream yaml = Files.newInputStream(DEFINITIONS.resolve(file))) {
      client.load(yaml).serverSideApply();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
