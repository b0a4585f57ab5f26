package dev.pitcrew.cli.cluster;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How much of a GPU, or of a MIG device, is used, as its node's agent has sampled it. What the
/// agent does not report is empty.
///
/// @param index of the GPU
/// @param profile of the MIG device; empty for a whole GPU
/// @param instance number of the MIG device's GPU instance; empty for a whole GPU
/// @param answers whether NVML answers about the GPU; where it does not, the values are old
/// @param utilisation percent of the time
/// @param watts of the whole GPU
/// @param celsius of the whole GPU
/// @param below for how many seconds the utilisation is below a ratio, by its label
/// @param holders empty also where the agent does not know them
public record GpuUse(
    String index,
    String uuid,
    String profile,
    String instance,
    boolean answers,
    Optional<Double> utilisation,
    Optional<Double> usedMib,
    Optional<Double> totalMib,
    Optional<Double> watts,
    Optional<Double> celsius,
    Map<String, Long> below,
    List<Holder> holders) {
  /// The label of the whole time that was observed.
  public static final String OBSERVED = "+Inf";

  /// A pod that has it.
  ///
  /// @param shared whether others may have it too
  /// @param seconds for which the agent has seen it
  /// @param utilisation an estimate of what the pod uses of a shared one
  /// @param usedMib the same of the memory
  public record Holder(
      String namespace,
      String pod,
      boolean shared,
      long seconds,
      Optional<Double> utilisation,
      Optional<Double> usedMib) {
    public String id() {
      return namespace + "/" + pod;
    }
  }

  public boolean isMigDevice() {
    return !instance.isEmpty();
  }

  /// Such as `3`, or `3/5` for a MIG device.
  public String title() {
    return isMigDevice() ? index + "/" + instance : index;
  }
}
