package dev.pitcrew.agent.mig.change;

import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.hardware.gpu.Partitions;
import dev.pitcrew.hardware.nvml.Answer;
import java.util.List;
import java.util.Optional;

/// How a change reaches the GPUs.
public interface GpuAccess extends AutoCloseable {

  /// The GPUs; opened when they are not.
  Answer<Partitions> gpus();

  /// Resets GPUs, which no process may have open meanwhile, this one neither.
  ///
  /// @return why they were not reset
  Optional<String> reset(List<MigGpu> gpus);

  @Override
  void close();
}
