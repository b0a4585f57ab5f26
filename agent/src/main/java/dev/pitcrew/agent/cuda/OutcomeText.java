package dev.pitcrew.agent.cuda;

import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.hardware.cuda.CudaOutcome.Busy;
import dev.pitcrew.hardware.cuda.CudaOutcome.Crashed;
import dev.pitcrew.hardware.cuda.CudaOutcome.Failed;
import dev.pitcrew.hardware.cuda.CudaOutcome.InUse;
import dev.pitcrew.hardware.cuda.CudaOutcome.LibraryMissing;
import dev.pitcrew.hardware.cuda.CudaOutcome.NotChecked;
import dev.pitcrew.hardware.cuda.CudaOutcome.Passed;
import dev.pitcrew.hardware.cuda.CudaOutcome.Unanswered;
import dev.pitcrew.hardware.cuda.CudaOutcome.WrongSum;

/// An outcome in words.
public final class OutcomeText {
  private static final String LOOK_AT_THE_NODE =
      "look for an Xid in dmesg and at nvidia-smi -q; drain the node and reset the GPU";

  private OutcomeText() {}

  /// One word, for a column.
  public static String word(CudaOutcome outcome) {
    return switch (outcome) {
      case Passed _ -> "works";
      case Busy _, InUse _ -> "busy";
      case NotChecked _ -> "not checked";
      case Failed _ -> "failed";
      case WrongSum _ -> "wrong";
      case LibraryMissing _ -> "no library";
      case Unanswered _ -> "no answer";
      case Crashed _ -> "crashed";
    };
  }

  public static String meaning(CudaOutcome outcome) {
    return switch (outcome) {
      case Passed(int elements, int version) ->
          "%d sums are right (CUDA %d.%d)".formatted(elements, version / 1000, version % 1000 / 10);
      case Busy(var error, var call) ->
          "in use, and not disturbed: %s: %s".formatted(call, error.meaning());
      case InUse _ -> "in use, and not disturbed";
      case NotChecked(var why, _) -> why;
      case Failed(var error, var call, var detail) ->
          "%s: %s%s".formatted(call, error.meaning(), detail.isEmpty() ? "" : ": " + detail);
      case WrongSum(int element, float expected, float actual) ->
          "sum %d is %s, not %s".formatted(element, actual, expected);
      case LibraryMissing(var library) -> library + " cannot be opened";
      case Unanswered(var deadline) ->
          "no answer within %d seconds".formatted(deadline.toSeconds());
      case Crashed(int exitCode, var lastOutput) ->
          "the check ended with %d%s"
              .formatted(exitCode, lastOutput.isEmpty() ? "" : ": " + lastOutput);
    };
  }

  /// What to do about it; empty where nothing is.
  public static String remedy(CudaOutcome outcome) {
    return switch (outcome) {
      case Passed _, Busy _, InUse _ -> "";
      case NotChecked(_, var remedy) -> remedy;
      case Failed(var error, _, _) -> error.remedy();
      case WrongSum _ -> "drain the node and have the board replaced: it computes wrongly";
      case LibraryMissing _ ->
          "install the driver with its compute libraries (NVIDIA_DRIVER_CAPABILITIES=compute)";
      case Unanswered _ -> LOOK_AT_THE_NODE;
      case Crashed _ -> "have libcuda and the kernel module of one version; " + LOOK_AT_THE_NODE;
    };
  }
}
