package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.pci.PciAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What NVIDIA's kernel module says in the kernel's log, as far as it is about health. The forms
/// are those of open-gpu-kernel-modules 595.45.04. Each must begin the message: the name of a
/// process, which its owner chooses, stands within many lines of the kernel and at the start of
/// some (`NAME[PID]: segfault at …`), where it has no room for a whole line of the driver.
public sealed interface DriverMessage {

  /// `NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:00): 94, pid=7194, name=python, …` (krcReportXid in
  /// src/nvidia/src/kernel/gpu/rc/kernel_rc.c). Pid and name are missing where no process is known.
  ///
  /// @param pciAddress as the kernel writes it, such as `0000:3b:00.0`
  /// @param gpuInstance empty where the line names none; NVML's id, which is the driver's swizzId
  /// @param computeInstance likewise, its id within the GPU instance
  record Xid(String pciAddress, long number, OptionalInt gpuInstance, OptionalInt computeInstance)
      implements DriverMessage {}

  /// `nvidia-nvswitch3: SXid (PCI:0000:c4:00.0): 20034, Fatal, Link 27 LTSSM Fault Up`
  /// (NVSWITCH_PRINT_SXID in src/common/nvswitch/kernel/inc/common_nvswitch.h). What is neither
  /// `Fatal` nor `Non-fatal` is left out: corrected errors, and the lines of `Severity` and `Data`
  /// that follow an error with the same number.
  ///
  /// @param text such as `Link 27 LTSSM Fault Up`
  record SwitchError(String pciAddress, long number, boolean isFatal, String text)
      implements DriverMessage {}

  /// `NVRM: loading NVIDIA UNIX …`, once for each load of the module (kernel-open/nvidia/nv.c). All
  /// GPUs and switches start afresh.
  record Loading() implements DriverMessage {}

  /// Of the message of a record that the kernel wrote.
  static Optional<DriverMessage> of(String message) {
    if (message.startsWith(Forms.LOADING)) {
      return Optional.of(new Loading());
    }
    return message.startsWith(Forms.XID_BEGINS)
        ? xid(Forms.XID.matcher(message))
        : message.startsWith(Forms.SWITCH_BEGINS)
            ? switchError(Forms.SWITCH.matcher(message))
            : Optional.empty();
  }

  private static Optional<DriverMessage> xid(Matcher line) {
    return line.lookingAt()
        ? PciAddress.ofNvml(line.group(1) + ".0")
            .map(address ->
                new Xid(
                    address,
                    Long.parseLong(line.group(4)),
                    instance(line.group(2)),
                    instance(line.group(3))))
        : Optional.empty();
  }

  private static OptionalInt instance(@Nullable String number) {
    return number == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(number));
  }

  private static Optional<DriverMessage> switchError(Matcher line) {
    return line.matches()
        ? PciAddress.ofNvml(line.group(1))
            .map(address ->
                new SwitchError(
                    address,
                    Long.parseLong(line.group(2)),
                    line.group(3).equals("Fatal"),
                    line.group(4).strip()))
        : Optional.empty();
  }

  /// How the lines look.
  final class Forms {
    private static final String LOADING = "NVRM: loading ";
    private static final String XID_BEGINS = "NVRM: Xid (PCI:";
    private static final String SWITCH_BEGINS = "nvidia-nvswitch";
    private static final String FUNCTION = "[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}";
    private static final Pattern XID =
        Pattern.compile(
            "NVRM: Xid \\(PCI:(%s)(?: GPU-I:(\\d{1,5})(?: GPU-CI:(\\d{1,5}))?)?\\): (\\d{1,9}),"
                .formatted(FUNCTION));
    private static final Pattern SWITCH =
        Pattern.compile(
            "nvidia-nvswitch\\d{1,3}: SXid \\(PCI:(%s\\.[0-7])\\): (\\d{1,9}), (Fatal|Non-fatal), (.*)"
                .formatted(FUNCTION));

    private Forms() {}
  }
}
