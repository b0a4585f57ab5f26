package dev.pitcrew.agent.dra.claims;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cdi.CdiDevice;
import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiKind;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.dra.claims.plan.AllocatedClaim;
import dev.pitcrew.agent.dra.claims.plan.AllocatedClaim.Result;
import dev.pitcrew.agent.dra.claims.plan.Checkpoint;
import dev.pitcrew.agent.dra.claims.plan.ClaimSettings;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.state.WholeFile;
import dev.pitcrew.device.dra.ClaimDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Prepares the devices of ResourceClaims on the node:
///
/// 1. A claim that is prepared has the stored answer, and its CDI specification is written again if
///    it is gone.
/// 2. Each of its devices must be one that claims serve here, and no other claim's, unless one of
///    the two only looks at it (`adminAccess`) or shares it.
/// 3. The checkpoint has that the preparation has begun.
/// 4. The settings of the claim must apply to its devices.
/// 5. The CDI specification of the claim is written.
/// 6. The checkpoint has that the claim is prepared, and what the kubelet is answered.
///
/// Unprepare removes in the reverse order: the specification first, then the entry of the
/// checkpoint. A process that is killed at any point leaves at most a specification of a claim
/// whose entry says so; the kubelet calls again for as long as it has no answer, and an unprepare
/// removes both. What is not in the checkpoint is not prepared.
public final class ClaimPreparer {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimPreparer.class);
  private static final CdiKind KIND = new CdiKind("k8s.gpu.nvidia.com", "claim");
  private static final Pattern UID = Pattern.compile("[A-Za-z0-9-]{1,64}");

  private final CheckpointFile file;
  private final SpecificationFolder specifications;
  private final String bootId;
  private final ReentrantLock lock = new ReentrantLock();
  private Optional<Checkpoint> loaded = Optional.empty();
  private volatile NodeDevices devices =
      new NodeDevices.Unavailable("the GPUs of the node were not read yet");

  /// What came of a prepare.
  public sealed interface Prepared {
    record Devices(List<PreparedClaim.Device> devices) implements Prepared {
      public Devices {
        devices = List.copyOf(devices);
      }
    }

    record Refused(String reason) implements Prepared {}
  }

  /// What came of an unprepare.
  public sealed interface Unprepared {
    record Done() implements Unprepared {}

    record Failed(String reason) implements Unprepared {}
  }

  /// @param folder of the driver in the kubelet's folder of plugins
  /// @param bootId of this boot: what an earlier one prepared is gone
  public ClaimPreparer(Path folder, SpecificationFolder specifications, String bootId) {
    this.file = new CheckpointFile(folder);
    this.specifications = specifications;
    this.bootId = bootId;
  }

  /// From now on claims are prepared for these. What is prepared stays so.
  public void serve(NodeDevices now) {
    devices = now;
  }

  /// The names of the devices of all claims that are prepared or whose preparation has begun.
  public Set<String> devices() {
    lock.lock();
    try {
      return checkpoint().claims().values().stream()
          .flatMap(claim -> claim.names().stream())
          .collect(Collectors.toUnmodifiableSet());
    } finally {
      lock.unlock();
    }
  }

  /// @param claim a ResourceClaim of `resource.k8s.io/v1`
  public Prepared prepare(JsonNode claim) {
    return switch (devices) {
      case NodeDevices.Unavailable(var reason) -> new Prepared.Refused(reason);
      case NodeDevices.Available available ->
          switch (AllocatedClaim.read(claim, available.node())) {
            case AllocatedClaim.Read.Refused(var reason) -> new Prepared.Refused(reason);
            case AllocatedClaim.Read.Allocated(var allocated) -> {
              if (!UID.matcher(allocated.uid()).matches()) {
                yield new Prepared.Refused("metadata.uid is not a UID");
              }
              lock.lock();
              try {
                yield prepare(allocated, available);
              } finally {
                lock.unlock();
              }
            }
          };
    };
  }

  private Prepared prepare(AllocatedClaim claim, NodeDevices.Available available) {
    Optional<PreparedClaim> known =
        Optional.ofNullable(checkpoint().claims().get(claim.uid()))
            .filter(PreparedClaim::isCompleted);
    var wanted = new ArrayList<ClaimDevice>();
    for (Result result : claim.results()) {
      ClaimDevice device = available.byName().get(result.device());
      if (device == null) {
        return new Prepared.Refused(
            "device %s is not served by claims on node %s now: it is gone, or the device plugin offers its GPU; make the pod again, so that the scheduler chooses another"
                .formatted(result.device(), available.node()));
      }
      wanted.add(device);
    }
    return known.isPresent()
        ? restored(claim, known.get(), wanted, available)
        : begun(claim, wanted, available);
  }

  private Prepared restored(
      AllocatedClaim claim,
      PreparedClaim known,
      List<ClaimDevice> wanted,
      NodeDevices.Available available) {
    return specify(claim, wanted, available)
        .<Prepared>map(Prepared.Refused::new)
        .orElseGet(() -> new Prepared.Devices(known.devices()));
  }

  private Prepared begun(
      AllocatedClaim claim, List<ClaimDevice> wanted, NodeDevices.Available available) {
    PreparedClaim started = PreparedClaim.started(claim);
    return overlap(started)
        .or(() -> store(checkpoint().with(started)))
        .or(() -> misfit(claim, available.byName()))
        .or(() -> specify(claim, wanted, available))
        .<Prepared>map(Prepared.Refused::new)
        .orElseGet(() -> {
          PreparedClaim completed = PreparedClaim.completed(claim, KIND.toString(), wanted);
          return store(checkpoint().with(completed))
              .<Prepared>map(Prepared.Refused::new)
              .orElseGet(() -> new Prepared.Devices(completed.devices()));
        });
  }

  private Optional<String> overlap(PreparedClaim claim) {
    for (PreparedClaim other : checkpoint().claims().values()) {
      if (other.isCompleted() && !other.uid().equals(claim.uid())) {
        var both = new HashSet<>(claim.exclusive());
        both.retainAll(other.exclusive());
        if (!both.isEmpty()) {
          return Optional.of(
              "device %s is prepared for claim %s already"
                  .formatted(both.stream().sorted().findFirst().orElseThrow(), other.uid()));
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> misfit(AllocatedClaim claim, Map<String, ClaimDevice> devices) {
    return switch (ClaimSettings.verdict(claim, devices)) {
      case ClaimSettings.Verdict.Applies() -> Optional.empty();
      case ClaimSettings.Verdict.Refused(var reason) -> Optional.of(reason);
    };
  }

  private Optional<String> specify(
      AllocatedClaim claim, List<ClaimDevice> wanted, NodeDevices.Available available) {
    Map<String, CdiDevice> byUuid =
        available.specification().devices().stream()
            .collect(Collectors.toMap(CdiDevice::name, Function.identity()));
    var given = new ArrayList<CdiDevice>();
    for (ClaimDevice device : wanted) {
      CdiDevice known = byUuid.get(device.uuid());
      if (known == null) {
        return Optional.of(
            "device %s has no device file on node %s: see condition DevicesAdvertised of its GPUNode"
                .formatted(device.name(), available.node()));
      }
      given.add(new CdiDevice(PreparedClaim.cdiName(claim.uid(), device.name()), known.edits()));
    }
    var specification =
        new CdiSpecification(
            KIND, given.stream().distinct().toList(), available.specification().common());
    return switch (specifications.write(specification, CdiDocument.YAML, fileName(claim.uid()))) {
      case SpecificationFolder.Outcome.Failed(_, var message, _) -> Optional.of(message);
      case SpecificationFolder.Outcome.Written _, SpecificationFolder.Outcome.Unchanged _ ->
          Optional.empty();
    };
  }

  /// Without a call of the API server. A claim that is not known is unprepared.
  public Unprepared unprepare(String uid) {
    if (!UID.matcher(uid).matches()) {
      return new Unprepared.Failed("'%s' is not a UID".formatted(uid));
    }
    lock.lock();
    try {
      specifications.remove(fileName(uid));
      return store(checkpoint().without(uid))
          .<Unprepared>map(Unprepared.Failed::new)
          .orElseGet(Unprepared.Done::new);
    } catch (IOException e) {
      return new Unprepared.Failed(
          "its CDI specification cannot be removed: " + WholeFile.words(e));
    } finally {
      lock.unlock();
    }
  }

  /// @return why it could not be stored: then nothing has changed
  private Optional<String> store(Checkpoint next) {
    return next.equals(checkpoint()) ? Optional.empty() : write(next);
  }

  private Optional<String> write(Checkpoint next) {
    try {
      file.store(next);
      loaded = Optional.of(next);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "the checkpoint in %s cannot be written (%s): free space there or make it writable"
              .formatted(file.folder(), WholeFile.words(e)));
    }
  }

  private Checkpoint checkpoint() {
    if (loaded.isEmpty()) {
      CheckpointFile.Loaded found = file.load(bootId);
      if (!found.isOfThisBoot()) {
        specifications.removeAll(KIND.fileStem() + "_");
      }
      loaded = Optional.of(found.checkpoint());
      if (!found.isStored()) {
        write(found.checkpoint()).ifPresent(why -> LOG.atWarn().log(why));
      }
    }
    return loaded.get();
  }

  private static String fileName(String uid) {
    return "%s_%s.yaml".formatted(KIND.fileStem(), uid);
  }
}
