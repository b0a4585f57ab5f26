package dev.pitcrew.hardware.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A GPU or MIG device as libcuda counts them (CUdevice).
record CudaDevice(int number) {
  private static final int UUID_BYTES = 16;
  private static final int COMPUTE_MODE = 20;
  private static final int PROHIBITED = 2;
  private static final int EXCLUSIVE = 3;
  private static final String GET_ATTRIBUTE = "cuDeviceGetAttribute";
  private static final String GET_UUID = "cuDeviceGetUuid_v2";
  private static final String GET_UUID_OLD = "cuDeviceGetUuid";
  private static final Pattern PLAIN = Pattern.compile("(?:GPU|MIG)-(?<uuid>[0-9a-fA-F-]{36})");

  /// @param uuid as NVML reports it
  /// @throws CudaRefusal where it is not there, or no process may compute on it
  static CudaDevice of(CudaLibrary cuda, Arena arena, String uuid) throws CudaRefusal {
    MemorySegment number = arena.allocate(JAVA_INT);
    cuda.call("cuDeviceGetCount", number);
    int count = number.get(JAVA_INT, 0);
    for (int ordinal = 0; ordinal < count; ordinal++) {
      cuda.call("cuDeviceGet", number, ordinal);
      int device = number.get(JAVA_INT, 0);
      if (isNamed(cuda, arena, device, uuid)) {
        refuseMode(cuda, arena, device);
        return new CudaDevice(device);
      }
    }
    throw new CudaRefusal(count == 0 ? CudaError.NO_DEVICE : CudaError.ANOTHER_DEVICE, GET_UUID);
  }

  /// The name of a MIG device of an old driver, `MIG-GPU-…/1/0`, is in no call of libcuda: there
  /// the only device that is visible is the one.
  private static boolean isNamed(CudaLibrary cuda, Arena arena, int device, String uuid)
      throws CudaRefusal {
    Optional<UUID> wanted = uuid(uuid);
    if (wanted.isEmpty()) {
      return true;
    }
    MemorySegment bytes = arena.allocate(UUID_BYTES);
    cuda.call(cuda.has(GET_UUID) ? GET_UUID : GET_UUID_OLD, bytes, device);
    ByteBuffer read = ByteBuffer.wrap(bytes.toArray(JAVA_BYTE));
    return wanted.get().equals(new UUID(read.getLong(), read.getLong()));
  }

  private static Optional<UUID> uuid(String text) {
    Matcher plain = PLAIN.matcher(text);
    try {
      return plain.matches() ? Optional.of(UUID.fromString(plain.group("uuid"))) : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// A process that has a GPU to itself would keep a pod out, if only for a moment.
  private static void refuseMode(CudaLibrary cuda, Arena arena, int device) throws CudaRefusal {
    MemorySegment mode = arena.allocate(JAVA_INT);
    cuda.call(GET_ATTRIBUTE, mode, COMPUTE_MODE, device);
    switch (mode.get(JAVA_INT, 0)) {
      case PROHIBITED -> throw new CudaRefusal(CudaError.PROHIBITED, GET_ATTRIBUTE);
      case EXCLUSIVE -> throw new CudaRefusal(CudaError.RESERVED, GET_ATTRIBUTE);
      default -> {}
    }
  }
}
