package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.pitcrew.device.inventory.Topology.CommonAncestor;
import java.lang.foreign.Arena;
import java.util.List;

/// What NVML reports about the paths between GPUs.
public final class LinkCalls {
  /// How many NVLinks a GPU can have at most.
  public static final int LINKS = 36;

  // NVML_P2P_CAPS_INDEX_NVLINK
  private static final int NVLINK_CAPABILITY = 2;

  private final NvmlFunction commonAncestor;
  private final NvmlFunction state;
  private final NvmlFunction remotePciInfo;
  private final NvmlFunction peerStatus;

  LinkCalls(NvmlFunction.Table functions) {
    commonAncestor = functions.pair("nvmlDeviceGetTopologyCommonAncestor");
    state = functions.indexed("nvmlDeviceGetNvLinkState");
    remotePciInfo =
        functions.indexed(
            "nvmlDeviceGetNvLinkRemotePciInfo_v2", "nvmlDeviceGetNvLinkRemotePciInfo");
    peerStatus =
        functions.of(List.of("nvmlDeviceGetP2PStatus"), ADDRESS, ADDRESS, JAVA_INT, ADDRESS);
  }

  public Answer<CommonAncestor> commonAncestor(DeviceHandle one, DeviceHandle other) {
    try (var arena = Arena.ofConfined()) {
      var level = arena.allocate(JAVA_INT);
      int code = commonAncestor.call(one.pointer(), other.pointer(), level);
      return commonAncestor.answer(code, () -> ancestor(level.get(JAVA_INT, 0)));
    }
  }

  public Answer<Boolean> isActive(DeviceHandle gpu, int link) {
    try (var arena = Arena.ofConfined()) {
      var active = arena.allocate(JAVA_INT);
      int code = state.call(gpu.pointer(), link, active);
      return state.answer(code, () -> active.get(JAVA_INT, 0) == 1);
    }
  }

  /// The PCI address of what is at the other end of an NVLink: a GPU or a switch.
  public Answer<String> remoteAddress(DeviceHandle gpu, int link) {
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(Layouts.PCI_INFO);
      int code = remotePciInfo.call(gpu.pointer(), link, info);
      return remotePciInfo.plausible(code, () -> PciInfo.address(info));
    }
  }

  /// How far one GPU reaches the other over NVLink: nvmlGpuP2PStatus_t, 0 where it does.
  public Answer<Integer> nvLinkStatus(DeviceHandle one, DeviceHandle other) {
    try (var arena = Arena.ofConfined()) {
      var status = arena.allocate(JAVA_INT);
      int code = peerStatus.call(one.pointer(), other.pointer(), NVLINK_CAPABILITY, status);
      return peerStatus.plausible(code, () -> Numbers.small(status.get(JAVA_INT, 0)));
    }
  }

  // nvmlGpuTopologyLevel_t
  private static CommonAncestor ancestor(int level) {
    return switch (level) {
      case 0 -> CommonAncestor.INTERNAL;
      case 10 -> CommonAncestor.SINGLE;
      case 20 -> CommonAncestor.MULTIPLE;
      case 30 -> CommonAncestor.HOST_BRIDGE;
      case 40 -> CommonAncestor.NUMA_NODE;
      default -> CommonAncestor.SYSTEM;
    };
  }
}
