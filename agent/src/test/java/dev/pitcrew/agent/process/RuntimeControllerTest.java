package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.runtime.RuntimeController;
import dev.pitcrew.agent.runtime.RuntimeState;
import dev.pitcrew.agent.runtime.RuntimeState.Phase;
import dev.pitcrew.agent.runtime.TestCri;
import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.agent.settings.RuntimeSettings;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// When a runtime is tried again that could not be restarted, as no process of the host listens at
/// its socket; and what is said of one that is left alone.
class RuntimeControllerTest {
  private static final RuntimeSettings SETTINGS =
      new RuntimeSettings(
          Optional.of(RuntimeKind.CONTAINERD),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.of(RestartMode.SIGNAL),
          List.of("nvidia"),
          true,
          true);

  @TempDir private Path folder;
  private final AtomicLong nanos = new AtomicLong();
  private final NodeStore store = new NodeStore(() -> NodeState.UNKNOWN, it -> it);
  private Path main;
  private RuntimeController concern;

  @BeforeEach
  void prepare() throws IOException {
    main = folder.resolve("etc/containerd/config.toml");
    Files.createDirectories(main.getParent());
    Files.writeString(main, "version = 3\n");
    Path state = folder.resolve("var/lib/pitcrew");
    var place =
        new AgentContext(
            new AgentContext.Identity("node-a", "agent-pod", "gpu-operator", "pitcrew-agent"),
            Credentials.of(URI.create("https://127.0.0.1:1"), folder),
            new HostRoot(folder),
            new AgentContext.Folders(
                folder.resolve("kubelet"),
                AgentContext.KubeletRoot.of(folder),
                folder.resolve("cdi"),
                state,
                folder.resolve("run")),
            Optional.empty(),
            new BindAddress.Listen("127.0.0.1", 0),
            InstantSource.system());
    concern = new RuntimeController(place, new StateFolder(state), store::runtime, nanos::get);
  }

  @Test
  void eachFailureDoublesThePauseUpToTenMinutes() throws Exception {
    for (long seconds : new long[] {30, 60, 120, 240, 480, 600, 600}) {
      assertThat(setUp()).isEqualTo(Duration.ofSeconds(seconds));
      assertThat(phase()).isEqualTo(Phase.NOT_BACK);
      pass(Duration.ofSeconds(seconds));
    }
  }

  @Test
  void changesOfTheNode_causeNoRestartBeforeItsTime() throws Exception {
    setUp();
    Files.delete(folder.resolve("var/lib/pitcrew/runtime/receipt.json"));
    pass(Duration.ofSeconds(10));
    assertThat(setUp()).isEqualTo(Duration.ofSeconds(20));
    assertThat(folder.resolve("var/lib/pitcrew/runtime/receipt.json")).doesNotExist();
  }

  @Test
  void anEditOfTheRuntimesFileIsTriedAtOnceAndBeginsTheCountAgain() throws Exception {
    setUp();
    pass(Duration.ofSeconds(30));
    assertThat(setUp()).isEqualTo(Duration.ofSeconds(60));
    Files.writeString(main, "version = 3\n# corrected\n");
    assertThat(setUp()).isEqualTo(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/var/lib/rancher/k3s/agent/etc/containerd/config.toml | /run/k3s/containerd/containerd.sock | k3s/agent/etc/containerd/config.toml.tmpl | systemctl restart k3s,",
        "/var/lib/rancher/rke2/agent/etc/containerd/config.toml | /run/k3s/containerd/containerd.sock | rke2/agent/etc/containerd/config.toml.tmpl | systemctl restart rke2-agent,",
        "/var/snap/microk8s/current/args/containerd.toml | /var/snap/microk8s/common/run/containerd.sock | /var/snap/microk8s/current/args/containerd-template.toml | snap restart microk8s.daemon-containerd",
        "/etc/containerd/config.toml | /run/containerd/containerd.sock | /etc/containerd/config.toml | systemctl restart containerd",
      })
  void aRuntimeThatIsLeftAloneAndTakesNoCdiNamesIsSaidWithItsRemedy(
      String config, String socket, String file, String restart) throws Exception {
    Path its = folder.resolve(config.substring(1));
    Files.createDirectories(its.getParent());
    Files.writeString(its, "version = 2\n");
    try (var _ = TestCri.start(folder.resolve(socket.substring(1)), false)) {
      assertThat(leaveAlone("cdi-annotations")).isEqualTo(Duration.ofSeconds(30));
      RuntimeState state = store.now().runtime().orElseThrow();
      assertThat(state.phase()).isEqualTo(Phase.CDI_DISABLED);
      assertThat(state.configFile()).isEqualTo(config);
      assertThat(state.message())
          .startsWith("the runtime is left alone: it is theirs")
          .contains("by cdi-annotations start without them", "enable_cdi = true", file, restart);
    }
    Files.deleteIfExists(folder.resolve(socket.substring(1)));
    try (var _ = TestCri.start(folder.resolve(socket.substring(1)), true)) {
      leaveAlone("cdi-annotations");
      assertThat(phase()).isEqualTo(Phase.LEFT_ALONE);
    }
  }

  @Test
  void withoutCdiNamesInUseItDoesNotMatterWhetherTheRuntimeTakesThem() throws Exception {
    try (var _ = TestCri.start(folder.resolve("run/containerd/containerd.sock"), false)) {
      leaveAlone();
      assertThat(phase()).isEqualTo(Phase.LEFT_ALONE);
    }
  }

  @Test
  void aRuntimeThatDoesNotAnswerIsNotAccused() throws Exception {
    leaveAlone("cdi-cri");
    assertThat(phase()).isEqualTo(Phase.LEFT_ALONE);
  }

  private Duration leaveAlone(String... byCdi) throws InterruptedException {
    return concern.setUp(SETTINGS, Optional.of("it is theirs"), List.of(byCdi));
  }

  private Duration setUp() throws InterruptedException {
    return concern.setUp(SETTINGS, Optional.empty(), List.of("cdi-cri"));
  }

  private Phase phase() {
    return store.now().runtime().orElseThrow().phase();
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }
}
