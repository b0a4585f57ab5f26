package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClassBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// `pitcrew runtime` on a node with a real containerd: a handler comes, a pod of its class runs,
/// and the files are as before once the setup is undone.
@WithGpuNode
class RuntimeOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String HANDLER = "pitcrew-test";
  private static final String FOLDER = "/etc/containerd";
  private static final String MAIN = FOLDER + "/config.toml";

  private final GpuNode node;

  RuntimeOnNodeTest(GpuNode node) {
    this.node = node;
  }

  @AfterEach
  void undo() {
    run("undo");
  }

  @Test
  void aHandlerComesAPodOfItsClassRunsAndNoByteIsLeft() throws IOException {
    var runtimeClass = new RuntimeClassBuilder().withNewMetadata().withName(HANDLER).endMetadata();
    node.client().resource(runtimeClass.withHandler(HANDLER).build()).serverSideApply();
    Map<String, String> before = files();
    String plan = run("plan");
    System.out.println(plan);
    assertThat(plan).contains("+++ /etc/containerd/conf.d/99-pitcrew.toml", "runtimes." + HANDLER);
    assertThat(files()).isEqualTo(before);

    assertThat(run("apply")).contains("containerd has the handlers " + HANDLER);
    assertThat(run("apply")).contains("containerd has the handlers " + HANDLER);
    assertThat(run("plan")).contains("Nothing is to be written.");
    try (var pod = node.run(ProbePodSpec.on(node.node()).withRuntimeClass(HANDLER))) {
      assertThat(pod.words()).isNotEmpty();
    }

    assertThat(run("undo")).contains("nothing of the agent's");
    assertThat(files()).isEqualTo(before);
    assertThat(node.node().exec("containerd", "config", "dump").output()).doesNotContain(HANDLER);
  }

  @Test
  void configurationThatContainerdRefuses_isNotWritten_andContainerdContinues() throws IOException {
    Path main = node.node().path(MAIN);
    String right = Files.readString(main);
    try {
      Files.writeString(main, right + "\n[plugins.'io.containerd.cri.v1.runtime'.cni]\n");
      Map<String, String> before = files();
      assertThat(run("apply")).contains("/etc/containerd/config.toml:");
      assertThat(files()).isEqualTo(before);
      assertThat(node.node().exec("ctr", "version").succeeded()).isTrue();
    } finally {
      Files.writeString(main, right);
    }
  }

  /// As it is typed on a node; both streams.
  private String run(String action) {
    var process =
        node.jvm()
            .start(
                node.node(),
                "pitcrew-runtime",
                JvmOnNode.Surroundings.PLAIN,
                List.of(
                    "runtime",
                    action,
                    "--handler=" + HANDLER,
                    "--state-dir=/var/lib/pitcrew-test"));
    await(action).atMost(LIMIT).until(() -> !process.isAlive());
    return process.logTail();
  }

  private Map<String, String> files() throws IOException {
    var files = new TreeMap<String, String>();
    var folders = new ArrayList<>(List.of(node.node().path(FOLDER)));
    while (!folders.isEmpty()) {
      try (var entries = Files.newDirectoryStream(folders.removeFirst())) {
        for (Path entry : entries) {
          if (Files.isDirectory(entry)) {
            folders.add(entry);
          } else {
            files.put(entry.toString(), Files.readString(entry));
          }
        }
      }
    }
    return files;
  }
}
