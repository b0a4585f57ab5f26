package dev.pitcrew.agent.driver.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.driver.plan.LoadedModules.Module;
import dev.pitcrew.agent.driver.plan.Next.Await;
import dev.pitcrew.agent.driver.plan.Next.For;
import dev.pitcrew.core.names.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DriverPlanTest {
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String DCGM = "nvidia.com/gpu.deploy.dcgm";
  private static final String PAUSED = "paused-for-driver-upgrade";
  private static final String BOOT = Seen.BOOT;
  private static final LoadedModules IDLE = Seen.IDLE;
  private static final LoadedModules NONE = new LoadedModules(Map.of());

  @Test
  void theSameDriverIsKeptWithoutAWord() {
    assertThat(DriverPlan.next(seen().installed("1").wanted("1").see()))
        .isEqualTo(new Next.Start(Map.of(), true));
  }

  @Test
  void theSameDriverIsKeptWhileItIsInUse() {
    assertThat(DriverPlan.next(seen().installed("1").wanted("1").modules(modules(7, 5)).see()))
        .isEqualTo(new Next.Start(Map.of(), true));
  }

  @Test
  void aPauseOfAManagerThatDiedIsEnded() {
    assertThat(
            DriverPlan.next(seen().installed("1").wanted("1").labels(Map.of(PLUGIN, PAUSED)).see()))
        .isEqualTo(new Next.Start(Map.of(PLUGIN, "true"), true));
  }

  @Test
  void noDigestIsNoPromise() {
    assertThat(DriverPlan.next(seen().installed("").wanted("").pods(noPods()).see()))
        .isEqualTo(new Next.Pause(Map.of(PLUGIN, PAUSED)));
  }

  @Test
  void sameDriver_isReloadedWhereForced() {
    assertThat(DriverPlan.next(seen().installed("1").wanted("1").forced().pods(noPods()).see()))
        .isInstanceOf(Next.Pause.class);
  }

  @Test
  void aFreshNodeIsNotDisturbed() {
    assertThat(DriverPlan.next(seen().modules(NONE).see()))
        .isEqualTo(new Next.Start(Map.of(), false));
  }

  @Test
  void aFreshNodeWaitsForItsNetworkDrivers() {
    assertThat(DriverPlan.next(seen().modules(NONE).lacking("the network").see()))
        .isEqualTo(new Await(For.HOST, "the network"));
  }

  @Test
  void aDriverWaitsForVirtualMachinesThatHaveGpus() {
    var held = seen().machines("0000:0a:00.0: in use by process 4711 (qemu-kvm)");
    for (LoadedModules modules : List.of(IDLE, NONE)) {
      assertThat(DriverPlan.next(held.pods(noPods()).modules(modules).see()))
          .isInstanceOfSatisfying(
              Await.class,
              await -> {
                assertThat(await.what()).isEqualTo(For.HOST);
                assertThat(await.words()).contains("0000:0a:00.0", "4711", "shut them down");
              });
    }
    assertThat(DriverPlan.next(held.labels(Map.of(PLUGIN, PAUSED)).see()))
        .isEqualTo(new Next.Resume(Map.of(PLUGIN, "true")));
  }

  @Test
  void gpusForVirtualMachines_areNotWaitedFor() {
    var machines = Map.of("nvidia.com/gpu.deploy.vfio-manager", "true");
    var held = seen().modules(NONE).machines("0000:0a:00.0: in use by process 4711 (qemu-kvm)");

    assertThat(DriverPlan.next(held.labels(machines).see()))
        .isEqualTo(new Next.Start(Map.of(), false));
  }

  @Test
  void theSameDriverIsKeptBesideAVirtualMachine() {
    assertThat(DriverPlan.next(seen().installed("1").wanted("1").machines("0000:0a:00.0").see()))
        .isEqualTo(new Next.Start(Map.of(), true));
  }

  @Test
  void aHostWithADriverOfItsOwnIsLabelledOnce() {
    var driver = Map.of(OperandLabels.DRIVER, "true");
    assertThat(DriverPlan.next(seen().ownDriver("580.1").labels(driver).see()))
        .isInstanceOfSatisfying(
            Next.LeaveToHost.class,
            leave ->
                assertThat(leave.labels())
                    .containsOnly(Map.entry(OperandLabels.DRIVER, "pre-installed")));
    assertThat(
            DriverPlan.next(
                seen()
                    .ownDriver("580.1")
                    .labels(Map.of(OperandLabels.DRIVER, "pre-installed"))
                    .see()))
        .isInstanceOfSatisfying(
            Next.LeaveToHost.class, leave -> assertThat(leave.labels()).isEmpty());
  }

  @Test
  void aNodeThatIsToHaveNoDriverIsNotLabelled() {
    var machines = Map.of("nvidia.com/gpu.deploy.vfio-manager", "true", PLUGIN, PAUSED);
    assertThat(DriverPlan.next(seen().ownDriver("580.1").labels(machines).see()))
        .isInstanceOfSatisfying(
            Next.LeaveToHost.class,
            leave -> {
              assertThat(leave.labels()).containsOnly(Map.entry(PLUGIN, "true"));
              assertThat(leave.why()).contains("580.1", "remove it and reboot");
            });
  }

  @Test
  void aContainerIsHadInAnyCaseWhereAUserSaysSo() {
    var own = Map.of(PLUGIN, "true", NodeLabels.OWNER_OF_DRIVER, "pitcrew");
    assertThat(DriverPlan.next(seen().ownDriver("580.1").labels(own).modules(NONE).see()))
        .isEqualTo(new Next.Start(Map.of(), false));

    Observed loaded = seen().ownDriver("580.1").labels(own).pods(noPods()).see();
    assertThat(loaded.isReplacement()).isTrue();
    assertThat(DriverPlan.next(loaded)).isEqualTo(new Next.Pause(Map.of(PLUGIN, PAUSED)));

    var hosts = Map.of(PLUGIN, "true", NodeLabels.OWNER_OF_DRIVER, "host");
    Observed left = seen().ownDriver("580.1").labels(hosts).see();
    assertThat(left.isReplacement()).isFalse();
    assertThat(DriverPlan.next(left)).isInstanceOf(Next.LeaveToHost.class);
  }

  @Test
  void nothingIsPausedWhileAPodHoldsAGpu() {
    var next = DriverPlan.next(seen().pods(holding("team/train")).see());

    assertThat(next)
        .isInstanceOfSatisfying(
            Await.class,
            await -> {
              assertThat(await.what()).isEqualTo(For.GPU_HOLDERS);
              assertThat(await.words()).contains("pod team/train holds a GPU", "autoUpgrade");
            });
  }

  @Test
  void foreignUser_isOnlyAHolderOfTheDriversOwnModules() {
    var other = new Module(1, Set.of("video"));

    assertThat(
            new LoadedModules(Map.of("i915", other, "nvidia", new Module(0, Set.of())))
                .foreignUser())
        .isEmpty();
    assertThat(
            new LoadedModules(
                    Map.of("i915", other, "nvidia", new Module(2, Set.of("nvidia_uvm", "lustre"))))
                .foreignUser())
        .contains("lustre");
  }

  @Test
  void atMostFivePodsThatHoldAGpuAreNamed() {
    assertThat(waitingFor("a", "b", "c", "d", "e"))
        .contains("pods a, b, c, d, e hold a GPU")
        .doesNotContain("more");
    assertThat(waitingFor("a", "b", "c", "d", "e", "f", "g"))
        .contains("pods a, b, c, d, e and 2 more hold a GPU");
  }

  private static String waitingFor(String... pods) {
    var held = new Observed.Pods(List.of(pods), Map.of(), false);
    return ((Await) DriverPlan.next(seen().pods(held).see())).words();
  }

  @Test
  void aPodThatCameInBetweenGetsItsOperandsBack() {
    assertThat(
            DriverPlan.next(
                seen().labels(Map.of(PLUGIN, PAUSED)).pods(holding("team/train")).see()))
        .isEqualTo(new Next.Resume(Map.of(PLUGIN, "true")));
  }

  @Test
  void labelsThatAreNotThereAreNotWritten() {
    assertThat(
            DriverPlan.next(
                seen()
                    .labels(Map.of(PLUGIN, "true", DCGM, "false", "example.com/own", "x"))
                    .own("example.com/own")
                    .pods(noPods())
                    .see()))
        .isEqualTo(new Next.Pause(Map.of(PLUGIN, PAUSED, "example.com/own", "x_" + PAUSED)));
  }

  @Test
  void operandsAndAgentAreWaitedFor() {
    var paused = Map.of(PLUGIN, PAUSED, DCGM, "false");
    var pods =
        new Observed.Pods(
            List.of(), Map.of(PLUGIN, Set.of("gpu/plugin-1"), DCGM, Set.of("gpu/dcgm-1")), true);
    assertThat(DriverPlan.next(seen().labels(paused).pods(pods).see()))
        .isInstanceOfSatisfying(
            Await.class,
            await -> assertThat(await.words()).contains("gpu/plugin-1").doesNotContain("dcgm-1"));

    var onlyAgent = new Observed.Pods(List.of(), Map.of(), true);
    assertThat(DriverPlan.next(seen().labels(paused).pods(onlyAgent).see()))
        .isInstanceOfSatisfying(
            Await.class, await -> assertThat(await.words()).contains("close NVML"));
    assertThat(DriverPlan.next(seen().labels(paused).released(BOOT, "9").pods(onlyAgent).see()))
        .as("an answer to an earlier version of the Node")
        .isInstanceOf(Await.class);
    assertThat(DriverPlan.next(seen().labels(paused).released(BOOT, "10").pods(onlyAgent).see()))
        .isInstanceOf(Next.Unload.class);
  }

  @Test
  void agent_isPausedAlsoWhereEveryOperandIsTurnedOff() {
    var off = Map.of(PLUGIN, "false", DCGM, "false");
    var agent = new Observed.Pods(List.of(), Map.of(), true);
    var paused = Map.of(PLUGIN, "false_" + PAUSED, DCGM, "false");
    assertThat(DriverPlan.next(seen().labels(off).pods(agent).see()))
        .isEqualTo(new Next.Pause(Map.of(PLUGIN, "false_" + PAUSED)));
    assertThat(DriverPlan.next(seen().labels(paused).pods(agent).see()))
        .isInstanceOfSatisfying(
            Await.class, await -> assertThat(await.words()).contains("close NVML"));
    assertThat(DriverPlan.next(seen().labels(paused).modules(NONE).pods(agent).see()))
        .isEqualTo(new Next.Start(Map.of(PLUGIN, "false"), false));

    assertThat(DriverPlan.next(seen().labels(off).pods(noPods()).see()))
        .as("without an agent")
        .isInstanceOf(Next.Unload.class);
    assertThat(DriverPlan.next(seen().labels(off).released(BOOT, "10").pods(agent).see()))
        .as("it has released the driver automatically")
        .isInstanceOf(Next.Unload.class);
  }

  @Test
  void labelOfAUser_doesNotPauseTheAgent() {
    var own = Map.of(PLUGIN, "false", "example.com/own", "x_" + PAUSED);
    var agent = new Observed.Pods(List.of(), Map.of(), true);
    assertThat(DriverPlan.next(seen().own("example.com/own").labels(own).pods(agent).see()))
        .isEqualTo(new Next.Pause(Map.of(PLUGIN, "false_" + PAUSED)));
  }

  @Test
  void theUsersOfALabelOfOnesOwnAreWaitedForToo() {
    var pods =
        new Observed.Pods(
            List.of(),
            Map.of("example.com/own", Set.of("team/own-1"), "example.com/other", Set.of("team/2")),
            false);
    var paused = Map.of("example.com/own", "x_" + PAUSED, "example.com/other", PAUSED);
    assertThat(DriverPlan.next(seen().own("example.com/own").labels(paused).pods(pods).see()))
        .isInstanceOfSatisfying(
            Await.class,
            await -> assertThat(await.words()).contains("team/own-1").doesNotContain("team/2"));
  }

  @Test
  void countsAreLookedAtBeforeAnythingIsUnloaded() {
    var held = seen().labels(Map.of(PLUGIN, PAUSED)).pods(noPods()).modules(modules(3, 1));
    assertThat(DriverPlan.next(held.see()))
        .isInstanceOfSatisfying(
            Await.class,
            await -> {
              assertThat(await.what()).isEqualTo(For.NO_USER);
              assertThat(await.words()).contains("{nvidia=1, nvidia_uvm=1}");
            });
    assertThat(DriverPlan.next(held.processes(true, "process 7 (python)").see()))
        .isInstanceOfSatisfying(
            Await.class,
            await -> {
              assertThat(await.what()).isEqualTo(For.KERNEL);
              assertThat(await.words()).contains("process 7 (python)");
            });
  }

  @Test
  void managerThatDoesNotSeeAllProcesses_doesNotReportAnUnusedDriver() {
    var held = seen().labels(Map.of(PLUGIN, PAUSED)).pods(noPods()).modules(modules(3, 1));
    assertThat(DriverPlan.next(held.processes(false).see()))
        .isInstanceOfSatisfying(
            Await.class,
            await -> {
              assertThat(await.what()).isEqualTo(For.KERNEL);
              assertThat(await.words())
                  .contains("{nvidia=1, nvidia_uvm=1}", "a driver pod that is still terminating");
            });
  }

  @Test
  void moduleOfAnotherOwner_isNamed() {
    var modules = new LoadedModules(Map.of("nvidia", new Module(1, Set.of("strange_fs"))));
    assertThat(
            DriverPlan.next(
                seen().labels(Map.of(PLUGIN, PAUSED)).pods(noPods()).modules(modules).see()))
        .isInstanceOfSatisfying(
            Await.class, await -> assertThat(await.words()).contains("kernel module strange_fs"));
  }

  @Test
  void dependentModule_isUnloadedFirst() {
    var modules =
        new LoadedModules(
            Map.of(
                "nvidia_drm", new Module(0, Set.of()),
                "nvidia_modeset", new Module(1, Set.of("nvidia_drm")),
                "nvidia", new Module(1, Set.of("nvidia_modeset"))));
    assertThat(
            DriverPlan.next(
                seen().labels(Map.of(PLUGIN, PAUSED)).pods(noPods()).modules(modules).see()))
        .isEqualTo(new Next.Unload(List.of("nvidia_drm", "nvidia_modeset", "nvidia")));
  }

  @Test
  void aWedgeIsKnownAtOnceAndUntilItIsOver() {
    var wedged = seen().modules(modules(3, 1)).pods(noPods());

    assertThat(DriverPlan.next(wedged.stuckDriver(BOOT, 1).see())).isInstanceOf(Next.Reboot.class);
    assertThat(DriverPlan.next(wedged.stuckDriver("boot-0", 1).see()))
        .as("before a reboot")
        .isInstanceOf(Next.Pause.class);
    assertThat(DriverPlan.next(wedged.modules(modules(2, 0)).stuckDriver(BOOT, 1).see()))
        .as("the count came down")
        .isInstanceOf(Next.Pause.class);
    assertThat(
            DriverPlan.next(
                wedged.installed("2").modules(modules(3, 1)).stuckDriver(BOOT, 1).see()))
        .as("the driver that runs is wanted again")
        .isEqualTo(new Next.Start(Map.of(), true));
  }

  private static Observed.Pods noPods() {
    return new Observed.Pods(List.of(), Map.of(), false);
  }

  private static Observed.Pods holding(String pod) {
    return new Observed.Pods(List.of(pod), Map.of(), false);
  }

  private static LoadedModules modules(int driver, int uvm) {
    return Seen.modules(driver, uvm);
  }

  private static Seen seen() {
    return new Seen();
  }
}
