package dev.pitcrew.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The support bundle as users make it, with the real kubectl, of a real API server. There is no
/// kubelet, so a script in the place of kubectl answers for logs, metrics and commands in pods.
@WithControlPlane
class DiagTest {
  private static final Path LAUNCHER = Path.of("kubectl-gpu").toAbsolutePath();
  private static final Path DEFINITIONS =
      Path.of("../api/src/main/resources/crds").toAbsolutePath();
  private static final List<String> KINDS =
      List.of("pitcrew.dev_gpunodes.yaml", "nvidia.com_clusterpolicies.yaml");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// Every secret of these tests has it in it.
  private static final String SECRET = "hunter2";

  private static final String LOG =
      """
      {"level":"INFO","msg":"starting","password":"hunter2"}
      connect to https://admin:hunter2@registry.example.com/v2/
      Authorization: Bearer hunter2hunter2hunter2
      -----BEGIN PRIVATE KEY-----
      hunter2hunter2hunter2
      -----END PRIVATE KEY-----
      GPU 5 (0000:05:00.0): Xid 79
      """;

  private final Path kubectl = Binaries.standard(Progress.standardError()).resolve(Binary.KUBECTL);
  private final ControlPlane plane;
  private final KubernetesClient client;
  private final String namespace;

  @TempDir Path folder;

  private record Run(int code, String out, String err) {}

  DiagTest(ControlPlane plane, TestNamespace namespace) {
    this.plane = plane;
    this.client = plane.client();
    this.namespace = namespace.name();
  }

  @BeforeEach
  void define() {
    KINDS.forEach(it -> {
      try (InputStream yaml = Files.newInputStream(DEFINITIONS.resolve(it))) {
        client.load(yaml).serverSideApply();
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    });
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(() ->
            client.raw("/apis/pitcrew.dev/v1alpha1/gpunodes") != null
                && client.raw("/apis/nvidia.com/v1/clusterpolicies") != null);
  }

  @Test
  void secretsThatArePlantedEverywhere_areNowhereInTheBundle() throws IOException {
    plant();
    Path file = folder.resolve("bundle.zip");

    Run run = diag(answering(LOG), "-n", namespace, "-f", file.toString());

    Map<String, String> files = unpacked(file);
    assertThat(run.code()).as(run.err() + files.get("errors.txt")).isEqualTo(ExitCodes.OK);
    assertThat(run.out() + run.err()).contains("values redacted").doesNotContain(SECRET);
    assertThat(files.toString()).doesNotContain(SECRET, "aHVudGVyMg");
    assertThat(files)
        .containsKeys(
            "index.html",
            "status.txt",
            "nodes.txt",
            "versions.txt",
            "resources/clusterpolicies.yaml",
            "namespace/pods.yaml",
            "namespace/configmaps.yaml",
            "namespace/daemonsets.yaml",
            "namespace/events.yaml",
            "nodes/gpu-1/gpunode.yaml",
            "nodes/gpu-1/node.yaml",
            "nodes/gpu-1/agent/validate.txt",
            "nodes/gpu-1/agent/runtime-plan.txt",
            "nodes/gpu-1/metrics/agent-9400.txt",
            "nodes/gpu-1/logs/agent/main.log",
            "nodes/gpu-1/logs/agent/main.previous.log");
    assertThat(files.get("nodes/gpu-1/logs/agent/main.log")).contains("Xid 79", "starting");
    assertThat(files.get("namespace/pods.yaml"))
        .contains("kind: \"Pod\"", "value: \"all\"", "--verbose")
        .doesNotContain("managedFields", "last-applied");
    assertThat(files.get("namespace/configmaps.yaml")).contains("version: 1");
    assertThat(files.get("redactions.txt"))
        .containsPattern("1 +private key +nodes/gpu-1/logs/agent/main.log")
        .containsPattern("environment variable +namespace/pods.yaml");
    assertThat(files.get("index.html")).contains("gpu-1", "GpuUnhealthy", "Xid 79");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void fileThatIsThereIsReplacedByForceOnly() throws IOException {
    Path file = Files.writeString(folder.resolve("bundle.zip"), "mine");

    Run refused = diag(kubectl, "-n", namespace, "-f", file.toString());

    assertThat(refused.code()).isEqualTo(ExitCodes.USAGE);
    assertThat(refused.err().replaceAll("\\s+", " ")).contains("is there already", "--force");
    assertThat(file).hasContent("mine");
    Run forced = diag(answering(LOG), "-n", namespace, "-f", file.toString(), "--force");
    assertThat(forced.code()).as(forced.err()).isEqualTo(ExitCodes.OK);
    assertThat(unpacked(file)).containsKey("index.html");
  }

  @Test
  void accountWithHalfTheRights_getsHalfABundle() throws IOException {
    grant("{apiGroups: [''], resources: [pods, configmaps], verbs: [get, list]}");
    String kubeconfig = plane.kubeconfigFor(namespace, "default").toString();
    Path file = folder.resolve("bundle.zip");
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          Run run =
              diag(
                  kubectl,
                  "-n",
                  namespace,
                  "-f",
                  file.toString(),
                  "--force",
                  "--kubeconfig",
                  kubeconfig);
          assertThat(run.code()).isEqualTo(ExitCodes.PROBLEM);
          assertThat(unpacked(file)).containsKey("namespace/configmaps.yaml");
        });

    Map<String, String> files = unpacked(file);
    assertThat(files.get("errors.txt"))
        .contains("may not list gpunodes.pitcrew.dev", "/apis/apps/v1/namespaces/" + namespace);
    assertThat(files.get("index.html")).contains("Could not be read");
  }

  @Test
  void withoutAConnectionThereIsNoFile() throws IOException {
    plane.stopApiServer();
    try {
      Run run = diag(kubectl, "-f", folder.resolve("bundle.zip").toString());

      assertThat(run.code()).isEqualTo(ExitCodes.UNREACHABLE);
      assertThat(run.err()).contains(plane.apiServerAddress()).doesNotContain("Exception");
      assertThat(bundles()).isEmpty();
    } finally {
      plane.startApiServer();
    }
  }

  @Test
  void wrongInputIsNamed() throws IOException {
    for (List<String> line :
        List.of(
            List.of("--node", "../nodes"),
            List.of("--node", "gpu-9"),
            List.of("--max-size", "1000"),
            List.of("--since", "yesterday"),
            List.of("-n", "A B"),
            List.of("-f", folder.resolve("none/bundle.zip").toString()),
            List.of("-f", folder.toString()))) {
      Run run = diag(kubectl, line.toArray(String[]::new));

      assertThat(run.code()).as(line.toString()).isEqualTo(ExitCodes.USAGE);
      assertThat(run.err()).startsWith("error: ").doesNotContain("Exception", "\tat ");
    }
    assertThat(bundles()).isEmpty();
  }

  @Test
  void userWhoInterrupts_findsNoFile() throws IOException, InterruptedException {
    Path waits =
        script(
            "case \"$*\" in *configmaps*) sleep 60;; *) exec %s \"$@\";; esac".formatted(kubectl));
    Process process = start(waits, "-n", namespace, "-f", folder.resolve("bundle.zip").toString());
    await().atMost(LIMIT).until(() -> !bundles().isEmpty());
    List<ProcessHandle> children = process.descendants().toList();

    new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor();

    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    children.forEach(ProcessHandle::destroyForcibly);
    assertThat(process.exitValue()).isEqualTo(ExitCodes.INTERRUPTED);
    assertThat(bundles()).isEmpty();
  }

  @Test
  void largeClusterIsAskedABoundedNumberOfQuestions() throws IOException {
    int count = 5000;
    Files.writeString(
        folder.resolve("gpunodes.json"),
        list(
            count,
            "{\"metadata\":{\"name\":\"node-%1$d\"},\"status\":{\"gpuCount\":1,\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",\"reason\":\"R\",\"message\":\"m\"}]}}"));
    Files.writeString(
        folder.resolve("pods.json"),
        list(
            count,
            "{\"metadata\":{\"name\":\"agent-%1$d\",\"namespace\":\"n\",\"labels\":{\"app\":\"pitcrew-agent\"},\"ownerReferences\":[{\"kind\":\"DaemonSet\"}]},"
                + "\"spec\":{\"nodeName\":\"node-%1$d\",\"containers\":[{\"name\":\"main\"}]},"
                + "\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"main\",\"state\":{\"running\":{\"a\":1}}}]}}"));
    Path calls = folder.resolve("calls");
    Path many =
        script(
            """
            echo "$*" >>%s
            case "$*" in
            *gpunodes?limit*) cat %s/gpunodes.json;;
            *namespaces/n/pods?limit*) cat %s/pods.json;;
            *version*) echo '{"gitVersion":"v1.36.3"}';;
            *"/log?"*|exec*) echo text;;
            *) echo '{"metadata":{},"items":[]}';;
            esac\
            """
                .formatted(calls, folder, folder));
    Path file = folder.resolve("bundle.zip");

    Run run = diag(many, "-n", "n", "-f", file.toString());

    assertThat(run.code()).as(run.err()).isEqualTo(ExitCodes.OK);
    assertThat(Files.readAllLines(calls)).hasSizeLessThan(150);
    Map<String, String> files = unpacked(file);
    assertThat(files.keySet()).filteredOn(it -> it.endsWith("validate.txt")).hasSize(20);
    assertThat(files.get("errors.txt"))
        .contains("details of 4980 of 5000 nodes that are not ready");
  }

  /// The objects of the file have a secret in each place where one can be.
  private void plant() throws IOException {
    try (InputStream yaml = DiagTest.class.getResourceAsStream("planted.yaml")) {
      String text = new String(yaml.readAllBytes(), UTF_8).replace("NAMESPACE", namespace);
      create(text.split("---\n", -1));
    }
  }

  private void grant(String rule) {
    create(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: half}
        rules: [%s]
        """
            .formatted(rule),
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: half}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: half}
        subjects: [{kind: ServiceAccount, name: default, namespace: %s}]
        """
            .formatted(namespace));
  }

  private void create(String... objects) {
    for (String yaml : objects) {
      var object = Serialization.unmarshal(yaml, GenericKubernetesResource.class);
      boolean isInNamespace =
          !List.of("Node", "GPUNode", "ClusterPolicy").contains(object.getKind());
      object.getMetadata().setNamespace(isInNamespace ? namespace : null);
      client.resource(object).create();
      if (object.getAdditionalProperties().containsKey("status")) {
        client.resource(object).patchStatus();
      }
    }
  }

  private static String list(int count, String item) {
    return IntStream.range(0, count)
        .mapToObj(item::formatted)
        .collect(Collectors.joining(",", "{\"metadata\":{},\"items\":[", "]}"));
  }

  /// A kubectl for which each pod has the same log, page of metrics and answer.
  private Path answering(String text) throws IOException {
    Path log = Files.writeString(folder.resolve("log"), text);
    return script(
        "case \"$*\" in *\"/log?\"*|*/proxy/metrics*|exec*) cat %s;; *) exec %s \"$@\";; esac"
            .formatted(log, kubectl));
  }

  private Path script(String lines) throws IOException {
    Path script = Files.writeString(folder.resolve("kubectl"), "#!/bin/sh\n" + lines + "\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /// Of any name, complete or not.
  private List<String> bundles() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(Path::getFileName)
          .map(Path::toString)
          .filter(it -> it.contains("bundle"))
          .toList();
    }
  }

  private static Map<String, String> unpacked(Path file) throws IOException {
    var files = new TreeMap<String, String>();
    try (var zip = new ZipFile(file.toFile())) {
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        try (InputStream content = zip.getInputStream(entry)) {
          files.put(entry.getName(), new String(content.readAllBytes(), UTF_8));
        }
      }
    }
    return files;
  }

  private Run diag(Path program, String... arguments) {
    try {
      Process process = start(program, arguments);
      assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      return new Run(
          process.exitValue(),
          Files.readString(folder.resolve("out"), UTF_8),
          Files.readString(folder.resolve("err"), UTF_8));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  private Process start(Path program, String... arguments) throws IOException {
    var line = new ArrayList<>(List.of(LAUNCHER.toString(), "diag"));
    line.addAll(List.of(arguments));
    var builder =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(folder.resolve("err").toFile());
    builder.environment().put("KUBECTL", program.toString());
    builder.environment().put("KUBECONFIG", plane.kubeconfigFile().toString());
    builder.environment().put("LC_ALL", "C.UTF-8");
    return builder.start();
  }
}
