package dev.pitcrew.operator.scenario;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.Crds;
import dev.pitcrew.operator.command.CrdOptions;
import dev.pitcrew.operator.runtime.crds.ManageCrds;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import dev.pitcrew.testbed.operator.OperatorLaunch;
import dev.pitcrew.testbed.scenario.play.LiveStage;
import dev.pitcrew.testbed.scenario.play.OperatorProcess;
import dev.pitcrew.testbed.scenario.play.Scenario;
import dev.pitcrew.testbed.scenario.play.ScenarioPlayer.Stage;
import dev.pitcrew.testbed.trouble.HeldWrite;
import dev.pitcrew.testbed.trouble.WriteGate;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// An empty cluster for one test, and the operator processes that the test starts on it.
final class Scene implements AutoCloseable {
  static final String NAMESPACE = "gpu-operator";

  /// Long enough for the operator to answer what it has just seen, several times over.
  static final Duration QUIET = Duration.ofMillis(1500);

  private static final Duration WRITE_LIMIT = Duration.ofSeconds(60);

  static final Path SCENARIOS = Path.of("..", "parity", "scenarios");
  private static final Path LOGS =
      Path.of("target", "scenario-logs", System.getProperty("test.fork", "1"));
  private static final AtomicInteger LOG_NUMBER = new AtomicInteger();

  private final ControlPlane controlPlane;
  private final LiveStage stage;
  private final List<OperatorProcess> operators = new ArrayList<>();
  private Path kubeconfig;
  private @Nullable WriteGate gate;

  private Scene(ControlPlane controlPlane, LiveStage stage, Path kubeconfig) {
    this.controlPlane = controlPlane;
    this.stage = stage;
    this.kubeconfig = kubeconfig;
  }

  /// An empty cluster with the custom resource definitions and the rights of the operator.
  static Scene set(ControlPlane controlPlane) throws IOException, InterruptedException {
    installDefinitions(controlPlane);
    var stage = LiveStage.empty(stageOf(controlPlane));
    return new Scene(controlPlane, stage, OperatorRights.grant(controlPlane));
  }

  /// What a player of scenarios needs to know of the cluster.
  static Stage stageOf(ControlPlane controlPlane) throws IOException {
    var kubectl = Binaries.standard(Progress.standardError()).resolve(Binary.KUBECTL);
    var scratch = Files.createTempDirectory(controlPlane.directory().path(), "scene-");
    return new Stage(controlPlane.kubeconfigFile(), kubectl, NAMESPACE, scratch);
  }

  /// The same with the nodes and the other input of a scenario of the project.
  static Scene of(String scenario, ControlPlane controlPlane)
      throws IOException, InterruptedException {
    var scene = set(controlPlane);
    scene.stage.enter(scenario(scenario));
    return scene;
  }

  /// A cluster on which an operator has brought a scenario of the project to rest.
  static Scene running(String scenario, ControlPlane controlPlane)
      throws IOException, InterruptedException {
    var scene = of(scenario, controlPlane);
    scene.install(scenario);
    return scene;
  }

  /// Starts an operator and lets it bring the policy of a scenario to rest.
  void install(String scenario) throws IOException, InterruptedException {
    serve(scenario);
    settle();
  }

  /// Starts an operator and waits until the policy of a scenario is ready.
  void serve(String scenario) throws IOException, InterruptedException {
    start(Launch.PLAIN);
    policy().create(scenario(scenario)).awaitReady();
  }

  /// Starts an operator that leaves drivers to NVIDIADrivers.
  Policy startForNvidiaDrivers() throws IOException, InterruptedException {
    var policy = policy().create(scenario("switch-to-nvidiadriver"));
    policy.edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    start(Launch.PLAIN);
    return policy;
  }

  /// A scenario of the project.
  static Scenario scenario(String name) throws IOException {
    return Scenario.read(SCENARIOS.resolve(name));
  }

  /// Brings the definitions of this release to the cluster.
  static void installDefinitions(ControlPlane controlPlane) {
    var output = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    var manage =
        new ManageCrds(
            _ -> clientOf(controlPlane),
            () -> Crds.files().stream().map(Crds::yaml).toList(),
            new PrintWriter(Writer.nullWriter()),
            output);
    if (manage.apply(new CrdOptions(List.of(), "", false)) != 0) {
      throw new IllegalStateException("the definitions cannot be installed");
    }
  }

  private static KubernetesClient clientOf(ControlPlane controlPlane) {
    var config = Config.fromKubeconfig(controlPlane.kubeconfigFile().toFile());
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  ControlPlane controlPlane() {
    return controlPlane;
  }

  KubernetesClient client() {
    return controlPlane.client();
  }

  LiveStage stage() {
    return stage;
  }

  /// The ClusterPolicy of most tests.
  Policy policy() {
    return new Policy(client(), "cluster-policy");
  }

  Workloads workloads() {
    return new Workloads(client());
  }

  Leadership leadership() {
    return new Leadership(client());
  }

  /// Holds writes of the operators that are started from the first call on, so that they can be
  /// killed while one is in flight.
  WriteGate gate() {
    if (gate == null) {
      gate = WriteGate.of(controlPlane, OperatorWrites.USER);
      kubeconfig = gate.kubeconfig(kubeconfig);
    }
    return gate;
  }

  /// Kills the last operator while a write of it is in flight.
  ///
  /// @param lands whether the API server carries the write out all the same
  void killWhile(HeldWrite held, boolean lands) throws InterruptedException {
    held.awaitHeld(WRITE_LIMIT);
    gate().kill(operators.removeLast());
    if (lands) {
      held.allow();
    } else {
      held.deny();
    }
  }

  OperatorWrites writes() {
    return new OperatorWrites(controlPlane.auditLog());
  }

  /// Waits for rest and records the facts.
  ObjectNode settle() throws InterruptedException {
    return stage.settle(QUIET);
  }

  /// Starts an operator and returns when it is ready; the scene ends it.
  OperatorProcess start(OperatorLaunch launch) throws IOException, InterruptedException {
    return start(launch, kubeconfig);
  }

  /// The same as another user, so that the audit log distinguishes this operator's calls from the
  /// others'.
  OperatorProcess startAs(String user, OperatorLaunch launch)
      throws IOException, InterruptedException {
    return start(launch, OperatorRights.grantTo(user, controlPlane));
  }

  private OperatorProcess start(OperatorLaunch launch, Path account)
      throws IOException, InterruptedException {
    return start(launch, account, OperatorAddresses.free());
  }

  /// The same at addresses that the test knows.
  OperatorProcess start(OperatorLaunch launch, OperatorAddresses addresses)
      throws IOException, InterruptedException {
    return start(launch, kubeconfig, addresses);
  }

  private OperatorProcess start(OperatorLaunch launch, Path account, OperatorAddresses addresses)
      throws IOException, InterruptedException {
    var operator = begin(launch, account, addresses);
    operator.awaitReady(addresses.readiness());
    return operator;
  }

  /// Starts an operator that may not live long enough to become ready.
  OperatorProcess begin(OperatorLaunch launch) throws IOException {
    return begin(launch, kubeconfig, OperatorAddresses.free());
  }

  /// The same with another account, at addresses that the test knows.
  OperatorProcess begin(OperatorLaunch launch, Path account, OperatorAddresses addresses)
      throws IOException {
    var operator =
        OperatorProcess.start(
            launch.commandLine(Launch.PROGRAM, account, addresses),
            Map.of(),
            LOGS.resolve("operator-%03d.log".formatted(LOG_NUMBER.incrementAndGet())));
    operators.add(operator);
    return operator;
  }

  /// Whether an operator was started and not stopped since.
  boolean hasOperator() {
    return !operators.isEmpty();
  }

  /// Ends all operators as `kill -9` does.
  void stopOperators() {
    operators.forEach(OperatorProcess::kill);
    operators.clear();
  }

  /// Ends all operators of this scene and empties the cluster.
  @Override
  public void close() {
    try (stage) {
      stopOperators();
      if (gate != null) {
        gate.close();
      }
      stage.reset();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the cluster was emptied", e);
    }
  }
}
