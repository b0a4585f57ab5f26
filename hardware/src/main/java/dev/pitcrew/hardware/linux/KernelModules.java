package dev.pitcrew.hardware.linux;

/// Modules of the kernel that runs.
public final class KernelModules {
  private static final int O_NONBLOCK = 04000;

  // delete_module(2); what the kernel answers while something uses the module.
  private static final int ENOENT = 2;
  private static final int EAGAIN = 11;
  private static final int EBUSY = 16;

  private KernelModules() {}

  /// What came of unloading one.
  public sealed interface Answer {
    /// It is not there any more.
    record Gone() implements Answer {}

    /// Something uses it, or it is just coming or going.
    record InUse(String words) implements Answer {}

    record Refused(String words) implements Answer {}
  }

  /// Never waits for the module's users, and never takes it away from them.
  public static Answer unload(String name) {
    int errno = SystemCalls.deleteModule(name, O_NONBLOCK);
    return switch (errno) {
      case 0, ENOENT -> new Answer.Gone();
      case EAGAIN, EBUSY -> new Answer.InUse("the kernel says it is in use");
      default ->
          new Answer.Refused(
              "the kernel refuses (errno %d): the container has to be privileged".formatted(errno));
    };
  }
}
