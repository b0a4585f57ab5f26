package dev.pitcrew.operator.scenario;

import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import dev.pitcrew.testbed.operator.OperatorLaunch;
import dev.pitcrew.testbed.scenario.play.OperatorProcess;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;

/// NVIDIA's own operator and chart, from a checkout of its repository in which `go build
/// ./cmd/gpu-operator` has made the program. The operator looks for its manifests below
/// `/opt/gpu-operator`: it has them there in a mount namespace of its own, which needs root.
///
/// @param program the operator
/// @param opt what it has as `/opt`
/// @param chart without node feature discovery, whose labels the simulated nodes have already
record RealReference(Path program, Path opt, Chart chart) {
  static final String PROPERTY = "pitcrew.reference.operator";

  /// The chart of the repository has other words where NVIDIA's build puts the release.
  private static final String RELEASE = "v26.7.0";

  private static final Values BASE =
      new Values("{nfd: {enabled: false}, operator: {upgradeCRD: false}}");
  private static final String ACCOUNT = "gpu-operator";
  private static final Path LOGS = Path.of("target", "scenario-logs");
  private static final Duration LIMIT = Duration.ofSeconds(90);

  static boolean isNamed() {
    return System.getProperty(PROPERTY) != null;
  }

  /// The one that the tests were started with.
  ///
  /// @param scratch an empty folder
  static RealReference prepare(Path scratch) throws IOException {
    var program = Path.of(System.getProperty(PROPERTY)).toAbsolutePath();
    var opt = scratch.resolve("opt");
    var assets = opt.resolve("gpu-operator");
    copy(program.resolveSibling("assets"), assets);
    copy(program.resolveSibling("manifests"), assets.resolve("manifests"));
    var chart = scratch.resolve("chart");
    copy(program.resolveSibling("deployments").resolve("gpu-operator"), chart);
    var description = chart.resolve("Chart.yaml");
    Files.writeString(
        description,
        Files.readString(description)
            .replaceAll("(?m)^version: .*", "version: " + RELEASE)
            .replaceAll("(?m)^appVersion: .*", "appVersion: " + RELEASE));
    return new RealReference(program, opt, new Chart(chart, BASE));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var target = to.resolve(from.relativize(file));
        Files.createDirectories(target.resolveSibling("."));
        Files.copy(file, target);
      }
    }
  }

  /// Starts it as its chart does, with the rights of its service account.
  Running start(String name, String namespace, ControlPlane controlPlane)
      throws IOException, InterruptedException {
    var addresses = OperatorAddresses.free();
    var environment = new HashMap<>(OperatorLaunch.IMAGES);
    environment.put("OPERATOR_NAMESPACE", namespace);
    environment.put("KUBECONFIG", controlPlane.kubeconfigFor(namespace, ACCOUNT).toString());
    var log = LOGS.resolve("reference-" + name + ".log");
    var process =
        OperatorProcess.start(
            List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount --bind \"$0\" /opt && exec \"$@\"",
                opt.toString(),
                program.toString(),
                "--leader-elect",
                "--leader-elect-namespace=" + namespace,
                "--metrics-bind-address=127.0.0.1:" + addresses.metricsPort(),
                "--health-probe-bind-address=127.0.0.1:" + addresses.healthPort()),
            environment,
            log);
    process.awaitReady(addresses.readiness());
    return new Running(process, addresses, log);
  }

  /// One process of it, or of ours: both have the same metrics.
  record Running(OperatorProcess process, OperatorAddresses addresses, Path log)
      implements AutoCloseable {
    /// Waits until it has reconciled the ClusterPolicy, and found it ready.
    void awaitReconciled() {
      await("a reconcile that " + log + " reports")
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(200))
          .until(() -> metrics().lines().anyMatch(Running::saysReady));
    }

    private static boolean saysReady(String line) {
      return line.matches("gpu_operator_reconciliation_status 1(\\.0)?");
    }

    private String metrics() throws InterruptedException {
      var request =
          HttpRequest.newBuilder(addresses.metrics()).timeout(Duration.ofSeconds(2)).build();
      try (var http = HttpClient.newHttpClient()) {
        return http.send(request, BodyHandlers.ofString()).body();
      } catch (IOException e) {
        return e.toString();
      }
    }

    /// Lines of its log in which it reports an error, but for those that something is not ready
    /// yet, and that a cluster has no image streams, as on OpenShift.
    List<String> errors() throws IOException {
      return Files.readAllLines(log).stream()
          .filter(line -> line.contains("\"level\":\"error\""))
          .filter(line -> !line.contains("not yet ready") && !line.contains("imagestream"))
          .toList();
    }

    @Override
    public void close() {
      process.close();
    }
  }
}
