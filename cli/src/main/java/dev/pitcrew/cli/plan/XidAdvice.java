package dev.pitcrew.cli.plan;

import dev.pitcrew.core.xids.XidCatalogue;
import java.util.List;

/// What an Xid means and what to do about it.
///
/// @param mnemonic empty for one that NVIDIA's catalogue does not have
/// @param action what the catalogue says to do at once; empty where it names none
/// @param level to which it leads
/// @param ignored whether it counts only where `DP_ENABLE_HEALTHCHECKS` names it
public record XidAdvice(
    long xid,
    String meaning,
    String mnemonic,
    String action,
    String level,
    boolean ignored,
    List<String> next) {
  private static final String EVIDENCE =
      "GPUs that have such evidence now: kubectl gpu health list";

  public static XidAdvice of(long xid) {
    return XidCatalogue.find(xid)
        .map(XidAdvice::known)
        .orElseGet(() ->
            new XidAdvice(
                xid,
                "not in the catalogue",
                "",
                "",
                XidCatalogue.level(xid),
                false,
                List.of(
                    "see the line of the kernel log: dmesg on the node, and NVIDIA's page of Xids: https://docs.nvidia.com/deploy/xid-errors/",
                    EVIDENCE)));
  }

  private static XidAdvice known(XidCatalogue.Entry entry) {
    return new XidAdvice(
        entry.number(),
        entry.meaning(),
        entry.mnemonic(),
        entry.action().equals("-") ? "" : entry.action(),
        entry.level(),
        XidCatalogue.IGNORED_BY_DEFAULT.contains(entry.number()),
        List.of(action(entry.action()), EVIDENCE));
  }

  /// The immediate actions of NVIDIA's Xid catalogue, in words.
  private static String action(String action) {
    return switch (action) {
      case "RESTART_APP" -> "restart the application; if it comes again, look for the fault in it";
      case "RESET_GPU", "WORKFLOW_XID_48", "WORKFLOW_NVLINK_ERR" ->
          "end the pods that hold the GPU and reset it, as docs/unhealthy-gpu.md says";
      case "RESTART_BM" ->
          "drain the node and reboot it; if it comes again, have the board and its slot looked at";
      case "RESTART_VM" -> "drain the node and restart its virtual machine";
      case "IGNORE" -> "nothing: it is for information";
      case "WORKFLOW_XID_45" ->
          "look for the Xid before it in the kernel log: it follows another error, or an application that was ended";
      case "WORKFLOW_NVLINK5_ERR" ->
          "do what the GPU's own recovery action asks for, which is evidence of its own: kubectl gpu health list";
      case "XID_154" -> "do what the recovery action says that it reports: reset or reboot";
      case "CHECK_MECHANICALS" -> "check the power cables and the seat of the board";
      case "CHECK_UVM" ->
          "look at the Xids and the lines of the module nvidia-uvm beside it in the kernel log";
      case "UPDATE_SWFW" -> "update the driver and the firmware to versions that go together";
      case "CONTACT_SUPPORT" -> "ask NVIDIA's support, with the output of nvidia-bug-report.sh";
      default -> "the catalogue names no action: watch whether it comes again";
    };
  }
}
