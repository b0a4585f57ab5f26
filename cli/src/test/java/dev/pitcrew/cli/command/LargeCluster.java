package dev.pitcrew.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// 5,000 nodes with 8 GPUs each, of which one is not ready, and a program that answers for them as
/// kubectl would.
final class LargeCluster {
  private static final int NODES = 5000;
  private static final int BAD = 777;
  private static final int GPUS = 8;
  private static final String TIME = "2026-11-30T10:00:00Z";

  private LargeCluster() {}

  static Path kubectl(Path folder) throws IOException {
    Files.writeString(folder.resolve("gpunodes"), list(LargeCluster::gpuNode));
    Files.writeString(folder.resolve("nodes"), list(LargeCluster::node));
    Files.writeString(folder.resolve("pods"), list(LargeCluster::pod));
    Path program =
        Files.writeString(
            folder.resolve("kubectl"),
            """
            #!/bin/sh
            case "$*" in
            *watch=1*) exec sleep 300 ;;
            *gpunodes*) exec cat %1$s/gpunodes ;;
            */pods*) exec cat %1$s/pods ;;
            */nodes*) exec cat %1$s/nodes ;;
            *) echo 'Error from server (NotFound): none' >&2; exit 1 ;;
            esac
            """
                .formatted(folder));
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static String list(IntFunction<String> item) {
    return IntStream.rangeClosed(1, NODES)
        .mapToObj(item)
        .collect(
            Collectors.joining(
                ",",
                "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[",
                "]}"));
  }

  private static String gpuNode(int index) {
    String gpus =
        IntStream.range(0, GPUS)
            .mapToObj(gpu ->
                "{\"pciAddress\":\"0000:0%d:00.0\",\"index\":%d,\"uuid\":\"GPU-%d-%d\",\"product\":\"NVIDIA H100 80GB HBM3\",\"health\":{\"level\":\"%s\",\"since\":\"%s\",\"evidence\":[]}}"
                    .formatted(
                        gpu,
                        gpu,
                        index,
                        gpu,
                        index == BAD && gpu == 0 ? "NeedsReboot" : "Healthy",
                        TIME))
            .collect(Collectors.joining(","));
    String conditions =
        List.of("Discovered", "DriverReady", "RuntimeReady", "Validated", "Healthy", "Ready")
            .stream()
            .map(type ->
                condition(type, index != BAD || !List.of("Healthy", "Ready").contains(type)))
            .collect(Collectors.joining(","));
    return "{\"metadata\":{\"name\":\"gpu-%d\",\"creationTimestamp\":\"%s\"},\"status\":{\"gpuCount\":8,\"gpus\":[%s],\"driver\":{\"version\":\"580.159.04\"},\"conditions\":[%s]}}"
        .formatted(index, TIME, gpus, conditions);
  }

  private static String condition(String type, boolean isTrue) {
    return "{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"m\",\"lastTransitionTime\":\"%s\"}"
        .formatted(type, isTrue ? "True" : "False", isTrue ? "Ready" : "GpuUnhealthy", TIME);
  }

  /// With as many labels as feature discovery makes.
  private static String node(int index) {
    String labels =
        IntStream.range(0, 60)
            .mapToObj(it -> "\"nvidia.com/gpu.feature-%d\":\"value-%d\"".formatted(it, it))
            .collect(Collectors.joining(","));
    return "{\"metadata\":{\"name\":\"gpu-%d\",\"labels\":{\"nvidia.com/gpu.present\":\"true\",%s}},\"spec\":{},\"status\":{\"capacity\":{\"nvidia.com/gpu\":\"8\"},\"allocatable\":{\"nvidia.com/gpu\":\"8\"},\"conditions\":[%s]}}"
        .formatted(index, labels, condition("Ready", true));
  }

  private static String pod(int index) {
    return "{\"metadata\":{\"name\":\"train-%d\",\"namespace\":\"ml\",\"creationTimestamp\":\"%s\"},\"spec\":{\"nodeName\":\"gpu-%d\",\"containers\":[{\"name\":\"main\",\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"5\"}}}]},\"status\":{\"phase\":\"Running\"}}"
        .formatted(index, TIME, index);
  }
}
