package dev.pitcrew.hardware.cuda;

/// What libcuda answers instead of success (CUresult, as `cuda.h` numbers it), and failures that
/// only its caller can see.
public enum CudaError {
  INVALID_VALUE(1, "an argument is out of range", Remedy.REPORT),
  OUT_OF_MEMORY(2, "no memory is left on the GPU", Remedy.BUSY),
  NOT_INITIALIZED(3, "CUDA is not initialised", Remedy.RELOAD),
  DEINITIALIZED(4, "the driver is shutting down", Remedy.WAIT_FOR_DRIVER),
  STUB_LIBRARY(34, "libcuda is a stub for linking, not the driver's", Remedy.LIBRARY),
  DEVICE_UNAVAILABLE(46, "another process has the GPU for itself", Remedy.BUSY),
  NO_DEVICE(100, "no GPU is there for CUDA", Remedy.DEVICE_FILES),
  INVALID_DEVICE(101, "there is no such GPU", Remedy.DEVICE_FILES),
  DEVICE_NOT_LICENSED(102, "the vGPU has no licence", "look at the licence server's settings"),
  INVALID_IMAGE(200, "the kernel is no valid image", Remedy.REPORT),
  INVALID_CONTEXT(201, "there is no context", Remedy.REPORT),
  NO_BINARY_FOR_GPU(209, "the kernel does not fit the GPU", Remedy.REPORT),
  ECC_UNCORRECTABLE(214, "the GPU's memory has an uncorrectable error", Remedy.RESET),
  UNSUPPORTED_LIMIT(215, "the GPU does not know the limit", Remedy.REPORT),
  CONTEXT_ALREADY_IN_USE(216, "the context belongs to another thread", Remedy.REPORT),
  INVALID_PTX(218, "the JIT compiler refuses the kernel", Remedy.REPORT),
  NVLINK_UNCORRECTABLE(220, "NVLink has an uncorrectable error", Remedy.RESET),
  JIT_COMPILER_NOT_FOUND(
      221,
      "the driver's JIT compiler is missing",
      "put libnvidia-ptxjitcompiler.so.1 of the driver's version beside libcuda.so.1"),
  UNSUPPORTED_PTX_VERSION(222, "the driver is older than the kernel", "use a driver of CUDA 9"),
  JIT_COMPILATION_DISABLED(223, "JIT compilation is off", "unset CUDA_DISABLE_PTX_JIT"),
  SHARED_OBJECT_SYMBOL_NOT_FOUND(302, "libraries do not fit each other", Remedy.LIBRARY),
  SHARED_OBJECT_INIT_FAILED(303, "a library of the driver cannot be loaded", Remedy.LIBRARY),
  OPERATING_SYSTEM(304, "the operating system refuses", Remedy.DEVICE_FILES),
  INVALID_HANDLE(400, "a handle is not valid", Remedy.REPORT),
  ILLEGAL_STATE(401, "the driver is not in a state for this", Remedy.RELOAD),
  NOT_FOUND(500, "not found", Remedy.REPORT),
  NOT_READY(600, "not ready", Remedy.RELOAD),
  ILLEGAL_ADDRESS(700, "the GPU used a wrong address", Remedy.RESET),
  LAUNCH_OUT_OF_RESOURCES(701, "too few resources for a launch", Remedy.REPORT),
  LAUNCH_TIMEOUT(702, "the kernel took too long", Remedy.RESET),
  CONTEXT_IS_DESTROYED(709, "the context was destroyed", Remedy.RESET),
  ASSERT(710, "the kernel has given up", Remedy.RESET),
  HARDWARE_STACK_ERROR(714, "the GPU's stack is corrupt", Remedy.RESET),
  ILLEGAL_INSTRUCTION(715, "the GPU met an instruction that it does not know", Remedy.RESET),
  MISALIGNED_ADDRESS(716, "the GPU used a misaligned address", Remedy.RESET),
  INVALID_ADDRESS_SPACE(717, "the GPU used a wrong address space", Remedy.RESET),
  INVALID_PC(718, "the GPU's program counter went astray", Remedy.RESET),
  LAUNCH_FAILED(719, "the kernel failed on the GPU", Remedy.RESET),
  NOT_PERMITTED(800, "not permitted", "run privileged, as the agent's pod does"),
  NOT_SUPPORTED(801, "not supported", Remedy.REPORT),
  SYSTEM_NOT_READY(
      802,
      "the system is not ready for CUDA",
      "start nvidia-fabricmanager; on a node with NVSwitch no GPU works without"),
  SYSTEM_DRIVER_MISMATCH(803, "kernel module and libcuda differ in version", Remedy.LIBRARY),
  COMPAT_NOT_SUPPORTED_ON_DEVICE(
      804,
      "this board takes no libcuda of a newer CUDA than its driver",
      "use the libcuda of the driver's own version"),
  MPS_CONNECTION_FAILED(805, "the MPS daemon does not answer", Remedy.MPS),
  MPS_RPC_FAILURE(806, "the MPS daemon has failed", Remedy.MPS),
  MPS_SERVER_NOT_READY(807, "the MPS server is not ready", Remedy.MPS),
  MPS_MAX_CLIENTS_REACHED(808, "MPS has all the clients that it takes", Remedy.BUSY),
  MPS_MAX_CONNECTIONS_REACHED(809, "MPS has all the connections that it takes", Remedy.BUSY),
  MPS_CLIENT_TERMINATED(810, "the MPS server has ended this client", Remedy.MPS),
  TIMEOUT(909, "time is up in the driver", Remedy.RESET),
  EXTERNAL_DEVICE(911, "a device outside of CUDA has failed", Remedy.RESET),
  UNKNOWN(999, "unknown error", Remedy.RELOAD),

  /// Not CUDA's: the library has no function of that name.
  FUNCTION_MISSING(-1, "libcuda has no such function", "use a driver of CUDA 9 or newer"),
  /// Not CUDA's: no process may compute on this GPU.
  PROHIBITED(-2, "its compute mode forbids it to all processes", "nvidia-smi -c 0 -i <gpu>"),
  /// Not CUDA's: libcuda shows GPUs, and not the one that was asked for.
  ANOTHER_DEVICE(-3, "libcuda does not show the GPU of that UUID", Remedy.RESET),
  /// Not CUDA's: the GPU is for one process, and a check must not be that one.
  RESERVED(-4, "its compute mode keeps it for one process", Remedy.BUSY);

  private final int code;
  private final String meaning;
  private final String remedy;

  CudaError(int code, String meaning, String remedy) {
    this.code = code;
    this.meaning = meaning;
    this.remedy = remedy;
  }

  /// The value of CUresult; negative for what is not CUDA's.
  public int code() {
    return code;
  }

  /// In words, for a message.
  public String meaning() {
    return meaning;
  }

  /// What to do about it.
  public String remedy() {
    return remedy;
  }

  /// Whether it only says that others are using the GPU, which therefore works.
  public boolean isBusy() {
    return remedy.equals(Remedy.BUSY);
  }

  /// The error of a code other than success; a code of a newer library is [#UNKNOWN].
  static CudaError of(int code) {
    for (var error : values()) {
      if (error.code == code && code > 0) {
        return error;
      }
    }
    return UNKNOWN;
  }

  /// What several errors have in common.
  private static final class Remedy {
    static final String BUSY = "nothing is to be done";
    static final String RESET =
        "look for an Xid in dmesg; drain the node and reset the GPU (nvidia-smi --gpu-reset)";
    static final String RELOAD = "look for NVRM in dmesg; reload the driver";
    static final String WAIT_FOR_DRIVER = "wait until the driver is loaded again";
    static final String LIBRARY =
        "have libcuda, libnvidia-* and the kernel module of one version; reboot after an upgrade";
    static final String DEVICE_FILES =
        "look whether /dev has nvidiactl, nvidia-uvm and the GPU, and nvidia-smi -L names it";
    static final String MPS = "look at the log of nvidia-cuda-mps-control";
    static final String REPORT = "report it with the driver's version: it is no fault of the node";

    private Remedy() {}
  }
}
