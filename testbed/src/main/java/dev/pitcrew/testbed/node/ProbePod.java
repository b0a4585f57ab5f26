package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.TestbedException;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// A pod of our probe program, which prints what its container sees. Closing it returns when it is
/// gone.
public record ProbePod(KubernetesClient client, String name) implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String LAST_WORD = "done";
  private static final String VARIABLE = "env %s=";

  /// Makes the pod, and does not wait for anything.
  public static ProbePod create(KubernetesClient client, ProbePodSpec spec) {
    return new ProbePod(client, client.resource(spec.pod()).create().getMetadata().getName());
  }

  /// Returns when the container runs.
  ///
  /// @throws TestbedException if it does not within a minute, with what keeps it
  public static ProbePod run(KubernetesClient client, ProbePodSpec spec) {
    return create(client, spec).await(ProbePod::isRunning);
  }

  /// Returns when the pod is as wanted.
  ///
  /// @throws TestbedException if it is not within a minute, with what keeps it
  public ProbePod await(Predicate<Pod> condition) {
    try {
      resource()
          .waitUntilCondition(
              pod -> pod != null && condition.test(pod), LIMIT.toSeconds(), TimeUnit.SECONDS);
      return this;
    } catch (KubernetesClientTimeoutException e) {
      throw new TestbedException(
          "pod %s is not as wanted within %d s: %s".formatted(name, LIMIT.toSeconds(), status()),
          e);
    }
  }

  private String status() {
    var pod = resource().get();
    return pod == null
        ? "it is gone"
        : PodTrouble.of(pod)
            .map(PodTrouble::toString)
            .orElseGet(() -> String.valueOf(pod.getStatus()));
  }

  /// As the API server shows it now.
  public Pod current() {
    return resource().require();
  }

  /// The pod's only container, which has been started at least once.
  public ContainerStatus container() {
    return containerOf(current());
  }

  public String address() {
    return current().getStatus().getPodIP();
  }

  public boolean isRunning() {
    return isRunning(current());
  }

  /// All that the program says, up to `done`; waits for what it has not said yet.
  public List<String> words() {
    var words = new ArrayList<String>();
    try (var log = resource().watchLog();
        var reader =
            new BufferedReader(
                new InputStreamReader(
                    Objects.requireNonNull(log.getOutput()), StandardCharsets.UTF_8))) {
      for (var line = reader.readLine(); line != null; line = reader.readLine()) {
        words.add(line);
        if (line.equals(LAST_WORD)) {
          break;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("read the log of pod " + name, e);
    }
    return words;
  }

  /// The value of an environment variable of the container.
  public Optional<String> variable(String variable) {
    var start = VARIABLE.formatted(variable);
    return words().stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .findFirst();
  }

  /// The device files of the container, such as `/dev/null`.
  public List<String> devices() {
    return words().stream()
        .filter(line -> line.startsWith("device "))
        .map(line -> line.split(" ", -1)[1])
        .toList();
  }

  /// Whether the pod's only container runs, after as many restarts as there were.
  public static boolean isRunning(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase()) && containerOf(pod).getReady();
  }

  /// Of a pod whose container has been started at least once.
  public static ContainerStatus containerOf(Pod pod) {
    return pod.getStatus().getContainerStatuses().getFirst();
  }

  private PodResource resource() {
    return client.pods().inNamespace(ProbePodSpec.NAMESPACE).withName(name);
  }

  @Override
  public void close() {
    resource().withGracePeriod(0).delete();
    resource().waitUntilCondition(Objects::isNull, LIMIT.toSeconds(), TimeUnit.SECONDS);
  }
}
