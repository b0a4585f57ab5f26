package dev.pitcrew.agent.validation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.cuda.CheckedGpu;
import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.agent.validation.ValidationFacts.Cdi;
import dev.pitcrew.agent.validation.ValidationFacts.Plugin;
import dev.pitcrew.agent.validation.ValidationFacts.SpecificationFile;
import dev.pitcrew.agent.validation.plan.Wanted;
import dev.pitcrew.api.node.ValidationState;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ValidationTest {
  private static final Wanted EVERYTHING =
      new Wanted("nvidia", true, true, true, false, true, true);

  @Test
  void workingNodePassesWhatIsWanted() {
    var validation = Validation.of(TestFacts.working().all());

    assertThat(validation.isSettled()).isTrue();
    assertThat(states(validation.table().orElseThrow()))
        .isEqualTo(
            "driver=PASSED nvidia-peermem=OFF mofed=OFF nvidia-fs=OFF gdrcopy=OFF toolkit=PASSED cdi=OFF cuda=PASSED plugin=PASSED");
  }

  @Test
  void withoutADriverTheOthersWait() {
    var validation = Validation.of(TestFacts.unloaded().all());

    assertThat(validation.isSettled()).isFalse();
    assertThat(check(validation, Component.DRIVER).reason()).isEqualTo("ModuleNotLoaded");
    assertThat(states(validation.table().orElseThrow()))
        .contains("toolkit=WAITING", "cuda=WAITING", "plugin=WAITING");
  }

  @Test
  void missingHandlerIsAFailureOnlyWhereOneIsWanted() {
    var facts = TestFacts.working().all();
    var none = with(facts, facts.wanted(), List.of());
    var unwanted =
        with(facts, new Wanted("nvidia", false, true, false, false, false, false), List.of());

    assertThat(check(none, Component.TOOLKIT).reason()).isEqualTo("NoRuntimeHandler");
    assertThat(check(unwanted, Component.TOOLKIT).state()).isEqualTo(ValidationState.OFF);
  }

  @Test
  void partsOfTheDriverAreLookedForWhereTheyAreWanted() {
    var validation = with(TestFacts.working().all(), EVERYTHING, List.of("file"));

    assertThat(check(validation, Component.NVIDIA_PEERMEM).reason()).isEqualTo("PeermemNotLoaded");
    assertThat(check(validation, Component.NVIDIA_FS).reason()).isEqualTo("StorageModuleNotLoaded");
    assertThat(check(validation, Component.GDRCOPY).reason()).isEqualTo("GdrcopyNotLoaded");
    assertThat(check(validation, Component.MOFED).state()).isEqualTo(ValidationState.OFF);
    var loaded =
        TestFacts.working()
            .with(TestFacts.kernel(Set.of("nvidia", "nvidia_peermem", "nvidia_fs", "gdrdrv")));
    assertThat(with(loaded.all(), EVERYTHING, List.of("file")).isSettled()).isTrue();
  }

  @Test
  void wordOfTheDriverContainerCountsMoreThanThePolicys() {
    var files = TestFacts.files(Optional.of(TestFacts.VERSION));
    var flags =
        ContainerFlags.of(
            Optional.of("GDRCOPY_ENABLED: false\nGDS_ENABLED: true\nhello\n"), Optional.empty());
    var facts =
        TestFacts.working()
            .with(
                new DriverFacts.Files(
                    files.rootOnHost(), "/", files.version(), true, List.of(), List.of(), flags));

    var validation = with(facts.all(), EVERYTHING, List.of("file"));

    assertThat(check(validation, Component.NVIDIA_FS).isFailed()).isTrue();
    assertThat(check(validation, Component.GDRCOPY).state()).isEqualTo(ValidationState.OFF);
  }

  @Test
  void driverWhoseDaemonsStartIsNotReadyYet() {
    var files = TestFacts.files(Optional.of(TestFacts.VERSION));
    var flags = ContainerFlags.of(Optional.empty(), Optional.of("NotReady\n"));
    var facts =
        TestFacts.working()
            .with(
                new DriverFacts.Files(
                    files.rootOnHost(), "/", files.version(), true, List.of(), List.of(), flags));

    assertThat(check(Validation.of(facts.all()), Component.DRIVER).reason())
        .isEqualTo("DriverStarting");
  }

  @Test
  void specificationThatNamesWhatIsNotThereIsBroken() {
    var facts = TestFacts.working().all();
    var file =
        new SpecificationFile(
            "/var/run/cdi/nvidia.yaml", Optional.empty(), List.of("/usr/bin/hook", "/dev/x"));

    var check = check(withCdi(facts, new Cdi(true, List.of(file))), Component.CDI);

    assertThat(check.reason()).isEqualTo("CdiSpecificationBroken");
    assertThat(check.message()).contains("nvidia.yaml", "/usr/bin/hook", "nor 1 others");
    assertThat(check(withCdi(facts, new Cdi(true, List.of())), Component.CDI).reason())
        .isEqualTo("CdiSpecificationMissing");
  }

  @Test
  void nodeThatLagsBehindTheKubeletIsNoFailureAtFirst() {
    assertThat(plugin(8, false).state()).isEqualTo(ValidationState.UNKNOWN);
    assertThat(plugin(8, true).reason()).isEqualTo("AllocatableDiffers");
    assertThat(plugin(8, true).message())
        .contains("offered 8 nvidia.com/gpu", "has 2 nvidia.com/gpu");
    assertThat(plugin(2, true).isPassed()).isTrue();
  }

  @Test
  void deviceOfAnotherPlugin_isEnough() {
    var other =
        new Plugin(
            false,
            Optional.empty(),
            0,
            List.of(),
            Optional.of(Map.of("nvidia.com/mig-1g.5gb", 1, "cpu.example/x", 3)),
            false);
    var none =
        new Plugin(
            false, Optional.empty(), 0, List.of(), Optional.of(Map.of("example/x", 3)), false);

    assertThat(PluginCheck.of(Wanted.USUAL, other).message())
        .isEqualTo("the Node has 1 nvidia.com/mig-1g.5gb");
    assertThat(PluginCheck.of(Wanted.USUAL, none).reason()).isEqualTo("NoDeviceAdvertised");
  }

  private static Check plugin(int advertised, boolean isLate) {
    var plugin =
        new Plugin(
            true,
            Optional.of(Map.of("nvidia.com/gpu", advertised)),
            0,
            List.of(),
            Optional.of(Map.of("nvidia.com/gpu", 2)),
            isLate);
    return PluginCheck.of(Wanted.USUAL, plugin);
  }

  private static Validation with(ValidationFacts facts, Wanted wanted, List<String> handlers) {
    return Validation.of(
        new ValidationFacts(
            facts.driver(),
            wanted,
            false,
            false,
            handlers,
            facts.cdi(),
            facts.cuda(),
            facts.plugin()));
  }

  private static Validation withCdi(ValidationFacts facts, Cdi cdi) {
    return Validation.of(
        new ValidationFacts(
            facts.driver(),
            facts.wanted(),
            false,
            false,
            facts.handlers(),
            cdi,
            facts.cuda(),
            facts.plugin()));
  }

  private static Check cuda(CudaOutcome outcome) {
    return cuda(Optional.of(new CudaVerdict(List.of(new CheckedGpu("GPU 0", "GPU-1", outcome)))));
  }

  private static Check cuda(Optional<CudaVerdict> verdict) {
    var facts = TestFacts.working().all();
    return check(
        Validation.of(
            new ValidationFacts(
                facts.driver(),
                facts.wanted(),
                false,
                false,
                facts.handlers(),
                facts.cdi(),
                new ValidationFacts.Cuda(true, verdict),
                facts.plugin())),
        Component.CUDA);
  }

  @Test
  void kernelOnEachGpu_isReportedWhereRequested() {
    assertThat(cuda(new CudaOutcome.Passed(1024, 12040)).isPassed()).isTrue();
    assertThat(cuda(new CudaOutcome.WrongSum(3, 1, 2)).message()).contains("GPU-1");
  }

  @Test
  void aGpuThatIsNotCheckedFailsNoNode() {
    var outcome = new CudaOutcome.NotChecked("28 MiB are left", "give more");

    Check check = cuda(outcome);

    assertThat(check.isPassed()).isTrue();
    assertThat(check.reason()).isEqualTo("NotChecked");
    assertThat(check.message()).isEqualTo("not checked: GPU 0: 28 MiB are left; give more");
  }

  /// What was said of the GPUs before the agent started stays until it knows better.
  @Test
  void beforeAnyGpuWasLookedAtNothingIsSaid() {
    assertThat(cuda(Optional.empty()).state()).isEqualTo(ValidationState.UNKNOWN);
    assertThat(cuda(Optional.of(new CudaVerdict(List.of(), 2))).state())
        .isEqualTo(ValidationState.WAITING);
  }

  private static Check check(Validation validation, Component component) {
    return validation.table().orElseThrow().stream()
        .filter(it -> it.component() == component)
        .findFirst()
        .orElseThrow();
  }

  private static String states(List<Check> table) {
    return String.join(
        " ", table.stream().map(it -> it.component().text() + "=" + it.state()).toList());
  }
}
