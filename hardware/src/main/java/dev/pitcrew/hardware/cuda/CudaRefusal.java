package dev.pitcrew.hardware.cuda;

/// A call of libcuda that did not succeed, which ends the check.
final class CudaRefusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final CudaError error;
  private final String call;

  CudaRefusal(CudaError error, String call) {
    super(call + ": " + error.meaning(), null, false, false);
    this.error = error;
    this.call = call;
  }

  CudaError error() {
    return error;
  }

  String call() {
    return call;
  }
}
