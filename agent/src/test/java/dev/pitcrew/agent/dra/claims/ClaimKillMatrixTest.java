package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.claims.ClaimPreparer.Step;
import dev.pitcrew.agent.dra.claims.TestSupervisor.Daemons;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Test budget 120 s: a life of a claim for each kind and each step, twice.
/// A process that prepares or unprepares a claim of any kind dies after any of its steps. Whichever
/// call the kubelet makes next, the claim is prepared once, and in the end the GPU, the checkpoint
/// and the CDI files are as before it. The steps are those that a life without a kill has.
class ClaimKillMatrixTest {
  private static final String UID = "0a1b2c3d-0000-4000-8000-000000000001";
  private static final String ADDRESS = "0000:1a:00.0";
  private static final Pattern SETTING =
      Pattern.compile("nvidia-smi .*(--set-timeslice|-c) (0|DEFAULT|.+)");

  @TempDir private Path folder;
  private int lives;

  /// Stands for SIGKILL: nothing of the process runs any more.
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  private enum Call {
    PREPARE,
    UNPREPARE
  }

  private enum Kind {
    WHOLE_GPU,
    TIME_SLICE,
    MPS,
    STATIC_MIG,
    DYNAMIC_MIG,
    VIRTUAL_MACHINE
  }

  /// A node with one claim, on which processes follow each other.
  private interface Bed extends AutoCloseable {
    ClaimObject claim();

    /// As after a start.
    ClaimPreparer start(Consumer<Step> steps);

    NodeDevices devices(ClaimPreparer preparer);

    /// What a claim changes of GPUs.
    List<String> hardware() throws IOException;

    TestNode files();

    @Override
    default void close() throws IOException {}
  }

  private Bed bed(Kind kind) throws IOException {
    Path own = Files.createDirectory(folder.resolve(kind + "-" + lives++));
    return switch (kind) {
      case WHOLE_GPU -> plain(TestNode.of(own, "h100x2", List.of()), "gpu-0", "");
      case TIME_SLICE ->
          plain(TestNode.of(own, "h100x2", List.of()), "gpu-0", TestClaim.LONG_SLICE);
      case MPS -> withDaemons(TestNode.of(own, "h100x2", List.of()));
      case STATIC_MIG -> {
        List<String> layout = Facts.texts(Facts.read("mig-static-prepare").path("migStateBefore"));
        TestNode node = TestNode.of(own, "h100x1", layout);
        yield plain(node, new TreeMap<>(node.devices().devices()).firstKey(), "");
      }
      case DYNAMIC_MIG -> partitioned(new PartitionedNode(own, "h100", 1));
      case VIRTUAL_MACHINE -> machine(PassthroughNode.of(own, "h100x2"));
    };
  }

  private record PlainBed(TestNode files, FeatureSwitches switches, ClaimObject claim)
      implements Bed {
    @Override
    public ClaimPreparer start(Consumer<Step> steps) {
      return files.preparer(switches, (_, _) -> {}, steps);
    }

    @Override
    public NodeDevices devices(ClaimPreparer preparer) {
      return files.devices();
    }

    /// What the last calls of `nvidia-smi` have set, other than the defaults.
    @Override
    public List<String> hardware() throws IOException {
      Path log = files.folder().resolve("nvidia-smi.log");
      var settings = new TreeMap<String, String>();
      for (String line : Files.exists(log) ? Files.readAllLines(log) : List.<String>of()) {
        var call = SETTING.matcher(line);
        assertThat(call.matches()).as(line).isTrue();
        settings.put(call.group(1), call.group(2));
      }
      settings.values().removeIf(value -> value.equals("0") || value.equals("DEFAULT"));
      return settings.entrySet().stream().map(Object::toString).toList();
    }
  }

  private static Bed plain(TestNode node, String device, String settings) {
    return new PlainBed(
        node, new FeatureSwitches(true, false, false), TestClaim.of(UID, device, settings, false));
  }

  private static Bed withDaemons(TestNode node) throws IOException {
    TestSupervisor supervisor = TestSupervisor.start(node, Daemons.START);
    var plain =
        new PlainBed(
            node,
            new FeatureSwitches(false, true, false),
            TestClaim.of(UID, "gpu-0", TestClaim.MPS, false));
    return new Bed() {
      @Override
      public ClaimObject claim() {
        return plain.claim();
      }

      @Override
      public ClaimPreparer start(Consumer<Step> steps) {
        return plain.start(steps);
      }

      @Override
      public NodeDevices devices(ClaimPreparer preparer) {
        return plain.devices(preparer);
      }

      @Override
      public List<String> hardware() throws IOException {
        return Stream.concat(plain.hardware().stream(), supervisor.running().stream()).toList();
      }

      @Override
      public TestNode files() {
        return node;
      }

      @Override
      public void close() throws IOException {
        supervisor.close();
      }
    };
  }

  private static Bed partitioned(PartitionedNode node) {
    return new Bed() {
      @Override
      public ClaimObject claim() {
        return TestClaim.of(UID, "gpu-0-mig-1g10gb-19-0", "", false);
      }

      @Override
      public ClaimPreparer start(Consumer<Step> steps) {
        return node.preparer(steps);
      }

      @Override
      public NodeDevices devices(ClaimPreparer preparer) {
        return node.devices(preparer);
      }

      @Override
      public List<String> hardware() {
        return node.migState();
      }

      @Override
      public TestNode files() {
        return node.files();
      }
    };
  }

  private static Bed machine(PassthroughNode node) {
    return new Bed() {
      @Override
      public ClaimObject claim() {
        return TestClaim.of(UID, "gpu-vfio-0", "", false);
      }

      @Override
      public ClaimPreparer start(Consumer<Step> steps) {
        ClaimPreparer preparer = node.preparer(node::written, steps);
        assertThat(preparer.recoverGiven()).isEmpty();
        return preparer;
      }

      @Override
      public NodeDevices devices(ClaimPreparer preparer) {
        return node.devices(preparer);
      }

      @Override
      public List<String> hardware() {
        return List.of(
            String.valueOf(node.pci().driverOf(ADDRESS)),
            "listed " + node.driver().lists(ADDRESS),
            "persistent " + node.driver().isPersistent(ADDRESS));
      }

      @Override
      public TestNode files() {
        return node.files();
      }
    };
  }

  private static void made(Bed bed, ClaimPreparer preparer, Call call) {
    switch (call) {
      case PREPARE ->
          assertThat(preparer.prepare(bed.claim(), bed.devices(preparer)))
              .isInstanceOf(PrepareOutcome.Prepared.class);
      case UNPREPARE ->
          assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    }
  }

  /// @return the steps of the call
  private static List<Step> steps(Bed bed, Call call) {
    var steps = new ArrayList<Step>();
    made(bed, bed.start(steps::add), call);
    return steps;
  }

  private static void killed(Bed bed, Call call, Step step) {
    ClaimPreparer mortal =
        bed.start(done -> {
          if (done == step) {
            throw new Killed();
          }
        });
    try {
      made(bed, mortal, call);
    } catch (Killed _) {
      return;
    }
    throw new AssertionError("%s has no step %s".formatted(call, step));
  }

  private static List<String> files(TestNode node) throws IOException {
    var files = new ArrayList<>(List.of(Files.readString(node.checkpoint())));
    if (Files.exists(node.cdi())) {
      try (Stream<Path> all = Files.list(node.cdi())) {
        all.map(Path::toString).sorted().forEach(files::add);
      }
    }
    return files;
  }

  /// One life of a claim with one kill.
  private void play(Kind kind, Call call, Step step, Call next) throws IOException {
    try (Bed bed = bed(kind)) {
      var _ = bed.start(_ -> {});
      List<String> hardware = bed.hardware();
      List<String> before = files(bed.files());
      if (call == Call.UNPREPARE) {
        made(bed, bed.start(_ -> {}), Call.PREPARE);
      }
      killed(bed, call, step);

      long began = System.nanoTime();
      ClaimPreparer successor = bed.start(_ -> {});
      made(bed, successor, next);
      long recovered = (System.nanoTime() - began) / 1_000_000;
      if (next == Call.PREPARE) {
        assertThat(successor.claims().values()).singleElement().matches(it -> it.isCompleted());
        assertThat(files(bed.files())).as("one CDI file").hasSize(2);
        made(bed, successor, Call.UNPREPARE);
      }
      assertThat(bed.hardware()).as("%s killed at %s", kind, step).isEqualTo(hardware);
      assertThat(files(bed.files())).as("%s killed at %s", kind, step).isEqualTo(before);
      System.out.printf(
          "%-15s %-9s killed after %-22s then %-9s: recovered in %d ms, nothing left%n",
          kind, call, step, next, recovered);
    }
  }

  @Test
  void claimIsPreparedOnceOrGone_whateverStepTheProcessIsKilledAfter() throws IOException {
    Set<Step> killed = EnumSet.noneOf(Step.class);
    for (Kind kind : Kind.values()) {
      for (Call call : Call.values()) {
        List<Step> steps;
        try (Bed bed = bed(kind)) {
          List<Step> ofPrepare = steps(bed, Call.PREPARE);
          steps = call == Call.PREPARE ? ofPrepare : steps(bed, Call.UNPREPARE);
        }
        for (Step step : new LinkedHashSet<>(steps)) {
          killed.add(step);
          for (Call next : Call.values()) {
            play(kind, call, step, next);
          }
        }
      }
    }
    assertThat(killed).containsExactlyInAnyOrder(Step.values());
  }
}
