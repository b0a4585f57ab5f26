package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.mig.change.BusyPolicy;
import dev.pitcrew.agent.mig.change.ChangeOptions;
import dev.pitcrew.agent.mig.change.ChangeOutcome;
import dev.pitcrew.agent.mig.change.GpuAccess;
import dev.pitcrew.agent.mig.change.Journal;
import dev.pitcrew.agent.mig.change.MigChange;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.device.dra.ClaimDevice.MigPart;
import dev.pitcrew.device.dra.ClaimDevice.Partition;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigNode;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.Placement;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.gpu.Partitions;
import dev.pitcrew.hardware.nvml.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes the MIG devices of claims by the transactions that also carry out the layout of a node
/// ([MigChange]): each step is judged by what the GPU then shows, and a change that fails is rolled
/// back. One GPU is read and changed at a time; the others are not asked.
public final class MigPartitions implements PartitionStep {
  private static final Logger LOG = LoggerFactory.getLogger(MigPartitions.class);

  /// The kubelet waits 45 s for all claims of a pod; the rollback has as long again.
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private static final String TAKEN =
      "GPU %d: the agent changes GPUs of the node for another reason; the kubelet tries again";

  /// More GPUs than a node has.
  private static final int MOST_GPUS = 256;

  private final Supplier<GpuSettings> settings;
  private final GpuTurn turn;
  private final Path folder;
  private final InstantSource clock;
  private final Consumer<Set<String>> announced;

  /// @param settings where the GPUs are now
  /// @param folder for the state of one change, of this process only: what a killed process has
  ///   made is in the journal of the claims
  /// @param announced see [#announce]
  public MigPartitions(
      Supplier<GpuSettings> settings,
      GpuTurn turn,
      Path folder,
      InstantSource clock,
      Consumer<Set<String>> announced) {
    this.announced = announced;
    this.settings = settings;
    this.turn = turn;
    this.folder = folder;
    this.clock = clock;
    new Journal(folder).discard();
  }

  /// The GPUs while one of them is changed.
  private static final class Access implements GpuAccess {
    private final GpuSettings settings;
    private final Set<Integer> others;
    private Optional<Gpus> opened = Optional.empty();

    Access(GpuSettings settings, int index) {
      this.settings = settings;
      this.others =
          IntStream.range(0, MOST_GPUS)
              .filter(other -> other != index)
              .boxed()
              .collect(Collectors.toUnmodifiableSet());
    }

    Answer<Gpus> open() {
      if (opened.isPresent()) {
        return Answer.of(opened.get());
      }
      Answer<Gpus> answer = Gpus.open(settings);
      opened = answer.toOptional();
      return answer;
    }

    @Override
    public Answer<Partitions> gpus() {
      return open().map(gpus -> gpus.partitions().sparing(others));
    }

    @Override
    public Optional<String> reset(List<MigGpu> gpus) {
      return Optional.of("a GPU is not reset for a claim");
    }

    @Override
    public void close() {
      opened.ifPresent(Gpus::close);
      opened = Optional.empty();
    }
  }

  @Override
  public Result make(Partition wanted) {
    int index = wanted.gpu().index();
    return turn.take(() ->
            with(
                index,
                access ->
                    inTheWay(access, wanted)
                        .or(() ->
                            change(
                                access,
                                index,
                                new ClaimLayout.With(wanted.gpu().uuid(), wanted.placement())))
                        .<Result>map(failed -> failed)
                        .orElseGet(() -> made(access, wanted))))
        .orElseGet(() -> new Result.Failed(TAKEN.formatted(index)));
  }

  /// An instance that is there already is not the claim's, also where it is as the claim wants it.
  private static Optional<Result.Failed> inTheWay(Access access, Partition wanted) {
    var place = new Placement(wanted.placement().start(), wanted.placement().slices());
    List<GpuInstance> found =
        access.gpus().flatMap(gpus -> gpus.read(wanted.gpu().index())).toOptional().stream()
            .map(MigGpu::division)
            .filter(MigPartitioning.Capable.class::isInstance)
            .flatMap(division -> ((MigPartitioning.Capable) division).instances().stream())
            .filter(instance -> instance.placement().overlaps(place))
            .toList();
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Result.Failed(
                "GPU %d has no room for %s: %s is there, and was not made for this claim; destroy it, or delete the pod so that it is scheduled again"
                    .formatted(wanted.gpu().index(), wanted.name(), ClaimLayout.text(found))));
  }

  /// A MIG device that cannot be read is of no use.
  private Result made(Access access, Partition wanted) {
    Result found = find(access, wanted);
    if (!(found instanceof Result.Failed(var reason, _))) {
      return found;
    }
    Optional<String> left = remove(access, wanted.gpu().index(), OwnPartition.of(wanted));
    return new Result.Failed(
        left.map(problem -> reason + "; it is left: " + problem).orElse(reason), left.isPresent());
  }

  @Override
  public Result find(Partition wanted) {
    return with(wanted.gpu().index(), access -> find(access, wanted));
  }

  private static Result find(Access access, Partition wanted) {
    int index = wanted.gpu().index();
    Answer<Gpu> answer = access.open().flatMap(gpus -> gpus.gpu(index));
    if (!(answer instanceof Answer.Value<Gpu>(var gpu))) {
      return new Result.Failed("GPU %d cannot be read: %s".formatted(index, answer.reason()));
    }
    return gpu.mig().migDevices().stream()
        .filter(_ -> gpu.uuid().equals(wanted.gpu().uuid()))
        .filter(device -> device.placement().equals(Optional.of(wanted.placement())))
        .filter(device -> device.profile().isWhole())
        .findFirst()
        .<Result>map(device -> new Result.Found(new MigPart(wanted.gpu(), device)))
        .orElseGet(() ->
            new Result.Failed(
                "GPU %d: MIG device %s is not there, and a claim with admin access does not make it"
                    .formatted(index, wanted.name())));
  }

  @Override
  public Optional<String> remove(OwnPartition own) {
    Optional<Integer> place = index(own);
    if (place.isEmpty()) {
      return Optional.empty();
    }
    int index = place.get();
    return turn.take(() -> with(index, access -> remove(access, index, own)))
        .orElseGet(() -> Optional.of(TAKEN.formatted(index)));
  }

  private Optional<String> remove(Access access, int index, OwnPartition own) {
    var layout = new ClaimLayout.Without(own.gpu(), own.placement());
    Optional<String> problem = change(access, index, layout).map(Result.Failed::reason);
    if (problem.isEmpty()) {
      // The GPU can stay in MIG mode: the next claim for the whole GPU turns it off.
      whole(access, own.gpu(), index)
          .ifPresent(failed -> LOG.atInfo().log("MIG mode stays on: {}", failed.reason()));
    }
    return problem;
  }

  /// Where NVML has the GPU by now; empty where the node does not have it any longer, and its
  /// instances neither.
  private Optional<Integer> index(OwnPartition own) {
    return with(
        own.index(),
        access -> {
          boolean isThere =
              access
                  .gpus()
                  .flatMap(gpus -> gpus.read(own.index()))
                  .toOptional()
                  .filter(gpu -> gpu.uuid().equals(own.gpu()))
                  .isPresent();
          if (isThere) {
            return Optional.of(own.index());
          }
          Answer<MigNode> all = access.open().flatMap(gpus -> gpus.partitions().read());
          if (!(all instanceof Answer.Value<MigNode>(var node))) {
            return Optional.of(own.index());
          }
          Optional<Integer> moved =
              node.gpus().stream()
                  .filter(gpu -> gpu.uuid().equals(own.gpu()))
                  .map(MigGpu::index)
                  .findFirst();
          return moved.or(() -> Optional.of(own.index()).filter(_ -> !node.unreadable().isEmpty()));
        });
  }

  @Override
  public Optional<String> makeWhole(Gpu gpu) {
    return turn.take(() ->
            with(
                gpu.index(),
                access ->
                    change(access, gpu.index(), new ClaimLayout.Whole(gpu.uuid()))
                        .map(Result.Failed::reason)))
        .orElseGet(() -> Optional.of(TAKEN.formatted(gpu.index())));
  }

  @Override
  public void announce(Set<String> own) {
    announced.accept(own);
  }

  /// Turns MIG mode off where the GPU has no instance left and changes its mode without a reset.
  private Optional<Result.Failed> whole(Access access, String uuid, int index) {
    Answer<MigGpu> read = access.gpus().flatMap(gpus -> gpus.read(index));
    boolean isEmpty =
        read instanceof Answer.Value<MigGpu>(var gpu)
            && gpu.division() instanceof MigPartitioning.Capable division
            && division.isEnabled()
            && division.instances().isEmpty()
            && !gpu.changesModeByReset();
    return isEmpty ? change(access, index, new ClaimLayout.Whole(uuid)) : Optional.empty();
  }

  /// @return why the GPU is not as it is wanted
  private Optional<Result.Failed> change(Access access, int index, ClaimLayout layout) {
    Answer<MigGpu> read = access.gpus().flatMap(gpus -> gpus.read(index));
    if (!(read instanceof Answer.Value<MigGpu>(var gpu))) {
      return Optional.of(
          new Result.Failed("GPU %d cannot be read: %s".formatted(index, read.reason())));
    }
    List<GpuPlan.Steps> steps = layout.steps(List.of(gpu));
    Supplier<ChangeOutcome> run =
        () ->
            new MigChange(access, new Journal(folder), clock, step -> LOG.atInfo().log(step))
                .run(layout, new ChangeOptions(false, BusyPolicy.REFUSE, LIMIT));
    ChangeOutcome outcome;
    if (steps.stream().anyMatch(GpuPlan.Steps::changesMode)) {
      access.close();
      outcome = turn.alone(run);
    } else {
      outcome = run.get();
    }
    if (!steps.isEmpty()) {
      turn.changed();
    }
    boolean isLeft = outcome instanceof ChangeOutcome.Failed(_, boolean isRestored) && !isRestored;
    return Optional.of(outcome.text())
        .filter(text -> !text.isEmpty())
        .map(text -> new Result.Failed(text, isLeft));
  }

  private <T> T with(int index, Function<Access, T> work) {
    try (var access = new Access(settings.get(), index)) {
      return work.apply(access);
    }
  }
}
