package dev.pitcrew.hardware.nvml;

/// What NVML returns instead of success (nvmlReturn_t), and two failures that only its caller can
/// see.
public enum NvmlError {
  UNINITIALIZED(1, "NVML is not initialised"),
  INVALID_ARGUMENT(2, "invalid argument"),
  NOT_SUPPORTED(3, "not supported"),
  NO_PERMISSION(4, "no permission"),
  ALREADY_INITIALIZED(5, "already initialised"),
  NOT_FOUND(6, "not found"),
  INSUFFICIENT_SIZE(7, "the buffer is too small"),
  INSUFFICIENT_POWER(8, "external power is missing"),
  DRIVER_NOT_LOADED(9, "the driver is not loaded"),
  TIMEOUT(10, "time is up"),
  IRQ_ISSUE(11, "the kernel sees a problem with an interrupt"),
  LIBRARY_NOT_FOUND(12, "the library cannot be opened"),
  FUNCTION_NOT_FOUND(13, "the library has no such function"),
  CORRUPTED_INFOROM(14, "the infoROM is corrupted"),
  GPU_IS_LOST(15, "the GPU is lost"),
  RESET_REQUIRED(16, "the GPU must be reset"),
  OPERATING_SYSTEM(17, "the operating system refused"),
  LIB_RM_VERSION_MISMATCH(18, "library and kernel module have different versions"),
  IN_USE(19, "in use"),
  MEMORY(20, "out of memory"),
  NO_DATA(21, "no data"),
  VGPU_ECC_NOT_SUPPORTED(22, "not possible on a vGPU host with ECC"),
  INSUFFICIENT_RESOURCES(23, "the GPU has not enough resources left"),
  FREQ_NOT_SUPPORTED(24, "the clock frequency is not supported"),
  ARGUMENT_VERSION_MISMATCH(25, "the library does not know this version of a structure"),
  DEPRECATED(26, "the function is no longer supported"),
  NOT_READY(27, "not ready"),
  GPU_NOT_FOUND(28, "no GPU"),
  INVALID_STATE(29, "not possible in this state"),
  RESET_TYPE_NOT_SUPPORTED(30, "this kind of reset is not supported"),
  UNKNOWN(999, "unknown error"),

  /// Not NVML's: a call did not return within its deadline.
  UNRESPONSIVE(-1, "no answer within the deadline"),
  /// Not NVML's: it returned success and a value that cannot be.
  IMPLAUSIBLE(-2, "the answer makes no sense");

  private final int code;
  private final String meaning;

  NvmlError(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  /// The value of nvmlReturn_t; negative for what is not NVML's.
  public int code() {
    return code;
  }

  /// In words, for a message.
  public String meaning() {
    return meaning;
  }

  /// The error of a return code other than success; a code of a newer library is [#UNKNOWN].
  static NvmlError of(int code) {
    for (var error : values()) {
      if (error.code == code && code > 0) {
        return error;
      }
    }
    return UNKNOWN;
  }
}
