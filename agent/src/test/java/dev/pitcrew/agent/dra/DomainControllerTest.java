package dev.pitcrew.agent.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.cdi.CdiHook;
import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.cluster.FakeApiServer;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.dra.DomainState.Offer;
import dev.pitcrew.agent.dra.DraState.Serving;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.agent.dra.claims.TestClaim;
import dev.pitcrew.agent.dra.claims.plan.CheckpointText;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// When the driver for ComputeDomains is open. The node has no NVIDIA driver loaded.
class DomainControllerTest {
  private static final String BOOT = "aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb";

  private final AtomicReference<DomainState> state = new AtomicReference<>(DomainState.NONE);
  private final Path host;
  private final FakeApiServer fake;
  private final ApiServer server;

  DomainControllerTest(@TempDir Path folder) throws IOException {
    host = folder;
    fake = FakeApiServer.saying(folder, exchange -> FakeApiServer.text(exchange, 404, "{}"));
    server = fake.server();
    Path bootId = folder.resolve("proc/sys/kernel/random/boot_id");
    Files.createDirectories(bootId.getParent());
    Files.writeString(bootId, BOOT + "\n");
  }

  @AfterEach
  void close() {
    server.close();
    fake.close();
  }

  private DomainController controller() {
    var context =
        new AgentContext(
            new AgentContext.Identity("node-a", "agent-pod", "gpu-operator", "pitcrew-agent"),
            Credentials.of(URI.create("https://127.0.0.1:1"), host),
            new HostRoot(host),
            new AgentContext.Folders(
                host.resolve("kubelet"),
                AgentContext.KubeletRoot.of(host.resolve("kubelet")),
                host.resolve("cdi"),
                host.resolve("var/lib/pitcrew"),
                host.resolve("validations")),
            Optional.empty(),
            new BindAddress.Listen("127.0.0.1", 0),
            InstantSource.system());
    return new DomainController(
        context,
        server,
        new StateFolder(context.folders().state()),
        new InstalledHook(() -> CdiHook.installed(context), _ -> {}),
        new DraMetrics("node-a"),
        new DomainController.Reports(state::set, (_, _) -> {}, () -> {}));
  }

  private void reconcile(DomainController controller, boolean isOn) {
    controller.reconcile(new DomainController.Input(isOn, "", Optional.empty()));
  }

  private Path checkpoint() {
    return host.resolve("kubelet/plugins/compute-domain.nvidia.com/checkpoint.json");
  }

  /// With a claim whose preparation has begun.
  private String keepClaim(String boot) throws IOException {
    var claim = TestClaim.of(Facts.parse("{\"name\":\"c\",\"devices\":[],\"config\":[]}"), "uid-c");
    var entry = CheckpointText.Entry.of("uid-c", PreparedClaim.started(claim));
    String text = CheckpointText.of(List.of(entry), boot);
    Files.createDirectories(checkpoint().getParent());
    Files.writeString(checkpoint(), text);
    return text;
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(checkpoint().getParent())) {
      return files.map(it -> it.getFileName().toString()).sorted().toList();
    }
  }

  /// The kubelet plugin of NVIDIA's driver runs there: the agent neither reads its claims as its
  /// own nor empties its checkpoint after a boot.
  @Test
  void checkpointOfAnotherDriverIsLeftAlone() throws IOException {
    for (String boot : List.of(BOOT, "bbbbbbbb-1111-4222-8333-bbbbbbbbbbbb")) {
      String theirs = keepClaim(boot);
      try (var controller = controller()) {
        reconcile(controller, false);
      }
      assertThat(state.get().serving()).isEqualTo(new Serving.Off());
      assertThat(checkpoint()).hasContent(theirs);
      assertThat(files()).containsExactly("checkpoint.json");
    }
  }

  /// A node moves from the kubelet plugin of NVIDIA's driver to the agent, and back.
  @Test
  void checkpointOfADriverThatServesIsReadOnceThatIsGone() throws IOException {
    String theirs = keepClaim(BOOT);
    Path registry = Files.createDirectories(host.resolve("kubelet/plugins_registry"));
    Path socket = registry.resolve("compute-domain.nvidia.com-reg.sock");
    try (var controller = controller()) {
      try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        server.bind(UnixDomainSocketAddress.of(socket));
        reconcile(controller, true);
        assertThat(state.get().serving()).isInstanceOf(Serving.Blocked.class);
        assertThat(state.get().offer()).isEqualTo(Offer.NEVER);
        assertThat(checkpoint()).hasContent(theirs);
        assertThat(files()).containsExactly("checkpoint.json");
      }
      reconcile(controller, true);
      assertThat(state.get().serving()).isEqualTo(new Serving.Waiting());
      assertThat(files()).contains("dra.sock", "pu.lock");
      try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        Files.delete(socket);
        server.bind(UnixDomainSocketAddress.of(socket));
        reconcile(controller, false);
        assertThat(state.get().serving()).isInstanceOf(Serving.Blocked.class);
        assertThat(files()).doesNotContain("dra.sock");
        assertThat(socket).as("theirs").exists();
      }
    }
  }

  /// Also in the next agent. The pods of the claims have still to be unprepared.
  @Test
  void driverThatIsTurnedOffServesUntilItsLastClaimIsGone() throws IOException {
    try (var controller = controller()) {
      reconcile(controller, true);
      assertThat(state.get().serving()).isEqualTo(new Serving.Waiting());
    }
    keepClaim(BOOT);
    try (var controller = controller()) {
      reconcile(controller, false);
      assertThat(state.get().serving()).isEqualTo(new Serving.Waiting());
      assertThat(state.get().offer()).as("no claim may come").isEqualTo(Offer.WITHDRAWN);
      assertThat(files()).contains("dra.sock");
    }
    Files.delete(checkpoint());
    try (var controller = controller()) {
      reconcile(controller, false);
      assertThat(state.get().serving()).isEqualTo(new Serving.Off());
    }
    String theirs = keepClaim(BOOT);
    try (var controller = controller()) {
      reconcile(controller, false);
      assertThat(state.get().serving())
          .as("what comes now is not its own")
          .isEqualTo(new Serving.Off());
    }
    assertThat(checkpoint()).hasContent(theirs);
  }
}
