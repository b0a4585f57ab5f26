package dev.pitcrew.agent.dra.claims.plan;

import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.Sharing;
import dev.pitcrew.device.mps.MpsDaemon;
import dev.pitcrew.device.mps.MpsDaemon.LimitedGpu;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// The MPS control daemon of the devices of a claim that have the same settings. Its id and what
/// containers get are those of NVIDIA's DRA driver (recording `mps`).
///
/// @param id `<uid of the claim>-<five digits of the hash of the devices' UUIDs>`
/// @param gpus the UUIDs of the GPUs whose compute mode lets nothing but its server in: those of
///   MIG devices have one for all their devices
public record ClaimDaemon(String id, List<String> gpus, MpsDaemon daemon) {
  private static final String PIPES = "/tmp/nvidia-mps";
  private static final List<String> MOUNTED = List.of("rw", "nosuid", "nodev", "bind");
  private static final int DIGITS = 5;

  public ClaimDaemon {
    gpus = List.copyOf(gpus);
  }

  /// @param devices without those with admin access, which changes nothing for others
  static ClaimDaemon of(String uid, Sharing.Mps mps, List<ClaimPlan.Assigned> devices) {
    List<String> uuids = devices.stream().map(it -> it.device().uuid()).distinct().toList();
    String id = uid + "-" + digits(String.join(",", uuids));
    return new ClaimDaemon(
        id,
        devices.stream().map(it -> it.device().gpu().uuid()).distinct().toList(),
        new MpsDaemon(
            MpsDaemon.CLAIMS + id,
            mps.threadPercentage().orElse(0),
            mps.isMultiUser(),
            IntStream.range(0, uuids.size())
                .mapToObj(index -> limited(mps, index, uuids.get(index)))
                .toList()));
  }

  private static LimitedGpu limited(Sharing.Mps mps, int index, String uuid) {
    String position = String.valueOf(index);
    long limit =
        Optional.ofNullable(mps.deviceMemoryLimits().get(uuid))
            .or(() -> Optional.ofNullable(mps.deviceMemoryLimits().get(position)))
            .orElse(mps.memoryLimit().orElse(0));
    return new LimitedGpu(position, uuid, limit);
  }

  private static String digits(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("each Java platform has SHA-256", e);
    }
  }

  /// The claim of a daemon.
  public static String uid(String id) {
    return id.substring(0, Math.max(id.lastIndexOf('-'), 0));
  }

  /// What a container gets besides its device.
  ///
  /// @param folder of the daemons of claims, on the host
  ContainerEdits edits(String folder) {
    String own = folder + "/" + id;
    return ContainerEdits.ofEnv("CUDA_MPS_PIPE_DIRECTORY=" + PIPES)
        .and(
            ContainerEdits.ofMounts(
                List.of(
                    new Mount(own + "/shm", "/dev/shm", MOUNTED),
                    new Mount(own + "/pipe", PIPES, MOUNTED))));
  }
}
