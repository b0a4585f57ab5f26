package dev.pitcrew.agent.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.cdi.ContainerEdits.DeviceNodeEdit;
import dev.pitcrew.agent.cdi.ContainerEdits.Hook;
import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNode;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.driver.DriverFile;
import dev.pitcrew.hardware.driver.DriverFiles;
import dev.pitcrew.hardware.driver.DriverLibrary;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.driver.Link;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// What is in which specification.
class CdiSpecificationsTest {
  private static final String LIBRARY = "/usr/lib64/libcuda.so." + Node.DRIVER;

  private static DriverFile file(String path) {
    return new DriverFile(path, path);
  }

  private static final DriverFiles DRIVER =
      new DriverFiles(
          Node.DRIVER,
          List.of("/usr/lib64"),
          List.of(
              new DriverLibrary(
                  file(LIBRARY), List.of(new Link("libcuda.so.1", "/usr/lib64/libcuda.so")))),
          List.of(new DriverLibrary(file("/usr/lib64/libGL.so"), List.of())),
          new DriverFiles.Graphics(List.of(file("/usr/share/nvidia/nvoptix.bin")), List.of()),
          List.of(),
          List.of(file("/usr/bin/nvidia-smi")),
          List.of(file("/run/nvidia-persistenced/socket")),
          List.of(file("/run/udev"), file("/etc/cufile.json")));

  private static DeviceNode node(String path) {
    return new DeviceNode(path, 195, 7, 0666, 0);
  }

  private static DeviceNodes nodes(String... paths) {
    return new DeviceNodes(
        Arrays.stream(paths).map(CdiSpecificationsTest::node).toList(), Map.of(), List.of());
  }

  private static CdiInput input(Inventory inventory, DeviceNodes nodes) {
    HostRoot root = new HostRoot(Path.of("/nowhere"));
    return new CdiInput(
        inventory, new DriverRoot(root, "/", root, "/"), Optional.of(DRIVER), nodes);
  }

  private static CdiSpecification only(CdiInput input, CdiOptions options) {
    var made = CdiSpecifications.generate(input, options).specifications();
    assertThat(made).hasSize(1);
    return made.getFirst();
  }

  private static List<String> paths(ContainerEdits edits) {
    return edits.deviceNodes().stream().map(DeviceNodeEdit::path).toList();
  }

  @Test
  void driverOnTheHostNeedsNoHostPaths() {
    var specification = only(input(Node.withGpus(1), nodes("/dev/nvidia0")), CdiOptions.ofPlugin());
    assertThat(specification.devices().getFirst().edits().deviceNodes().getFirst().hostPath())
        .isEmpty();
    assertThat(MinimumVersion.of(specification)).isEqualTo("0.3.0");
  }

  @Test
  void gpuWithoutItsNodeIsLeftOutAndSaid() {
    var input = input(Node.withGpus(2), nodes("/dev/nvidia1"));
    var generated = CdiSpecifications.generate(input, CdiOptions.ofPlugin());
    assertThat(generated.specifications().getFirst().devices())
        .extracting(CdiDevice::name)
        .containsExactly(Node.uuid(1));
    assertThat(generated.omissions())
        .extracting(CdiSpecifications.Omission::text)
        .containsExactly(Node.uuid(0) + " is left out: /dev/nvidia0 is missing");
  }

  @Test
  void migDeviceWithoutCapabilitiesIsLeftOut() {
    var inventory =
        Node.inventory(
            List.of(Node.gpu(0, Node.divided(Node.mig(0, "MIG-a", "", Optional.empty())))));
    var generated =
        CdiSpecifications.generate(input(inventory, nodes("/dev/nvidia0")), CdiOptions.ofPlugin());
    assertThat(generated.specifications()).isEmpty();
    assertThat(generated.omissions()).hasSize(2).first().asString().contains("MIG-a");
  }

  @ParameterizedTest
  @CsvSource({"'', false", "+gfx, true", "+me, false"})
  void onlyGraphicsProfilesGetTheDisplay(String attribute, boolean hasDisplay) {
    var capabilities = Optional.of(new MigCapabilities(12, 13));
    var device = Node.mig(0, "MIG-a", attribute, capabilities);
    var there =
        nodes(
            "/dev/nvidia0",
            "/dev/nvidia-caps/nvidia-cap12",
            "/dev/nvidia-caps/nvidia-cap13",
            "/dev/dri/card0");
    var nodes =
        new DeviceNodes(
            there.nodes(), Map.of(Node.pciAddress(0), List.of("/dev/dri/card0")), List.of());
    var inventory = Node.inventory(List.of(Node.gpu(0, Node.divided(device))));

    var made = only(input(inventory, nodes), CdiOptions.ofPlugin()).devices().getFirst();

    assertThat(made.name()).isEqualTo("MIG-a");
    assertThat(paths(made.edits()).contains("/dev/dri/card0")).isEqualTo(hasDisplay);
  }

  @Test
  void displayLinksAreMadeForTheNodesThatAreGiven() {
    var nodes =
        new DeviceNodes(
            nodes("/dev/nvidia0", "/dev/dri/card1", "/dev/dri/card2").nodes(),
            Map.of(Node.pciAddress(0), List.of("/dev/dri/card1")),
            List.of(
                new Link("../card1", "/dev/dri/by-path/pci-0000:00:00.0-card"),
                new Link("../card2", "/dev/dri/by-path/pci-0000:09:00.0-card")));
    var edits =
        only(input(Node.withGpus(1), nodes), CdiOptions.ofPlugin()).devices().getFirst().edits();
    assertThat(paths(edits)).containsExactly("/dev/nvidia0", "/dev/dri/card1");
    assertThat(edits.hooks().getFirst().args())
        .containsExactly(
            "nvidia-ctk",
            "hook",
            "create-symlinks",
            "--link",
            "../card1::/dev/dri/by-path/pci-0000:00:00.0-card");
  }

  @ParameterizedTest
  @CsvSource({"432, 44, true", "438, 44, false", "432, 0, false"})
  void groupOfARestrictedNodeIsJoined(int permissions, int group, boolean joined) {
    var nodes =
        new DeviceNodes(
            List.of(new DeviceNode("/dev/nvidia0", 195, 0, permissions, group)),
            Map.of(),
            List.of());
    var input = input(Node.withGpus(1), nodes);
    var edits = only(input, CdiOptions.ofPlugin()).devices().getFirst().edits();
    var without = CdiOptions.ofPlugin().withFeatures(Set.of(Feature.NO_ADDITIONAL_GROUPS));
    assertThat(edits.additionalGroups()).isEqualTo(joined ? List.of(group) : List.of());
    assertThat(only(input, without).devices().getFirst().edits().additionalGroups()).isEmpty();
  }

  @Test
  void switchesChangeWhatAllGet() {
    var input = input(Node.withGpus(1), nodes("/dev/nvidia0"));
    var features = Set.of(Feature.NO_SOCKETS, Feature.EXPLICIT_DRIVER_LIBRARIES);
    var plain = only(input, CdiOptions.ofPlugin()).common();
    var options = CdiOptions.ofPlugin().withFeatures(features).withHooks("/opt/hook", Set.of());
    var switched = only(input, options).common();

    assertThat(plain.mounts())
        .extracting(Mount::containerPath)
        .contains("/run/nvidia-persistenced/socket");
    assertThat(switched.mounts())
        .extracting(Mount::containerPath)
        .doesNotContain("/run/nvidia-persistenced/socket")
        .contains("/usr/lib64/libGL.so");
    assertThat(switched.hooks()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "GDS, /dev/nvidia-fs0, true",
    "MOFED, /dev/infiniband/uverbs0, true",
    "GDRCOPY, /dev/gdrdrv, true",
    "NVSWITCH, /dev/nvidia-nvswitchctl, false"
  })
  void otherClassesHaveOneDevice(CdiClass type, String path, boolean isVoid) {
    var input = input(Node.withGpus(1), nodes("/dev/nvidia0", path));
    var made = only(input, CdiOptions.ofPlugin().only(type));
    assertThat(made.kind()).hasToString("k8s.device-plugin.nvidia.com/" + type.text());
    assertThat(made.devices()).extracting(CdiDevice::name).containsExactly("all");
    assertThat(paths(made.devices().getFirst().edits())).containsExactly(path);
    assertThat(made.devices().getFirst().edits().mounts()).hasSize(type == CdiClass.GDS ? 2 : 0);
    assertThat(made.common().env().isEmpty()).isEqualTo(!isVoid);
  }

  @ParameterizedTest
  @EnumSource(CdiClass.class)
  void classOfWhichTheNodeHasNothingIsSkipped(CdiClass type) {
    var generated =
        CdiSpecifications.generate(
            input(Node.withGpus(0), nodes()), CdiOptions.ofPlugin().only(type));
    assertThat(generated.specifications()).isEmpty();
    assertThat(generated.omissions()).hasSize(1);
  }

  @Test
  void channelsAreNamedByTheirNumbers() {
    String channel = "/dev/nvidia-caps-imex-channels/channel";
    var options = CdiOptions.ofPlugin().only(CdiClass.IMEX_CHANNEL).withImexChannels(List.of(0, 9));
    var generated =
        CdiSpecifications.generate(input(Node.withGpus(1), nodes(channel + "0")), options);
    var made = generated.specifications().getFirst();
    assertThat(made.devices()).extracting(CdiDevice::name).containsExactly("0");
    assertThat(made.common().isEmpty()).isTrue();
    assertThat(generated.omissions().getFirst().text()).contains(channel + "9");
  }

  @Test
  void managementGetsEveryNodeButThoseOfOthers() {
    var nodes =
        nodes(
            "/dev/nvidia0",
            "/dev/nvidiactl",
            "/dev/nvidia-fs0",
            "/dev/nvidia-nvswitch0",
            "/dev/nvidia-nvlink",
            "/dev/nvidia-caps/nvidia-cap1",
            "/dev/nvidia-caps-imex-channels/channel0",
            "/dev/dri/card0");
    var made =
        only(input(Node.withGpus(0), nodes), CdiOptions.ofToolkit().only(CdiClass.MANAGEMENT));
    assertThat(CdiDocument.YAML.fileName(made)).isEqualTo("nvidia.com-gpu.yaml");
    assertThat(paths(made.devices().getFirst().edits()))
        .containsExactly(
            "/dev/nvidia0",
            "/dev/nvidiactl",
            "/dev/nvidia-caps-imex-channels/channel0",
            "/dev/nvidia-caps/nvidia-cap1");
    assertThat(made.common().hooks().stream().map(Hook::args).flatMap(List::stream))
        .contains("update-ldcache")
        .doesNotContain("disable-device-node-modification", "update-application-profile");
  }

  @Test
  void withoutADriverThereIsNoGpuSpecificationAndTheRootIsNamed() {
    CdiInput there = input(Node.withGpus(1), nodes("/dev/nvidia0"));
    CdiInput gone = new CdiInput(there.inventory(), there.root(), Optional.empty(), there.nodes());
    var generated = CdiSpecifications.generate(gone, CdiOptions.ofPlugin());
    assertThat(generated.specifications()).isEmpty();
    assertThat(generated.omissions().getFirst().text()).contains(Node.DRIVER + " below /");
  }

  @Test
  void chmodNamesTheFoldersBelowDev() {
    var options =
        CdiOptions.ofToolkit()
            .withHooks(
                "/usr/bin/nvidia-cdi-hook", HookName.switched(List.of("all"), List.of("chmod")));
    var nodes =
        new DeviceNodes(
            nodes("/dev/nvidia0", "/dev/dri/card1").nodes(),
            Map.of(Node.pciAddress(0), List.of("/dev/dri/card1")),
            List.of());
    assertThat(only(input(Node.withGpus(1), nodes), options).devices().getFirst().edits().hooks())
        .extracting(Hook::args)
        .containsExactly(
            List.of("nvidia-cdi-hook", "chmod", "--mode", "755", "--path", "/dev/dri"));
  }
}
