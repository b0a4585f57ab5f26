package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.log.Logging;
import dev.pitcrew.core.web.ReadinessCheck;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.client.ClientOptions;
import dev.pitcrew.kube.client.Clients;
import dev.pitcrew.kube.lease.LeaderElection;
import dev.pitcrew.kube.lease.LeaseOptions;
import dev.pitcrew.operator.command.OperatorOptions;
import dev.pitcrew.operator.command.OperatorProgram;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.operator.web.ManagementServer;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/// Runs the operator until it is asked to stop or loses the lease.
public final class OperatorRuntime implements OperatorProgram {
  /// The lease of the NVIDIA GPU Operator: the two operators never act at once.
  static final String LEASE = "53822513.nvidia.com";

  private static final Logger log = LoggerFactory.getLogger(OperatorRuntime.class);
  private static final int LOST_LEASE = 1;

  /// The client warns of every alpha version that it watches, our own included. Held here, or its
  /// level could be forgotten.
  private static final java.util.logging.Logger ALPHA_WARNINGS =
      java.util.logging.Logger.getLogger(
          "io.fabric8.kubernetes.client.dsl.internal.VersionUsageUtils");

  /// Every watch that is cut makes it warn twice, with a stack trace; our caches say themselves
  /// what they cannot read. Held here for the same reason.
  private static final java.util.logging.Logger WEBSOCKET_WARNINGS =
      java.util.logging.Logger.getLogger("io.fabric8.kubernetes.client.jdkhttp.JdkWebSocketImpl");

  private final Map<String, String> environment;

  public OperatorRuntime(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public int run(OperatorOptions options) {
    Logging.configure(options.logging(), OperatorRuntime::logContext);
    ALPHA_WARNINGS.setLevel(Level.SEVERE);
    WEBSOCKET_WARNINGS.setLevel(Level.SEVERE);
    var stop = new CountDownLatch(1);
    var stopped = new CountDownLatch(1);
    var exitCode = new AtomicInteger();
    var hook = new Thread(() -> stopAndWait(stop, stopped), "shutdown");
    Runtime.getRuntime().addShutdownHook(hook);
    try (KubernetesClient client = Clients.create(clientOptions(options))) {
      serve(options, client, stop, exitCode);
    } finally {
      stopped.countDown();
    }
    return exitCode.get();
  }

  private void serve(
      OperatorOptions options,
      KubernetesClient client,
      CountDownLatch stop,
      AtomicInteger exitCode) {
    InstantSource clock = InstantSource.system();
    var metrics = new OperatorMetrics();
    var writes = new Writes();
    var election = new AtomicReference<Optional<LeaderElection>>(Optional.empty());
    try (var controllers =
            new Controllers(
                client,
                options,
                environment,
                writes,
                metrics,
                () -> election.get().flatMap(LeaderElection::elsewhere),
                clock);
        var server =
            ManagementServer.start(
                options.addresses(),
                metrics,
                List.of(readiness(controllers), onlyInstallation(election::get)))) {
      controllers.watch();
      log.info("version: {}", Version.text());
      server.metricsAddress().ifPresent(address -> log.info("metrics on {}", address));
      lead(options, client, writes, controllers, metrics, stop, exitCode, election::set);
    }
  }

  private static void lead(
      OperatorOptions options,
      KubernetesClient client,
      Writes writes,
      Controllers controllers,
      OperatorMetrics metrics,
      CountDownLatch stop,
      AtomicInteger exitCode,
      Consumer<Optional<LeaderElection>> begun) {
    if (!options.leaderElection().enabled()) {
      metrics.controllers().isLeader(true);
      controllers.act();
      await(stop);
      return;
    }
    var settings = options.leaderElection();
    var lease =
        new LeaseOptions(
            settings.namespace(),
            LEASE,
            options.podName(),
            settings.leaseDuration(),
            settings.renewDeadline(),
            settings.retryPeriod());
    try (var election = new LeaderElection(client, writes, lease, InstantSource.system())) {
      begun.accept(Optional.of(election));
      election.start(
          () -> {
            metrics.controllers().isLeader(true);
            controllers.act();
          },
          () -> {
            log.error("lost the lease {}, ending", LEASE);
            exitCode.set(LOST_LEASE);
            stop.countDown();
          },
          controllers::otherInstallationChanged);
      await(stop);
      // The next leader may start at once, so nothing of ours may be under way then.
      controllers.rest();
    }
  }

  private static ReadinessCheck readiness(Controllers controllers) {
    return new ReadinessCheck(
        "caches",
        () -> {
          List<String> unsynced = controllers.unsynced();
          return unsynced.isEmpty()
              ? Optional.empty()
              : Optional.of("waiting for the API server to list " + String.join(", ", unsynced));
        });
  }

  private static ReadinessCheck onlyInstallation(Supplier<Optional<LeaderElection>> election) {
    return new ReadinessCheck(
        "installation",
        () ->
            election
                .get()
                .filter(it -> !it.isLeader())
                .flatMap(LeaderElection::elsewhere)
                .map(
                    "the operator in %s runs this cluster, and this one does nothing beside it: uninstall one of the two (`helm list -A`)"
                        ::formatted));
  }

  private static ClientOptions clientOptions(OperatorOptions options) {
    return options.kubeconfig().isEmpty()
        ? ClientOptions.automatic()
        : ClientOptions.from(Path.of(options.kubeconfig()));
  }

  private static Map<String, String> logContext() {
    return Objects.requireNonNullElse(MDC.getCopyOfContextMap(), Map.of());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void stopAndWait(CountDownLatch stop, CountDownLatch stopped) {
    stop.countDown();
    await(stopped);
  }
}
