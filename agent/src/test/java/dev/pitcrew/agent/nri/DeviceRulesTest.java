package dev.pitcrew.agent.nri;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.nri.DeviceChoice.Inject;
import dev.pitcrew.agent.nri.DeviceChoice.Refuse;
import dev.pitcrew.agent.nri.DeviceChoice.Skip;
import dev.pitcrew.agent.nri.plan.ContainerFacts;
import dev.pitcrew.agent.nri.plan.ContainerRules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which devices a container gets.
class DeviceRulesTest {
  private static final KnownDevices KNOWN =
      new KnownDevices(
          Set.of("0", "1", "1:0", "GPU-a", "MIG-b", "all", "none"), Set.of("gds"), true, Map.of());
  private static final ContainerRules RULES = ContainerRules.standard("gpu-operator");
  private static final ContainerRules ANNOTATED =
      new ContainerRules(RULES.handlers(), true, false, true, RULES.namespaces(), RULES.managers());
  private static final String VARIABLE = "NVIDIA_VISIBLE_DEVICES";
  private static final String ANNOTATION = "nvidia.cdi.k8s.io";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "all           | runtime.nvidia.com/gpu=all",
        "0,all         | runtime.nvidia.com/gpu=all",
        "none          | runtime.nvidia.com/gpu=none",
        "0             | runtime.nvidia.com/gpu=0",
        "1,0,1,,0      | runtime.nvidia.com/gpu=1 runtime.nvidia.com/gpu=0",
        "GPU-a, 1:0    | runtime.nvidia.com/gpu=GPU-a runtime.nvidia.com/gpu=1:0",
        "MIG-b         | runtime.nvidia.com/gpu=MIG-b",
        "nvidia.com/gpu=7,0 | nvidia.com/gpu=7 runtime.nvidia.com/gpu=0",
      })
  void theVariableNamesDevices(String value, String devices) {
    assertThat(byVariable(value)).isEqualTo(new Inject(List.of(devices.split(" "))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "void", " void ", ","})
  void someValuesLeaveTheContainerAsItIs(String value) {
    assertThat(byVariable(value)).isEqualTo(DeviceChoice.NOTHING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "GPU-x", "0,void", "../0", "a=b"})
  void aDeviceThatIsNotThereIsRefusedWithThoseThatAre(String value) {
    assertThat(byVariable(value))
        .isInstanceOfSatisfying(
            Refuse.class,
            refused ->
                assertThat(refused.why())
                    .contains("container cuda of pod team-a/train", VARIABLE)
                    .contains("0, 1, 1:0, GPU-a, MIG-b, all, none"));
  }

  @Test
  void anImageOfCudaBeforeTheVariableMeansAllGpus() {
    var old = container("nvidia").with(Map.of("CUDA_VERSION", "8.0.44"));
    assertThat(old.choose(RULES)).isEqualTo(all());
    var later = old.with(Map.of("CUDA_VERSION", "12.4", "NVIDIA_REQUIRE_CUDA", "cuda>=12.4"));
    assertThat(later.choose(RULES)).isEqualTo(DeviceChoice.NOTHING);
    var said = old.with(Map.of("CUDA_VERSION", "8.0.44", VARIABLE, ""));
    assertThat(said.choose(RULES)).isEqualTo(DeviceChoice.NOTHING);
  }

  @Test
  void variablesAskForFurtherDevicesWhereTheNodeHasThem() {
    var asked =
        container("nvidia")
            .with(Map.of(VARIABLE, "0", "NVIDIA_GDS", "enabled", "NVIDIA_MOFED", "enabled"));
    assertThat(asked.choose(RULES))
        .isEqualTo(new Inject(List.of("runtime.nvidia.com/gpu=0", "runtime.nvidia.com/gds=all")));
  }

  @ParameterizedTest
  @CsvSource({"nvidia,true", "nvidia-cdi,true", "nvidia-legacy,true", "'',false", "runc,false"})
  void onlyPodsOfAnNvidiaHandlerMayAskByVariable(String handler, boolean mayAsk) {
    var asked = container(handler).with(Map.of(VARIABLE, "all"));
    assertThat(asked.choose(RULES)).isEqualTo(mayAsk ? all() : DeviceChoice.NOTHING);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com/gpu=0",
        "k8s.device-plugin.nvidia.com/gpu=GPU-a",
        "k8s.gpu.nvidia.com/claim=1",
      })
  void containerWithGpusFromAnotherSource_getsNoneTwice(String device) {
    var served = container("nvidia").with(Map.of(VARIABLE, "all")).with(List.of(device));
    assertThat(served.choose(RULES)).isEqualTo(DeviceChoice.NOTHING);
    var annotated = served.annotated(Map.of(ANNOTATION, "runtime.nvidia.com/gpu=all"));
    assertThat(annotated.choose(ANNOTATED)).isEqualTo(DeviceChoice.NOTHING);
    var other = served.with(List.of("vendor.example/nic=0"));
    assertThat(other.choose(RULES)).isEqualTo(all());
  }

  @Test
  void theVariableCountsNotWhereItIsSwitchedOff() {
    var asked = container("nvidia").with(Map.of(VARIABLE, "all"));
    var off = new ContainerRules(RULES.handlers(), false, false, false, Optional.empty(), Set.of());
    assertThat(asked.choose(off)).isEqualTo(DeviceChoice.NOTHING);
  }

  @Test
  void theVariableCountsInListedNamespacesOnly() {
    var asked = container("nvidia").with(Map.of(VARIABLE, "all"));
    assertThat(asked.choose(restrictedTo("team-a"))).isEqualTo(all());
    assertThat(asked.choose(restrictedTo("team-b")))
        .isInstanceOfSatisfying(
            Skip.class, it -> assertThat(it.why()).contains("PITCREW_VISIBLE_DEVICES_NAMESPACES"));
    var silent = asked.with(Map.of(VARIABLE, "void"));
    assertThat(silent.choose(restrictedTo("team-b"))).isEqualTo(DeviceChoice.NOTHING);
  }

  private static ContainerRules restrictedTo(String namespace) {
    return new ContainerRules(
        RULES.handlers(), true, false, true, Optional.of(Set.of(namespace)), Set.of());
  }

  @Test
  void mountsNameDevicesWhereTheyAreAccepted() {
    var mounted =
        container("nvidia")
            .mounting("/var/run/nvidia-container-devices/1")
            .mounting("/var/run/nvidia-container-devices/cdi/nvidia.com/gpu/0")
            .with(Map.of(VARIABLE, "all"));
    var accepted =
        new ContainerRules(RULES.handlers(), true, true, false, Optional.empty(), Set.of());
    assertThat(mounted.choose(accepted))
        .isEqualTo(new Inject(List.of("runtime.nvidia.com/gpu=1", "nvidia.com/gpu=0")));
    assertThat(mounted.choose(RULES)).isEqualTo(all());
  }

  @Test
  void mountsAreHeldToNamespacesAndKindsToo() {
    var mounted = container("nvidia").mounting("/var/run/nvidia-container-devices/1");
    var other = Optional.of(Set.of("team-b"));
    assertThat(
            mounted.choose(
                new ContainerRules(RULES.handlers(), true, true, false, other, Set.of())))
        .isEqualTo(DeviceChoice.NOTHING);
    var foreign =
        container("nvidia")
            .mounting("/var/run/nvidia-container-devices/cdi/evil.example/host/root");
    assertThat(
            foreign.choose(
                new ContainerRules(
                    RULES.handlers(), true, true, false, Optional.empty(), Set.of())))
        .isInstanceOfSatisfying(
            Skip.class, it -> assertThat(it.why()).contains("evil.example/host=root"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nvidia.cdi.k8s.io/container.cuda | nvidia.com/gpu=0",
        "nvidia.cdi.k8s.io/pod            | nvidia.com/gpu=1",
        "nvidia.cdi.k8s.io                | nvidia.com/gpu=2",
      })
  void theMostSpecificAnnotationCountsInAnyPod(String first, String device) {
    var every =
        Map.of(
            ANNOTATION + "/container.cuda",
            "nvidia.com/gpu=0",
            ANNOTATION + "/container.other",
            "nvidia.com/gpu=9",
            ANNOTATION + "/pod",
            "nvidia.com/gpu=1",
            ANNOTATION,
            "nvidia.com/gpu=2");
    var order = List.of(ANNOTATION + "/container.cuda", ANNOTATION + "/pod", ANNOTATION);
    var rest = order.subList(order.indexOf(first), order.size());
    Map<String, String> annotations =
        every.entrySet().stream()
            .filter(annotation -> rest.contains(annotation.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    assertThat(container("").annotated(annotations).choose(ANNOTATED))
        .isEqualTo(new Inject(List.of(device)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "runtime.nvidia.com/gpu=all",
        "nvidia.com/gpu=all",
        "k8s.device-plugin.nvidia.com/gpu=GPU-a",
        "management.nvidia.com/gpu=all",
        "evil.example/hostpath=root",
      })
  void anAnnotationCountsOnlyWhereTheNriPluginIsEnabled(String device) {
    var annotated = container("").annotated(Map.of(ANNOTATION + "/pod", device));
    assertThat(annotated.choose(RULES)).isEqualTo(DeviceChoice.NOTHING);
    var asked = container("nvidia").annotated(Map.of(ANNOTATION, device));
    assertThat(asked.with(Map.of(VARIABLE, "0")).choose(RULES))
        .as("the variable decides")
        .isEqualTo(new Inject(List.of("runtime.nvidia.com/gpu=0")));
  }

  @Test
  void anAnnotationCountsInListedNamespacesOnly() {
    var asked = container("").annotated(Map.of(ANNOTATION + "/pod", "runtime.nvidia.com/gpu=all"));
    assertThat(asked.choose(restrictedTo("team-a"))).isEqualTo(all());
    assertThat(asked.choose(restrictedTo("ml-team")))
        .isInstanceOfSatisfying(
            Skip.class,
            it ->
                assertThat(it.why())
                    .contains("annotation " + ANNOTATION, "PITCREW_VISIBLE_DEVICES_NAMESPACES"));
    var nothing = container("").annotated(Map.of(ANNOTATION, ""));
    assertThat(nothing.choose(restrictedTo("ml-team"))).isEqualTo(DeviceChoice.NOTHING);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example/hostpath=root",
        "nvidia.com/gpu=0,evil.example/hostpath=root",
        "evilnvidia.com/gpu=0",
        "evil.nvidia.com/gpu=0",
        "k8s.gpu.nvidia.com/claim=of-another-pod",
        "management.nvidia.com/other=all",
      })
  void onlyTheKindsOfNvidiaAndOfTheAgentMayBeNamed(String devices) {
    assertThat(container("").annotated(Map.of(ANNOTATION, devices)).choose(ANNOTATED))
        .isInstanceOfSatisfying(
            Skip.class, it -> assertThat(it.why()).contains(devices, "by a resource or a claim"));
    assertThat(byVariable(devices)).isInstanceOf(Skip.class);
    var management = "management.nvidia.com/gpu=all";
    assertThat(
            container("")
                .annotated(Map.of(ANNOTATION, devices + "," + management))
                .choose(ANNOTATED))
        .isInstanceOf(Skip.class);
  }

  @Test
  void anAnnotationNamesDevicesByTheirFullNames() {
    var devices = List.of("runtime.nvidia.com/gpu=1", "k8s.device-plugin.nvidia.com/gpu=GPU-a");
    var annotated = container("").annotated(Map.of(ANNOTATION, String.join(", ", devices)));
    assertThat(annotated.choose(ANNOTATED)).isEqualTo(new Inject(devices));
    assertThat(container("").annotated(Map.of(ANNOTATION, "all")).choose(ANNOTATED))
        .isInstanceOfSatisfying(
            Refuse.class, it -> assertThat(it.why()).contains("'all'", "vendor/class=name"));
  }

  @Test
  void theDevicesOfWhoManagesTheNodeAreForNamespacesThatMayHaveThem() {
    var asked =
        container("")
            .annotated(Map.of(ANNOTATION, "nvidia.com/gpu=0,management.nvidia.com/gpu=all"));
    assertThat(asked.choose(ANNOTATED))
        .isInstanceOfSatisfying(
            Skip.class,
            it ->
                assertThat(it.why())
                    .contains("team-a/train", "NRI_MANAGEMENT_CDI_DEVICE_NAMESPACES"));
    assertThat(asked.choose(managedBy("team-a")))
        .isEqualTo(new Inject(List.of("nvidia.com/gpu=0", "management.nvidia.com/gpu=all")));
    var byVariable = container("nvidia").with(Map.of(VARIABLE, "management.nvidia.com/gpu=all"));
    assertThat(byVariable.choose(RULES)).isInstanceOf(Skip.class);
  }

  @Test
  void allMeansTheDevicesOfTheNodeToWhoManagesIt() {
    var asked = container("nvidia").with(Map.of(VARIABLE, "all"));
    assertThat(asked.choose(managedBy("team-a")))
        .isEqualTo(new Inject(List.of("management.nvidia.com/gpu=all")));
  }

  @Test
  void withoutADriverUsersAreRefusedAndManagersStart() {
    var asked = container("nvidia").with(Map.of(VARIABLE, "all"));
    assertThat(asked.choose(RULES, KnownDevices.NONE))
        .isInstanceOfSatisfying(Refuse.class, it -> assertThat(it.why()).contains("DriverReady"));
    assertThat(asked.choose(managedBy("team-a"), KnownDevices.NONE)).isInstanceOf(Skip.class);
  }

  /// Managers are not held to the namespaces of users.
  private static ContainerRules managedBy(String namespace) {
    return new ContainerRules(
        RULES.handlers(), true, false, true, Optional.of(Set.of("ml-team")), Set.of(namespace));
  }

  private static DeviceChoice all() {
    return new Inject(List.of("runtime.nvidia.com/gpu=all"));
  }

  private static DeviceChoice byVariable(String value) {
    return container("nvidia").with(Map.of(VARIABLE, value)).choose(RULES);
  }

  private static Asked container(String handler) {
    return new Asked(
        new ContainerFacts(
            "team-a", "train", "cuda", handler, Map.of(), Map.of(), Map.of(), List.of(), false,
            List.of()));
  }

  private record Asked(ContainerFacts facts) {
    DeviceChoice choose(ContainerRules rules) {
      return choose(rules, KNOWN);
    }

    DeviceChoice choose(ContainerRules rules, KnownDevices known) {
      return DeviceRules.choose(facts, rules, known);
    }

    Asked with(Map<String, String> environment) {
      return of(facts.annotations(), environment, facts.mounts(), facts.devices());
    }

    Asked with(List<String> devices) {
      return of(facts.annotations(), facts.environment(), facts.mounts(), devices);
    }

    Asked annotated(Map<String, String> annotations) {
      return of(annotations, facts.environment(), facts.mounts(), facts.devices());
    }

    Asked mounting(String place) {
      var mounts = new HashMap<>(facts.mounts());
      mounts.put(place, "/dev/null");
      return of(facts.annotations(), facts.environment(), mounts, facts.devices());
    }

    private Asked of(
        Map<String, String> annotations,
        Map<String, String> environment,
        Map<String, String> mounts,
        List<String> devices) {
      return new Asked(
          new ContainerFacts(
              facts.namespace(),
              facts.pod(),
              facts.name(),
              facts.handler(),
              annotations,
              environment,
              mounts,
              devices,
              facts.hasUserNamespace(),
              facts.idMapped()));
    }
  }
}
