package dev.pitcrew.testbed.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.operator.OperatorProgram;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// With a script in the place of the program, which does what its last argument says.
@WithControlPlane
class ProcessKubeletTest {
  private static final String SCRIPT =
      """
      #!/bin/sh
      for last; do :; done
      echo "greeting: $GREETING"
      if [ "$last" = wait ]; then
        trap 'echo terminated; exit 0' TERM
        while :; do /bin/sleep 60 & wait; done # which may be terminated first
      fi
      exit "$last"
      """;

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private @TempDir Path folder = Path.of("");
  private String namespace = "";
  private ProcessKubelet kubelet;

  ProcessKubeletTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
  }

  @BeforeEach
  void start(TestNamespace place) throws IOException {
    namespace = place.name();
    var script = Files.writeString(folder.resolve("program"), SCRIPT);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    var program = new OperatorProgram(script, folder.resolve("flags"), List.of(), "none");
    kubelet = new ProcessKubelet(controlPlane, "real", List.of(), program, folder);
    client
        .serviceAccounts()
        .inNamespace(namespace)
        .withName("default")
        .waitUntilCondition(Objects::nonNull, 90, TimeUnit.SECONDS);
  }

  @AfterEach
  void stop() {
    kubelet.close();
  }

  @Test
  void aJobIsDoneWhenItsProcessIs() throws IOException {
    var job = awaitEnd(create(pod("Never", "0")));

    assertThat(job.getStatus().getSucceeded()).isEqualTo(1);
    assertThat(kubelet.log(pods().getFirst())).contains("greeting: hello");
  }

  @Test
  void aProcessThatFailsFailsItsPodWhichStays() {
    var job = awaitEnd(create(pod("Never", "3")));

    assertThat(job.getStatus().getFailed()).isEqualTo(1);
    assertThat(pods())
        .singleElement()
        .satisfies(pod -> {
          assertThat(pod.getStatus().getPhase()).isEqualTo("Failed");
          var state = pod.getStatus().getContainerStatuses().getFirst().getState();
          assertThat(state.getTerminated().getExitCode()).isEqualTo(3);
        });
  }

  @Test
  void aProcessIsStartedAgainIfItsPodSaysSo() {
    var job = awaitEnd(create(pod("OnFailure", "3")));

    assertThat(job.getStatus().getFailed()).isEqualTo(1);
    assertThat(folder).isDirectoryContaining(file -> file.toString().endsWith("-1.log"));
  }

  @Test
  void aDeletedPodTakesItsProcessWithIt() throws IOException {
    create(pod("Never", "wait"));
    var pod =
        client
            .pods()
            .inNamespace(namespace)
            .waitUntilCondition(ProcessKubeletTest::isRunning, 90, TimeUnit.SECONDS);

    client.batch().v1().jobs().inNamespace(namespace).delete();

    client.resource(pod).waitUntilCondition(Objects::isNull, 90, TimeUnit.SECONDS);
    assertThat(kubelet.log(pod)).contains("terminated");
  }

  private static boolean isRunning(Pod pod) {
    return pod != null && pod.getStatus().getPhase().equals("Running");
  }

  private List<Pod> pods() {
    return client.pods().inNamespace(namespace).list().getItems();
  }

  private Job create(PodTemplateSpec pod) {
    var job =
        new JobBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName("job")
            .endMetadata()
            .withNewSpec()
            .withBackoffLimit(pod.getSpec().getRestartPolicy().equals("Never") ? 0 : 1)
            .withTemplate(pod)
            .endSpec()
            .build();
    return client.resource(job).create();
  }

  private Job awaitEnd(Job job) {
    return client
        .resource(job)
        .waitUntilCondition(ProcessKubeletTest::hasEnded, 30, TimeUnit.SECONDS);
  }

  private static boolean hasEnded(Job job) {
    return job.getStatus().getConditions().stream()
        .anyMatch(condition -> List.of("Complete", "Failed").contains(condition.getType()));
  }

  private static PodTemplateSpec pod(String restartPolicy, String argument) {
    return new PodTemplateSpecBuilder()
        .withNewSpec()
        .withRestartPolicy(restartPolicy)
        .withNodeSelector(Map.of("kubernetes.io/hostname", "real-1"))
        .addNewContainer()
        .withName("main")
        .withImage("image:1")
        .withArgs(argument)
        .addNewEnv()
        .withName("GREETING")
        .withValue("hello")
        .endEnv()
        .endContainer()
        .endSpec()
        .build();
  }
}
