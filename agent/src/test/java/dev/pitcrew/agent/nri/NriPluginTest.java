package dev.pitcrew.agent.nri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.agent.nri.NriState.Reason;
import dev.pitcrew.agent.nri.TestRuntime.Conversation;
import dev.pitcrew.agent.nri.plan.ContainerRules;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.nri.api.CDIDevice;
import dev.pitcrew.nri.api.Container;
import dev.pitcrew.nri.api.CreateContainerRequest;
import dev.pitcrew.nri.api.CreateContainerResponse;
import dev.pitcrew.nri.api.LinuxContainer;
import dev.pitcrew.nri.api.LinuxNamespace;
import dev.pitcrew.nri.api.Mount;
import dev.pitcrew.nri.api.PodSandbox;
import dev.pitcrew.nri.ttrpc.Response;
import dev.pitcrew.nri.ttrpc.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The plugin at the socket of a runtime that does well or badly.
class NriPluginTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration NEVER = Duration.ofMinutes(10);
  private static final int CREATE_CONTAINER_BIT = 1 << 3;
  private static final LinuxContainer USER_NAMESPACE =
      LinuxContainer.newBuilder()
          .addNamespaces(LinuxNamespace.newBuilder().setType("user"))
          .build();
  private static final String LIBRARY = "/usr/lib/libcuda.so.1";
  private static final ContainerEdits.Mount FILE =
      new ContainerEdits.Mount("/run/nvidia/driver" + LIBRARY, LIBRARY, List.of("ro", "rbind"));

  private final List<NriState> states = new CopyOnWriteArrayList<>();
  private final List<String> skipped = new CopyOnWriteArrayList<>();
  private final ContainerDevices devices = new ContainerDevices(skipped::add);
  private final Path host;
  private final Path socket;

  NriPluginTest(@TempDir Path host) throws IOException {
    this.host = host;
    socket = Files.createDirectories(host.resolve("run/nri")).resolve("nri.sock");
  }

  @BeforeEach
  void knowDevices() {
    devices.are(
        ContainerRules.standard("gpu-operator"),
        new KnownDevices(
            Set.of("0", "all"),
            Set.of(),
            true,
            Map.of(
                "runtime.nvidia.com/gpu=0",
                List.of(FILE),
                "runtime.nvidia.com/gpu=all",
                List.of(FILE))));
  }

  @AfterEach
  void nothingWasSkipped() {
    assertThat(skipped).isEmpty();
  }

  @Test
  void aContainerOfAnNvidiaHandlerGetsItsDevices() throws IOException {
    try (var runtime = TestRuntime.at(socket);
        var _ = start(NEVER);
        var talk = new Conversation(new Multiplexer(runtime.accept()))) {
      var registered = talk.register();
      assertThat(registered.getPluginName()).isEqualTo(NriPlugin.NAME);
      assertThat(registered.getPluginIdx()).isEqualTo("10");
      assertThat(talk.configure()).isEqualTo(CREATE_CONTAINER_BIT);

      assertThat(injected(talk.call("CreateContainer", asking("all"))))
          .containsExactly("runtime.nvidia.com/gpu=all");
      assertThat(injected(talk.call("CreateContainer", asking("void")))).isEmpty();
      var refused = talk.call("CreateContainer", asking("7"));
      assertThat(refused.getStatus().getCode()).isNotZero();
      assertThat(refused.getStatus().getMessage()).contains("'7'", "it has 0, all");
    }
  }

  /// The runtime idmaps the mounts of CDI devices there, which the kernel refuses for an overlayfs.
  @Test
  void aContainerInAUserNamespaceGetsTheDriversFilesWithoutIdMapping() throws IOException {
    try (var runtime = TestRuntime.at(socket);
        var _ = start(NEVER);
        var talk = runtime.admit()) {
      var byVariable = asking("all").toBuilder();
      byVariable.getContainerBuilder().setLinux(USER_NAMESPACE);
      var answer = talk.call("CreateContainer", byVariable.build());
      assertThat(injected(answer)).containsExactly("runtime.nvidia.com/gpu=all");
      assertThat(mounts(answer)).containsExactly(bind(FILE.hostPath(), LIBRARY, "ro", "rbind"));

      var byKubelet = asking("void").toBuilder();
      byKubelet
          .getContainerBuilder()
          .setLinux(USER_NAMESPACE)
          .addMounts(bind("/home/data", "/data", "rbind", "ridmap"))
          .addMounts(bind(FILE.hostPath(), "/of/the/pod", "ro", "rbind", "ridmap"))
          .addMounts(bind(FILE.hostPath(), LIBRARY, "ro", "rbind", "ridmap"))
          .addCDIDevices(CDIDevice.newBuilder().setName("k8s.device-plugin.nvidia.com/gpu=GPU-a"));
      answer = talk.call("CreateContainer", byKubelet.build());
      assertThat(injected(answer)).isEmpty();
      assertThat(mounts(answer)).containsExactly(bind(FILE.hostPath(), LIBRARY, "ro", "rbind"));

      assertThat(mounts(talk.call("CreateContainer", asking("all")))).isEmpty();
    }
  }

  @Test
  void aRequestLargerThanAnySocketBufferIsAnswered() throws IOException {
    try (var runtime = TestRuntime.at(socket);
        var _ = start(NEVER);
        var talk = runtime.admit()) {
      var large = asking("0").toBuilder();
      large.getContainerBuilder().addEnv("LARGE=" + "x".repeat(1 << 20));
      assertThat(injected(talk.call("CreateContainer", large.build())))
          .containsExactly("runtime.nvidia.com/gpu=0");
    }
  }

  @Test
  void unknownCall_isRefused_andTheNextIsAnswered() throws IOException {
    try (var runtime = TestRuntime.at(socket);
        var _ = start(NEVER);
        var talk = runtime.admit()) {
      var garbage = ByteString.copyFromUtf8("\u0000garbage");
      assertThat(talk.call("nri.pkg.api.v1alpha1.Plugin", "CreateContainer", garbage))
          .matches(answer -> answer.getStatus().getCode() != 0);
      assertThat(talk.call("other.Service", "CreateContainer", ByteString.EMPTY))
          .matches(answer -> answer.getStatus().getCode() != 0);
      assertThat(talk.call("PostCreateContainer", asking("0")))
          .matches(answer -> answer.getStatus().getCode() != 0);
      assertThat(talk.call("StateChange", asking("0")).getStatus().getCode()).isZero();
      assertThat(injected(talk.call("CreateContainer", asking("0")))).hasSize(1);
    }
  }

  @Test
  void aSocketThatAppearsIsNoticedAtOnce() throws IOException {
    try (var _ = start(NEVER)) {
      awaitState(Reason.NOT_SERVED);
      try (var runtime = TestRuntime.at(socket);
          var _ = runtime.admit()) {
        awaitState(Reason.SERVED);
      }
    }
    assertThat(states.getFirst().message()).contains("/run/nri/nri.sock", "disabled_plugins");
  }

  /// Debian's and Docker's packages have names of their own for a version.
  @ParameterizedTest
  @CsvSource({
    "v1.7.24, NriWithoutCdi",
    "1.7.24~ds1, NriWithoutCdi",
    "v1.7.29, NriWithoutCdi",
    "v1.7.30, NriServed",
    "v2.0.14, NriWithoutCdi",
    "v2.1.3, NriServed",
    "v2.4.1, NriServed",
    "unknown, NriServed"
  })
  void aContainerdThatDropsTheDevicesOfPluginsIsSaid(String version, String reason)
      throws IOException {
    try (var runtime = TestRuntime.at(socket);
        var _ = start(NEVER);
        var _ = runtime.admit(version)) {
      await().atMost(LIMIT).until(() -> !states.isEmpty());
      assertThat(states.getFirst().reason().text()).isEqualTo(reason);
      assertThat(states.getFirst().message()).contains("containerd " + version);
    }
  }

  @Test
  void restartedRuntime_isServedAgain() throws IOException {
    try (var _ = start(NEVER)) {
      try (var runtime = TestRuntime.at(socket);
          var _ = runtime.admit()) {
        awaitState(Reason.SERVED);
      }
      awaitState(Reason.CLOSED);
      states.clear();
      try (var runtime = TestRuntime.at(socket);
          var talk = runtime.admit()) {
        awaitState(Reason.SERVED);
        assertThat(injected(talk.call("CreateContainer", asking("0")))).hasSize(1);
      }
    }
  }

  @Test
  void aRuntimeThatSaysNothingIsLeftAndTriedAgain() throws IOException {
    try (var runtime = TestRuntime.at(socket);
        var _ = start(Duration.ofMillis(200));
        var _ = runtime.accept()) {
      awaitState(Reason.SILENT);
      try (var _ = runtime.admit()) {
        awaitState(Reason.SERVED);
      }
    }
  }

  @Test
  void aRuntimeThatRefusesSaysWhy() throws IOException {
    var no = Status.newBuilder().setCode(3).setMessage("no plugins today").build();
    try (var runtime = TestRuntime.at(socket);
        var _ = start(NEVER);
        var talk = new Conversation(new Multiplexer(runtime.accept()))) {
      talk.refuse(no);
      awaitState(Reason.REFUSED);
    }
    assertThat(states.getFirst().message()).contains("no plugins today");
  }

  @Test
  void aRuntimeThatSpeaksAnotherProtocolIsLeft() throws IOException {
    try (var runtime = TestRuntime.at(socket);
        var _ = start(NEVER);
        var other = runtime.accept()) {
      other.write(
          ByteBuffer.wrap("HTTP/1.1 400 Bad Request\r\n".getBytes(StandardCharsets.US_ASCII)));
      awaitState(Reason.REFUSED);
    }
  }

  @Test
  void socketWithoutAListener_isRefused() throws IOException {
    var runtime = TestRuntime.at(socket);
    Path kept = Files.createLink(host.resolve("kept"), socket);
    runtime.close();
    Files.move(kept, socket);
    try (var _ = start(NEVER)) {
      awaitState(Reason.REFUSED);
    }
  }

  private NriPlugin start(Duration untilServed) {
    var door = new NriPlugin.Door(new HostRoot(host), "/run/nri/nri.sock", "10");
    return NriPlugin.start(door, devices, states::add, untilServed);
  }

  private void awaitState(Reason reason) {
    await(reason.text())
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(states).extracting(NriState::reason).contains(reason));
  }

  private static List<String> injected(Response response) throws IOException {
    assertThat(response.getStatus().getCode()).isZero();
    return CreateContainerResponse.parseFrom(response.getPayload())
        .getAdjust()
        .getCDIDevicesList()
        .stream()
        .map(CDIDevice::getName)
        .toList();
  }

  private static List<Mount> mounts(Response response) throws IOException {
    return CreateContainerResponse.parseFrom(response.getPayload()).getAdjust().getMountsList();
  }

  private static Mount bind(String source, String target, String... options) {
    return Mount.newBuilder()
        .setType("bind")
        .setSource(source)
        .setDestination(target)
        .addAllOptions(List.of(options))
        .build();
  }

  private static CreateContainerRequest asking(String devices) {
    return CreateContainerRequest.newBuilder()
        .setPod(
            PodSandbox.newBuilder()
                .setName("train")
                .setNamespace("team-a")
                .setRuntimeHandler("nvidia"))
        .setContainer(
            Container.newBuilder()
                .setName("cuda")
                .addEnv("PATH=/bin")
                .addEnv("NVIDIA_VISIBLE_DEVICES=" + devices))
        .build();
  }
}
