package dev.pitcrew.hardware.cuda;

import java.time.Duration;

/// What came of the check of one GPU.
public sealed interface CudaOutcome {

  /// The driver compiled the kernel, the GPU ran it, and every sum is right.
  ///
  /// @param elements how many were compared
  /// @param cudaVersion the newest that the driver supports, as CUDA counts: 12040 is 12.4
  record Passed(int elements, int cudaVersion) implements CudaOutcome {}

  /// Others use the GPU so much that nothing is left for a check: driver and GPU do work.
  record Busy(CudaError error, String call) implements CudaOutcome {}

  /// Processes use the GPU, so that nothing is to be proved and nothing is disturbed.
  record InUse() implements CudaOutcome {}

  /// Nothing is known of the GPU, neither good nor bad.
  ///
  /// @param why what is in the way
  /// @param remedy an empty text where nothing is to be done
  record NotChecked(String why, String remedy) implements CudaOutcome {
    public NotChecked(String why) {
      this(why, "");
    }
  }

  /// @param call the function of libcuda, such as `cuInit`
  /// @param detail what it said besides, such as the log of the JIT compiler; may be empty
  record Failed(CudaError error, String call, String detail) implements CudaOutcome {}

  /// The GPU ran the kernel and computes wrongly.
  record WrongSum(int element, float expected, float actual) implements CudaOutcome {}

  /// @param library the path or name that could not be opened
  record LibraryMissing(String library) implements CudaOutcome {}

  /// The process that checks was killed at its deadline.
  record Unanswered(Duration deadline) implements CudaOutcome {}

  /// The process that checks ended without a result.
  ///
  /// @param lastOutput what it wrote to standard error, shortened
  record Crashed(int exitCode, String lastOutput) implements CudaOutcome {}

  /// What is known of a GPU.
  enum Standing {
    WORKS,
    FAILS,
    UNKNOWN
  }

  /// Whether the GPU does the work of pods. One that is kept for one process proves nothing while
  /// no process has it.
  default Standing standing() {
    return switch (this) {
      case Passed _, InUse _ -> Standing.WORKS;
      case Busy(var error, _) -> error == CudaError.RESERVED ? Standing.UNKNOWN : Standing.WORKS;
      case NotChecked _ -> Standing.UNKNOWN;
      case Failed _, WrongSum _, LibraryMissing _, Unanswered _, Crashed _ -> Standing.FAILS;
    };
  }
}
