package dev.pitcrew.agent.mig.change;

import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.gpu.Partitions;
import dev.pitcrew.hardware.nvml.Answer;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Opens NVML for the change alone, and closes it around a reset.
public final class OwnAccess implements GpuAccess {
  private final GpuSettings settings;
  private final Set<Integer> silent;
  private Optional<Gpus> opened = Optional.empty();

  public OwnAccess(GpuSettings settings) {
    this(settings, Set.of());
  }

  /// @param silent GPUs that are known not to answer, by NVML index
  public OwnAccess(GpuSettings settings, Set<Integer> silent) {
    this.settings = settings;
    this.silent = Set.copyOf(silent);
  }

  @Override
  public Answer<Partitions> gpus() {
    if (opened.isPresent()) {
      return Answer.of(opened.get().partitions().sparing(silent));
    }
    return Gpus.open(settings)
        .map(gpus -> {
          opened = Optional.of(gpus);
          return gpus.partitions().sparing(silent);
        });
  }

  @Override
  public Optional<String> reset(List<MigGpu> gpus) {
    return resetAt(gpus.stream().map(MigGpu::address).toList());
  }

  /// As [#reset].
  ///
  /// @param addresses on the PCI bus
  public Optional<String> resetAt(List<String> addresses) {
    close();
    return ResetProgram.of(settings.driver().now()).reset(addresses);
  }

  @Override
  public void close() {
    opened.ifPresent(Gpus::close);
    opened = Optional.empty();
  }
}
