package dev.pitcrew.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.allocatable.Problem;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.kubelet.deviceplugin.RegisterRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The recorded answers of the device plugin hold for ours, over real sockets and on simulated
/// GPUs.
class PluginFactsTest {
  @TempDir Path folder;
  @TempDir Path nodeFolder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "one",
        "envvar",
        "envvar-index",
        "volume-mounts",
        "cdi-annotations",
        "cdi-cri",
        "ts4",
        "ts4-rename",
        "ts4-failgt1",
        "mps4-daemon",
        "mig-single-1g",
        "mig-mixed-balanced"
      })
  void recordedAnswersHold(String name) throws Exception {
    Facts facts = Facts.read("plugin/" + name);
    Inventory inventory = Facts.inventory(facts.node(nodeFolder));
    Allocatable allocatable =
        Allocatable.from(inventory, facts.migStrategy(), facts.sharing(), Health.ALL_WELL);
    assertThat(allocatable.problems()).isEmpty();
    try (TestKubelet kubelet = TestKubelet.start(folder);
        DevicePlugins plugins = new DevicePlugins(folder)) {
      plugins.publish(Offer.of(allocatable, Facts.topology(inventory), facts.pluginSettings()));
      Map<String, RegisterRequest> requests = new TreeMap<>();
      for (JsonNode _ : facts.json().path("registrations")) {
        RegisterRequest request = kubelet.nextRegistration();
        requests.put(request.getEndpoint(), request);
      }
      for (JsonNode recorded : facts.json().path("registrations")) {
        assertThat(requests).containsKey(recorded.path("endpoint").asText());
      }
      for (RegisterRequest request : requests.values()) {
        check(recorded(facts, request), request, kubelet);
      }
      assertThat(sockets())
          .containsExactlyInAnyOrderElementsOf(
              Facts.texts(facts.json().path("files_while_running")));
    }
    assertThat(sockets()).isEmpty();
  }

  @Test
  void differentMigDevicesUnderSingleAreRefusedWithTheRecordedReason() {
    Facts facts = Facts.read("plugin/mig-single-hetero");
    Allocatable allocatable =
        Allocatable.from(
            Facts.inventory(facts.node(nodeFolder)),
            facts.migStrategy(),
            facts.sharing(),
            Health.ALL_WELL);
    assertThat(allocatable.problems()).isNotEmpty().allMatch(Problem::refusesStart);
    assertThat(StartRefusal.of(allocatable)).contains(facts.json().path("last_log_line").asText());
  }

  private static JsonNode recorded(Facts facts, RegisterRequest request) {
    return StreamSupport.stream(facts.json().path("registrations").spliterator(), false)
        .filter(it -> it.path("endpoint").asText().equals(request.getEndpoint()))
        .findFirst()
        .orElseThrow();
  }

  private static void check(JsonNode json, RegisterRequest request, TestKubelet kubelet)
      throws InterruptedException {
    assertThat(request.getResourceName()).isEqualTo(json.path("resource").asText());
    assertThat(request.getVersion()).isEqualTo(json.path("version").asText());
    assertThat(request.getOptions()).isEqualTo(Messages.OPTIONS);
    try (PluginClient client = kubelet.dial(request.getEndpoint())) {
      assertThat(client.options()).isEqualTo(Messages.OPTIONS);
      assertThat(client.preStart()).isNotNull();
      List<Device> devices = client.watch().next().getDevicesList();
      assertThat(devices).extracting(Device::getHealth).containsOnly("Healthy");
      RecordedRegistration recorded = RecordedRegistration.of(json, devices);
      assertThat(devices)
          .extracting(Device::getID)
          .containsExactlyInAnyOrderElementsOf(recorded.listed());
      json.path("allocate").forEach(it -> checkAllocate(recorded, it, client));
      json.path("preferred").forEach(it -> checkPreferred(recorded, it, client));
    }
  }

  private static void checkAllocate(
      RecordedRegistration recorded, JsonNode allocate, PluginClient client) {
    List<List<String>> containers = containers(recorded, allocate.path("ids"));
    JsonNode response = allocate.path("response");
    if (response.isArray()) {
      List<ContainerAllocateResponse> answers =
          client.allocate(containers).getContainerResponsesList();
      assertThat(answers.stream().map(RecordedAnswer::of))
          .containsExactlyElementsOf(RecordedAnswer.all(recorded, response));
    } else {
      assertRefused(response, () -> client.allocate(containers));
    }
  }

  private static List<List<String>> containers(RecordedRegistration recorded, JsonNode ids) {
    if (ids.isArray()) {
      return List.of(recorded.translated(ids));
    }
    List<String> listed = new ArrayList<>();
    recorded.json().path("first_list").forEach(it -> listed.add(it.path("id").asText()));
    return listed.stream().limit(2).map(id -> List.of(recorded.translated(id))).toList();
  }

  private static void checkPreferred(
      RecordedRegistration recorded, JsonNode preferred, PluginClient client) {
    List<String> available = recorded.available(preferred.path("available"));
    List<String> required = recorded.translated(preferred.path("must_include"));
    int size = preferred.path("size").asInt();
    JsonNode answer = preferred.path("answer_sorted");
    if (answer.isObject()) {
      assertRefused(answer, () -> client.preferred(available, required, size));
      return;
    }
    List<String> chosen = client.preferred(available, required, size);
    assertThat(chosen).hasSize(answer.size()).doesNotHaveDuplicates().containsAll(required);
    assertThat(picks(chosen)).isEqualTo(sorted(preferred.path("picks_per_device")));
    if (recorded.listed().stream().allMatch(id -> id.startsWith("GPU-") && !id.contains("::"))) {
      assertThat(chosen).containsExactlyInAnyOrderElementsOf(recorded.translated(answer));
    }
  }

  private static List<Integer> picks(List<String> chosen) {
    return chosen.stream()
        .collect(
            Collectors.groupingBy(
                (Function<String, String>) dev.pitcrew.device.allocatable.Device::uuidOf,
                Collectors.summingInt(_ -> 1)))
        .values()
        .stream()
        .sorted()
        .toList();
  }

  private static List<Integer> sorted(JsonNode numbers) {
    List<Integer> sorted = new ArrayList<>();
    numbers.forEach(number -> sorted.add(number.asInt()));
    sorted.sort(null);
    return sorted;
  }

  /// In the reference's words, after which may come what to do.
  private static void assertRefused(JsonNode error, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            refused -> {
              assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
              assertThat(refused.getStatus().getDescription())
                  .startsWith(error.path("message").asText());
            });
  }

  private List<String> sockets() throws IOException {
    try (var files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("kubelet.sock"))
          .toList();
    }
  }
}
