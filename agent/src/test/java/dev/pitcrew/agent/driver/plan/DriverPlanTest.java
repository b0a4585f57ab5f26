package dev.pitcrew.agent.driver.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.driver.plan.LoadedModules.Module;
import dev.pitcrew.agent.driver.plan.Next.Await;
import dev.pitcrew.agent.driver.plan.Next.For;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.core.names.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DriverPlanTest {
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String DCGM = "nvidia.com/gpu.deploy.dcgm";
  private static final String PAUSED = "paused-for-driver-upgrade";
  private static final String BOOT = "boot-1";
  private static final LoadedModules IDLE = modules(0, 0);
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
    assertThat(DriverPlan.next(seen().installed("").wanted("").pods(nobody()).see()))
        .isEqualTo(new Next.Pause(Map.of(PLUGIN, PAUSED)));
  }

  @Test
  void theSameDriverIsLoadedAnewWhereThatIsForced() {
    assertThat(DriverPlan.next(seen().installed("1").wanted("1").forced().pods(nobody()).see()))
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
  void aHostWithADriverOfItsOwnIsLabelledOnce() {
    assertThat(DriverPlan.next(seen().ownDriver("580.1").see()))
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
  void aContainerIsHadInAnyCaseWhereAUserSaysSo() {
    var own = Map.of(PLUGIN, "true", NodeLabels.OWNER_OF_DRIVER, "pitcrew");
    assertThat(DriverPlan.next(seen().ownDriver("580.1").labels(own).modules(NONE).see()))
        .isEqualTo(new Next.Start(Map.of(), false));

    Observed loaded = seen().ownDriver("580.1").labels(own).pods(nobody()).see();
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
                    .pods(nobody())
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
    var held = seen().labels(Map.of(PLUGIN, PAUSED)).pods(nobody()).modules(modules(3, 1));
    assertThat(DriverPlan.next(held.see()))
        .isInstanceOfSatisfying(
            Await.class,
            await -> {
              assertThat(await.what()).isEqualTo(For.NOBODY);
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
  void whoDoesNotSeeAllProcessesSaysNotThatNobodyIsLeft() {
    var held = seen().labels(Map.of(PLUGIN, PAUSED)).pods(nobody()).modules(modules(3, 1));
    assertThat(DriverPlan.next(held.processes(false).see()))
        .isInstanceOfSatisfying(
            Await.class,
            await -> {
              assertThat(await.what()).isEqualTo(For.KERNEL);
              assertThat(await.words())
                  .contains("{nvidia=1, nvidia_uvm=1}", "a driver pod that still ends");
            });
  }

  @Test
  void aModuleOfSomebodyElseIsNamed() {
    var modules = new LoadedModules(Map.of("nvidia", new Module(1, Set.of("strange_fs"))));
    assertThat(
            DriverPlan.next(
                seen().labels(Map.of(PLUGIN, PAUSED)).pods(nobody()).modules(modules).see()))
        .isInstanceOfSatisfying(
            Await.class, await -> assertThat(await.words()).contains("kernel module strange_fs"));
  }

  @Test
  void whoUsesAnotherIsUnloadedFirst() {
    var modules =
        new LoadedModules(
            Map.of(
                "nvidia_drm", new Module(0, Set.of()),
                "nvidia_modeset", new Module(1, Set.of("nvidia_drm")),
                "nvidia", new Module(1, Set.of("nvidia_modeset"))));
    assertThat(
            DriverPlan.next(
                seen().labels(Map.of(PLUGIN, PAUSED)).pods(nobody()).modules(modules).see()))
        .isEqualTo(new Next.Unload(List.of("nvidia_drm", "nvidia_modeset", "nvidia")));
  }

  @Test
  void aWedgeIsKnownAtOnceAndUntilItIsOver() {
    var wedged = seen().modules(modules(3, 1)).pods(nobody());

    assertThat(DriverPlan.next(wedged.wedge(BOOT, 1).see())).isInstanceOf(Next.Reboot.class);
    assertThat(DriverPlan.next(wedged.wedge("boot-0", 1).see()))
        .as("before a reboot")
        .isInstanceOf(Next.Pause.class);
    assertThat(DriverPlan.next(wedged.modules(modules(2, 0)).wedge(BOOT, 1).see()))
        .as("the count came down")
        .isInstanceOf(Next.Pause.class);
    assertThat(DriverPlan.next(wedged.installed("2").modules(modules(3, 1)).wedge(BOOT, 1).see()))
        .as("the driver that runs is wanted again")
        .isEqualTo(new Next.Start(Map.of(), true));
  }

  private static Observed.Pods nobody() {
    return new Observed.Pods(List.of(), Map.of(), false);
  }

  private static Observed.Pods holding(String pod) {
    return new Observed.Pods(List.of(pod), Map.of(), false);
  }

  /// @param driver the count of `nvidia`, which two modules use
  private static LoadedModules modules(int driver, int uvm) {
    return new LoadedModules(
        Map.of(
            "nvidia", new Module(driver, Set.of("nvidia_uvm", "nvidia_modeset")),
            "nvidia_uvm", new Module(uvm, Set.of()),
            "nvidia_modeset", new Module(0, Set.of())));
  }

  private static Seen seen() {
    return new Seen();
  }

  /// A node with driver `1`, where `2` is wanted and one operand runs.
  private static final class Seen {
    private Observed.Asked asked =
        new Observed.Asked("2", false, new OperandLabels(Optional.empty()));
    private Observed.Host host =
        new Observed.Host(
            Optional.empty(),
            IDLE,
            "1",
            BOOT,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            new Observed.Processes(List.of(), true));
    private Map<String, String> labels = Map.of(PLUGIN, "true");
    private Optional<Observed.Pods> pods = Optional.empty();

    Observed see() {
      return new Observed(asked, host, new Observed.Node(labels, Map.of(), "10"), pods);
    }

    Seen wanted(String digest) {
      asked = new Observed.Asked(digest, asked.forces(), asked.operands());
      return this;
    }

    Seen forced() {
      asked = new Observed.Asked(asked.digest(), true, asked.operands());
      return this;
    }

    Seen own(String label) {
      asked =
          new Observed.Asked(asked.digest(), asked.forces(), new OperandLabels(Optional.of(label)));
      return this;
    }

    Seen labels(Map<String, String> given) {
      labels = given;
      return this;
    }

    Seen pods(Observed.Pods given) {
      pods = Optional.of(given);
      return this;
    }

    Seen installed(String digest) {
      return host(host.modules(), digest, host.ownDriver(), host.lacks(), host.wedge());
    }

    Seen modules(LoadedModules modules) {
      return host(modules, host.installedDigest(), host.ownDriver(), host.lacks(), host.wedge());
    }

    Seen ownDriver(String version) {
      return host(
          host.modules(), host.installedDigest(), Optional.of(version), host.lacks(), host.wedge());
    }

    Seen lacking(String lack) {
      return host(
          host.modules(),
          host.installedDigest(),
          host.ownDriver(),
          Optional.of(lack),
          host.wedge());
    }

    Seen wedge(String bootId, int uvm) {
      return host(
          host.modules(),
          host.installedDigest(),
          host.ownDriver(),
          host.lacks(),
          Optional.of(new Wedge(bootId, Map.of("nvidia_uvm", uvm), "stuck")));
    }

    Seen released(String bootId, String version) {
      var release =
          new DriverRelease(DriverRelease.API_VERSION, "n", bootId, version, Map.of(), Map.of());
      host =
          new Observed.Host(
              host.ownDriver(),
              host.modules(),
              host.installedDigest(),
              host.bootId(),
              host.lacks(),
              host.wedge(),
              Optional.of(release),
              host.processes());
      return this;
    }

    Seen processes(boolean areAll, String... users) {
      host =
          new Observed.Host(
              host.ownDriver(),
              host.modules(),
              host.installedDigest(),
              host.bootId(),
              host.lacks(),
              host.wedge(),
              host.release(),
              new Observed.Processes(List.of(users), areAll));
      return this;
    }

    private Seen host(
        LoadedModules modules,
        String digest,
        Optional<String> ownDriver,
        Optional<String> lacks,
        Optional<Wedge> wedge) {
      host =
          new Observed.Host(
              ownDriver,
              modules,
              digest,
              host.bootId(),
              lacks,
              wedge,
              host.release(),
              host.processes());
      return this;
    }
  }
}
