package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// An operator resyncs everything now and then without an event.
@WithControlPlane
class ResyncTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final String OFTEN = "--resync-period=200ms";
  private static final int TIMES = 10;
  private static final List<String> CONTROLLERS =
      List.of(
          "clusterpolicy-controller",
          "nvidia-driver-controller",
          "node-labeling-controller",
          "driver-upgrade-controller");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ControlPlane controlPlane;

  ResyncTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @Test
  void unchangedObject_costsNoCall() throws IOException, InterruptedException {
    var addresses = OperatorAddresses.free();
    try (var scene = Scene.of(SCENARIO, controlPlane)) {
      scene.start(Launch.PLAIN.withArgument(OFTEN), addresses);
      scene.policy().create(Scene.scenario(SCENARIO)).awaitReady();
      scene.settle();

      var begin = Instant.now();
      for (var controller : CONTROLLERS) {
        var before = reconciles(addresses, controller);
        await().atMost(LIMIT).until(() -> reconciles(addresses, controller) >= before + TIMES);
      }

      assertThat(controlPlane.auditLog().requestsOf(OperatorWrites.USER))
          .isNotEmpty()
          .filteredOn(request -> !request.received().isBefore(begin))
          .isEmpty();
    }
  }

  private static double reconciles(OperatorAddresses addresses, String controller) {
    var counter = "controller_runtime_reconcile_total{controller=\"%s\"".formatted(controller);
    return metrics(addresses)
        .lines()
        .filter(line -> line.startsWith(counter))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private static String metrics(OperatorAddresses addresses) {
    try (var http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(addresses.metrics()).build(), BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the metrics were read", e);
    }
  }
}
