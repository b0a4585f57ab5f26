package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.DriverPod;
import dev.pitcrew.operator.upgrade.DriverPod.Trouble;
import dev.pitcrew.operator.upgrade.DriverPod.Trouble.Kind;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What holds a driver pod up, by what its containers have said and what the Node says.
class DriverPodReadingTest {
  private static final String RUNNING = "{running: {startedAt: '2026-11-22T08:00:00Z'}}";
  private static final String DONE = "{terminated: {exitCode: 0, message: fine}}";
  private static final String PULLING =
      "{waiting: {reason: ImagePullBackOff, message: 'Back-off pulling image x'}}";
  private static final String CRASHING =
      "{waiting: {reason: CrashLoopBackOff, message: 'back-off 10s restarting'}}";
  private static final String NONE = "{}";
  private static final String WORDS =
      "{terminated: {exitCode: 1, message: \"INFO unloading\\nmodule nvidia is wedged\\n\"}}";
  private static final String WORDLESS = "{terminated: {exitCode: 137, reason: OOMKilled}}";

  private record States(String now, String before, boolean isReady) {}

  /// @param manager state of the first container, and how it ended before
  /// @param driver state of the driver's own container, and how it ended before
  /// @param waits what the Node says; empty for nothing
  record Row(
      String title, States manager, States driver, String waits, Optional<Trouble> expected) {
    @Override
    public String toString() {
      return title;
    }
  }

  @ParameterizedTest
  @MethodSource
  void aPodIsHeldUpBy(Row row) {
    Pod slim = SlimPods.operand(pod(row));

    DriverPod read =
        DriverPodReading.read(
            slim, daemonSet(), false, Optional.of(row.waits()).filter(it -> !it.isEmpty()));

    assertThat(read.trouble()).isEqualTo(row.expected());
  }

  @ParameterizedTest(name = "Ready: {0}")
  @CsvSource({"True, 2026-11-22T08:00:00Z", "False, ''"})
  void readyPod_hasTheTimeSinceWhenItIsReady(String status, String since) {
    Pod pod =
        new PodBuilder(pod(new Row("", states(DONE, NONE), waiting(), "", Optional.empty())))
            .editStatus()
            .withConditions(
                new PodConditionBuilder()
                    .withType("Ready")
                    .withStatus(status)
                    .withLastTransitionTime("2026-11-22T08:00:00Z")
                    .build())
            .endStatus()
            .build();

    assertThat(
            DriverPodReading.read(SlimPods.operand(pod), daemonSet(), false, Optional.empty())
                .readySince()
                .map(Instant::toString)
                .orElse(""))
        .isEqualTo(since);
  }

  static Stream<Row> aPodIsHeldUpBy() {
    return Stream.of(
        row(
            "a manager that waits",
            states(RUNNING, NONE),
            waiting(),
            "pod a/b",
            manager("pod a/b")),
        row(
            "a manager that has begun",
            states(RUNNING, NONE),
            waiting(),
            "",
            new Trouble(Kind.MANAGER_AT_WORK, "container k8s-driver-manager is not done yet")),
        row(
            "a manager that is tried again",
            states(RUNNING, WORDS),
            waiting(),
            "",
            manager("module nvidia is wedged")),
        row(
            "a manager that refuses",
            states(CRASHING, WORDS),
            waiting(),
            "pod a/b, before it was killed",
            manager("module nvidia is wedged")),
        row(
            "a manager that has just refused",
            states(WORDS, NONE),
            waiting(),
            "",
            manager("module nvidia is wedged")),
        row(
            "a manager that was killed",
            states(CRASHING, WORDLESS),
            waiting(),
            "pod a/b",
            new Trouble(
                Kind.MANAGER_FAILED,
                "container k8s-driver-manager: CrashLoopBackOff: back-off 10s restarting")),
        row(
            "a manager without an image",
            states(PULLING, NONE),
            waiting(),
            "",
            stuck("container k8s-driver-manager: ImagePullBackOff: Back-off pulling image x")),
        row(
            "a manager whose image has gone",
            states(PULLING, WORDS),
            waiting(),
            "",
            stuck("container k8s-driver-manager: ImagePullBackOff: Back-off pulling image x")),
        row(
            "a driver without an image",
            states(DONE, WORDS),
            states(PULLING, NONE),
            "pod a/b, before it was done",
            stuck("container nvidia-driver-ctr: ImagePullBackOff: Back-off pulling image x")),
        row(
            "a driver that crashes",
            states(DONE, NONE),
            states(CRASHING, WORDS),
            "",
            stuck("container nvidia-driver-ctr: CrashLoopBackOff: module nvidia is wedged")),
        new Row(
            "nothing",
            states(DONE, NONE),
            new States("{running: {}}", NONE, true),
            "pod a/b",
            Optional.empty()));
  }

  private static Row row(
      String title, States manager, States driver, String waits, Trouble expected) {
    return new Row(title, manager, driver, waits, Optional.of(expected));
  }

  private static States states(String now, String before) {
    return new States(now, before, false);
  }

  private static States waiting() {
    return states("{waiting: {reason: PodInitializing}}", NONE);
  }

  private static Trouble manager(String words) {
    return new Trouble(Kind.MANAGER, words);
  }

  private static Trouble stuck(String words) {
    return new Trouble(Kind.STUCK, words);
  }

  private static DaemonSet daemonSet() {
    return Serialization.unmarshal(
        """
        metadata: {name: d, uid: d-1}
        spec: {template: {spec: {containers: []}}}
        """,
        DaemonSet.class);
  }

  private static Pod pod(Row row) {
    return Serialization.unmarshal(
        """
        metadata: {name: p, namespace: n, uid: p-1}
        spec: {nodeName: n1, containers: [{name: nvidia-driver-ctr}]}
        status:
          phase: Pending
          conditions: [{type: Ready, status: '%s'}]
          initContainerStatuses: [%s]
          containerStatuses: [%s]
        """
            .formatted(
                row.driver().isReady() ? "True" : "False",
                status("k8s-driver-manager", row.manager()),
                status("nvidia-driver-ctr", row.driver())),
        Pod.class);
  }

  private static String status(String name, States states) {
    return "{name: %s, ready: %b, restartCount: 1, state: %s, lastState: %s}"
        .formatted(name, states.isReady(), states.now(), states.before());
  }
}
