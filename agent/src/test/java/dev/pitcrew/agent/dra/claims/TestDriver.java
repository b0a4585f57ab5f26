package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.vfio.FakePci;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// The driver `nvidia` as the agent meets it, as strict as its kernel modules are
/// (kernel-open/nvidia/nv-pci.c, nv-procfs.c and nv.c of NVIDIA's open-gpu-kernel-modules):
///
/// - It waits without end for those that have a GPU open when it is unbound. So the test fails.
/// - It sets the lock of a GPU only while nothing has it open, and nothing opens a locked one.
/// - NVML has open, and lists, the GPUs that were bound when it was opened, and no other.
/// - The daemon nvidia-persistenced has each GPU open whose persistence mode is on.
///
/// Other parts of the agent have NVML open, and may have the turn to change GPUs.
final class TestDriver implements GpuTurn {
  private static final String NVIDIA = "nvidia";

  private final FakePci pci;
  private final List<String> gpus;
  private final Set<String> persistent;
  private Set<String> opened = Set.of();
  private boolean isTaken;

  /// @param gpus the addresses of those of the node
  TestDriver(FakePci pci, List<String> gpus) {
    this.pci = pci;
    this.gpus = List.copyOf(gpus);
    this.persistent = new HashSet<>(gpus);
  }

  /// Opens NVML, as a process does when it starts.
  void open() {
    try {
      var now = new HashSet<String>();
      for (String gpu : gpus) {
        if (isBound(gpu) && pci.read(FakePci.lock(gpu)).strip().equals("0")) {
          now.add(gpu);
        }
      }
      opened = Set.copyOf(now);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private boolean isBound(String gpu) {
    return pci.driverOf(gpu).equals(Optional.of(NVIDIA));
  }

  /// Whether NVML lists it.
  boolean lists(String gpu) {
    return opened.contains(gpu);
  }

  boolean isPersistent(String gpu) {
    return persistent.contains(gpu);
  }

  /// Another part of the agent has the turn from now on, or no longer.
  void take(boolean isTakenByOther) {
    isTaken = isTakenByOther;
  }

  /// What the kernel does when its files are written.
  void written(Path file, String text) throws IOException {
    String path = file.toString();
    if (path.endsWith("/drivers/" + NVIDIA + "/unbind") || path.endsWith("/driver/unbind")) {
      if (isBound(text) && isInUse(text)) {
        throw new AssertionError(
            "NVRM: Attempting to remove device %s with non-zero usage count!".formatted(text));
      }
      persistent.remove(text);
    }
    boolean isLock = path.endsWith("unbindLock") && text.equals("1");
    if (!isLock || !isInUse(gpuOf(file))) {
      pci.written(file, text);
    }
  }

  /// The name of the folder of a file.
  private static String gpuOf(Path file) {
    return String.valueOf(file.resolveSibling(".").normalize().getFileName());
  }

  private boolean isInUse(String gpu) {
    return opened.contains(gpu) || persistent.contains(gpu);
  }

  /// As [VfioPassthrough.Persistence], by `nvidia-smi`, which opens the GPU.
  ///
  /// @param gpu its address
  Optional<String> setPersistence(String gpu, boolean isOn) {
    try {
      if (!isBound(gpu) || !pci.read(FakePci.lock(gpu)).strip().equals("0")) {
        return Optional.of("No devices were found");
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    if (isOn) {
      persistent.add(gpu);
    } else {
      persistent.remove(gpu);
    }
    return Optional.empty();
  }

  @Override
  public <T> Optional<T> take(Supplier<T> change) {
    return isTaken ? Optional.empty() : Optional.of(change.get());
  }

  @Override
  public <T> T alone(Supplier<T> change) {
    opened = Set.of();
    try {
      return change.get();
    } finally {
      open();
    }
  }

  @Override
  public void changed() {
    // A look at GPUs that are open finds no others.
  }
}
