package dev.pitcrew.agent.dra.slices.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.health.Examination;
import dev.pitcrew.agent.health.HealthRules;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.health.XidEvent;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.DeviceTaint;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.Vital;
import dev.pitcrew.hardware.gpu.Vitals;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceTaintsTest {
  private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");
  private static final Inventory TWO = Nodes.withGpus(2);
  private static final Inventory DIVIDED = Nodes.of(Nodes.divided(0, 2));

  private UnhealthyDevices unhealthy = UnhealthyDevices.NONE;

  /// NVIDIA's driver keeps the last Xid only, and a harmless one lowers the effect. Here no Xid
  /// that counts is lost, and one that does not count says nothing.
  @Test
  void xidsOfTheRecordingStaySideBySide() {
    JsonNode recorded = read("health-xid.json");
    XidPolicy policy = XidPolicy.DEFAULT.ignoring(List.of(94));
    var critical = new HashSet<String>();
    int events = 0;
    for (JsonNode step : recorded.path("steps")) {
      JsonNode event = step.at("/do/NVML event");
      if (!event.isMissingNode()) {
        events++;
        unhealthy =
            unhealthy.after(
                XidEvent.of(Nodes.uuid(event.path("gpu").asInt()), event.path("xid").asLong()),
                TWO,
                policy,
                NOW.plusSeconds(events));
        for (JsonNode device : step.at("/got/0/spec/devices")) {
          device
              .path("taints")
              .valueStream()
              .filter(taint -> taint.path("effect").asText().equals("NoSchedule"))
              .forEach(taint -> critical.add(line(device, taint)));
        }
        assertThat(lines(TWO)).isEqualTo(critical);
      }
    }
    assertThat(events).isEqualTo(6);
    assertThat(critical).hasSize(3);
    assertThat(taints(TWO).get("gpu-0"))
        .as("what needs a reboot before what merely degrades")
        .extracting(DeviceTaint::value)
        .containsExactly("79", "63");

    unhealthy = unhealthy.afterReset(List.of(TWO.gpus().getFirst()));
    assertThat(lines(TWO)).containsExactly("gpu-1 gpu.nvidia.com/xid=79:NoSchedule");
  }

  private static String line(JsonNode device, JsonNode taint) {
    return "%s %s=%s:%s"
        .formatted(
            device.path("name").asText(),
            taint.path("key").asText(),
            taint.path("value").asText(),
            taint.path("effect").asText());
  }

  /// An event names a GPU, a GPU instance, or a compute instance in it.
  @ParameterizedTest
  @CsvSource({
    "-1, 'gpu-0-mig-1g5gb-19-0 gpu-0-mig-1g5gb-19-1'",
    "1, gpu-0-mig-1g5gb-19-0",
    "2, gpu-0-mig-1g5gb-19-1",
    "7, ''",
  })
  void xidOfAGpuInstanceTaintsItsMigDeviceOnly(int instance, String tainted) {
    xid(
        DIVIDED,
        new XidEvent(
            Optional.of(Nodes.uuid(0)),
            95,
            instance < 0 ? OptionalInt.empty() : OptionalInt.of(instance),
            OptionalInt.empty()));

    assertThat(taints(DIVIDED).keySet())
        .containsExactlyInAnyOrder(tainted.isEmpty() ? new String[0] : tainted.split(" "));
  }

  @Test
  void lostGpuTaintsNoOther() {
    unhealthy =
        unhealthy.seeing(
            new KnownGpus(TWO, Map.of(Nodes.uuid(1), "GPU is lost"), Set.of(Nodes.uuid(1))));

    assertThat(lines(TWO)).containsExactly("gpu-1 gpu.nvidia.com/gpu-lost=:NoSchedule");
  }

  @Test
  void readingsTaintFromTheLevelOnAtWhichNoPodGetsTheGpu_andTheTaintGoesWithThem() {
    look(Map.of(Vital.RECOVERY_ACTION, 3L));
    assertThat(taints(TWO)).isEmpty();
    look(Map.of(Vital.RECOVERY_ACTION, 2L, Vital.REMAP_PENDING, 1L));
    assertThat(lines(TWO))
        .containsExactly("gpu-1 pitcrew.dev/gpu-unhealthy=NeedsReboot:NoSchedule");
    look(Map.of(Vital.REMAP_PENDING, 1L));
    assertThat(lines(TWO)).containsExactly("gpu-1 pitcrew.dev/gpu-unhealthy=NeedsReset:NoSchedule");
    look(Map.of());
    assertThat(taints(TWO)).isEmpty();
  }

  @Test
  void deviceHasNoMoreTaintsThanAnyServerTakes_theWorstOfThem() {
    for (long number : List.of(63, 94, 92, 38, 79, 95)) {
      xid(TWO, XidEvent.of(Nodes.uuid(0), number));
    }

    assertThat(taints(TWO).get("gpu-0"))
        .extracting(DeviceTaint::value)
        .hasSize(4)
        .startsWith("79", "95");
  }

  @Test
  void effectIsThatOfThePolicy() {
    xid(TWO, XidEvent.of(Nodes.uuid(0), 79));

    assertThat(DeviceTaints.of(devices(TWO), unhealthy, DeviceTaint.Effect.NO_EXECUTE).get("gpu-0"))
        .containsExactly(
            new DeviceTaint("gpu.nvidia.com/xid", "79", DeviceTaint.Effect.NO_EXECUTE));
  }

  private void xid(Inventory inventory, XidEvent event) {
    unhealthy = unhealthy.after(event, inventory, XidPolicy.DEFAULT, NOW);
  }

  private void look(Map<Vital, Long> readings) {
    unhealthy =
        new Examination(new HealthRules(Duration.ofMinutes(5)))
            .of(TWO, Map.of(1, new Vitals(Nodes.uuid(1), readings)), unhealthy, NOW);
  }

  private Map<String, List<DeviceTaint>> taints(Inventory inventory) {
    return DeviceTaints.of(devices(inventory), unhealthy, DeviceTaint.Effect.NO_SCHEDULE);
  }

  private Set<String> lines(Inventory inventory) {
    var lines = new HashSet<String>();
    taints(inventory)
        .forEach((name, taints) ->
            taints.forEach(taint ->
                lines.add(
                    "%s %s=%s:%s"
                        .formatted(name, taint.key(), taint.value(), taint.effect().text()))));
    return lines;
  }

  private static List<ClaimDevice> devices(Inventory inventory) {
    return ClaimDevice.of(inventory);
  }

  private static JsonNode read(String file) {
    try (InputStream content =
        Objects.requireNonNull(DeviceTaintsTest.class.getResourceAsStream("/dra/" + file))) {
      return ApiJson.read(
          new String(content.readAllBytes(), StandardCharsets.UTF_8), JsonNode.class);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
