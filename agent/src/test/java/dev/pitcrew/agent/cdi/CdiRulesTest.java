package dev.pitcrew.agent.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.pitcrew.agent.cdi.ContainerEdits.DeviceNodeEdit;
import dev.pitcrew.agent.cdi.ContainerEdits.Hook;
import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import dev.pitcrew.device.inventory.Gpu;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The small rules: names, versions, switches and roots.
class CdiRulesTest {
  private static final CdiKind KIND = new CdiKind("nvidia.com", "gpu");

  private static ContainerEdits node(String path, Optional<String> hostPath) {
    var node = new DeviceNodeEdit(path, hostPath, Optional.empty());
    return new ContainerEdits(List.of(), List.of(node), List.of(), List.of(), List.of());
  }

  private static ContainerEdits group(int id) {
    return new ContainerEdits(List.of(), List.of(), List.of(), List.of(), List.of(id));
  }

  private static String version(String deviceClass, String name, ContainerEdits edits) {
    var kind = new CdiKind("nvidia.com", deviceClass);
    var device = new CdiDevice(name, edits);
    return MinimumVersion.of(new CdiSpecification(kind, List.of(device), ContainerEdits.NONE));
  }

  @Test
  void versionIsTheOldestThatWillDo() {
    ContainerEdits plain = node("/dev/nvidia0", Optional.empty());
    assertThat(version("gpu", "all", plain)).isEqualTo("0.3.0");
    assertThat(version("gpu", "0", plain)).isEqualTo("0.5.0");
    assertThat(version("gpu", "all", node("/dev/nvidia0", Optional.of("/host/nvidia0"))))
        .isEqualTo("0.5.0");
    assertThat(version("gpu.coherent", "0", plain)).isEqualTo("0.6.0");
    assertThat(version("gpu.coherent", "0", group(44))).isEqualTo("0.7.0");
  }

  @Test
  void versionCountsWhatAllDevicesGet() {
    var device = new CdiDevice("all", ContainerEdits.ofEnv("A=b"));
    var specification = new CdiSpecification(KIND, List.of(device), group(44));
    assertThat(MinimumVersion.of(specification)).isEqualTo("0.7.0");
  }

  @ParameterizedTest
  @CsvSource({
    "INDEX, 3, 3:1",
    "UUID, GPU-12345678-1234-1234-1234-123456780003, MIG-a",
    "TYPE_INDEX, gpu3, mig3:1"
  })
  void devicesAreNamedByStrategy(DeviceNaming naming, String whole, String part) {
    var device = Node.mig(1, "MIG-a", "", Optional.empty());
    Gpu gpu = Node.gpu(3, Node.divided(device));
    assertThat(naming.name(gpu)).isEqualTo(whole);
    assertThat(naming.name(gpu, device)).isEqualTo(part);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1nvidia.com", "nvidia.com-", "nvidia/com", "../x", "a b", "a\n"})
  void badNamesAreRefusedByName(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CdiKind(name, "gpu"))
        .withMessageContaining("'" + name + "'");
    assertThatIllegalArgumentException().isThrownBy(() -> new CdiKind("nvidia.com", name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ":0", "0:", "GPU/0", "a=b", "a b", "a\n"})
  void badDeviceNamesAreRefused(String name) {
    assertThatIllegalArgumentException().isThrownBy(() -> new CdiDevice(name, ContainerEdits.NONE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "dev/nvidia0", "/dev/../etc/shadow", "/dev/nvidia0\n", "/.."})
  void badPathsAreRefused(String path) {
    assertThatIllegalArgumentException().isThrownBy(() -> node(path, Optional.empty()));
    assertThatIllegalArgumentException().isThrownBy(() -> new Mount(path, "/a", List.of()));
    assertThatIllegalArgumentException().isThrownBy(() -> new Mount("/a", path, List.of()));
  }

  @Test
  void chmodIsOffUntilItIsEnabled() {
    assertThat(HookName.switched(List.of(), List.of()))
        .doesNotContain(HookName.CHMOD)
        .hasSize(HookName.values().length - 1);
    assertThat(HookName.switched(List.of("all"), List.of("chmod"))).containsExactly(HookName.CHMOD);
  }

  @Test
  void enabledHookWinsOverADisabledOne() {
    assertThat(HookName.switched(List.of("chmod", "unknown"), List.of("chmod")))
        .contains(HookName.CHMOD);
    assertThat(HookName.switched(List.of("update-ldcache"), List.of()))
        .doesNotContain(HookName.UPDATE_LDCACHE)
        .contains(HookName.CREATE_SYMLINKS);
  }

  @Test
  void unknownFeaturesAreIgnored() {
    assertThat(Feature.of(List.of("disable-nvsandboxutils", "disable-ipc-discoverer")))
        .isEqualTo(Set.of(Feature.NO_SOCKETS));
    assertThat(Feature.of(List.of())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/driver, /run/nvidia/driver, /driver/lib/a, /run/nvidia/driver/lib/a",
    "/driver/, /run/nvidia/driver/, /driver/lib/a, /run/nvidia/driver/lib/a",
    "/driver, /run/nvidia/driver, /drivers/lib/a, /drivers/lib/a",
    "/driver, /run/nvidia/driver, /driver, /run/nvidia/driver",
    "/driver, /, /driver/lib/a, /lib/a",
    "/driver, /, /driver, /",
    "/, /run/nvidia/driver, /lib/a, /run/nvidia/driver/lib/a"
  })
  void rootsAreMovedAtTheBordersOfNames(String from, String to, String path, String moved) {
    assertThat(new RootTransform(from, to).move(path)).isEqualTo(moved);
  }

  @Test
  void movingTheRootLeavesTheContainersSideAlone() {
    var hook =
        new Hook("createContainer", "/driver/bin/hook", List.of("hook", "/driver/x"), List.of());
    var edits =
        node("/dev/nvidia0", Optional.empty())
            .and(ContainerEdits.ofHooks(List.of(hook)))
            .and(ContainerEdits.ofMounts(List.of(new Mount("/driver/lib/a", "/lib/a", List.of()))));
    var specification =
        new CdiSpecification(KIND, List.of(new CdiDevice("0", edits)), ContainerEdits.NONE);

    ContainerEdits moved =
        new RootTransform("/driver", "/root").onHost(specification).devices().getFirst().edits();

    assertThat(moved.deviceNodes()).isEqualTo(edits.deviceNodes());
    assertThat(moved.hooks().getFirst().path()).isEqualTo("/root/bin/hook");
    assertThat(moved.hooks().getFirst().args()).isEqualTo(hook.args());
    assertThat(moved.mounts()).containsExactly(new Mount("/root/lib/a", "/lib/a", List.of()));
  }

  @Test
  void devicesLoseWhatAllHaveUnlessNothingWouldBeLeft() {
    ContainerEdits shared = ContainerEdits.ofEnv("A=b");
    var some = new CdiDevice("1", shared.and(ContainerEdits.ofEnv("C=d")));
    var same = new CdiDevice("0", shared);
    var simple = Simplification.of(new CdiSpecification(KIND, List.of(some, same), shared));
    assertThat(simple.devices())
        .containsExactly(same, new CdiDevice("1", ContainerEdits.ofEnv("C=d")));
  }

  @Test
  void shallowPathsComeFirst() {
    ContainerEdits edits =
        node("/dev/nvidia-caps/nvidia-cap1", Optional.empty())
            .and(node("/dev/nvidia1", Optional.empty()))
            .and(node("/dev/nvidia0", Optional.empty()))
            .and(node("/dev/nvidia1", Optional.empty()));
    var simple =
        Simplification.of(
            new CdiSpecification(KIND, List.of(new CdiDevice("0", edits)), ContainerEdits.NONE));
    assertThat(simple.devices().getFirst().edits().deviceNodes())
        .extracting(DeviceNodeEdit::path)
        .containsExactly("/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia-caps/nvidia-cap1");
  }
}
