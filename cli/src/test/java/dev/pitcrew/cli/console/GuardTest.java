package dev.pitcrew.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuardTest {
  private final Guard guard = new Guard(8686);

  /// `-` for a header that is not there.
  @ParameterizedTest
  @CsvSource({
    "true,  127.0.0.1:8686,      -,                     -,           -",
    "true,  localhost:8686,      -,                     none,        navigate",
    "true,  localhost:8686,      http://localhost:8686, same-origin, cors",
    "true,  localhost:8686,      -,                     cross-site,  navigate",
    "false, localhost:8686,      -,                     cross-site,  cors",
    "false, localhost:8686,      -,                     cross-site,  no-cors",
    "false, localhost:8686,      -,                     same-site,   cors",
    "false, localhost:8686,      http://localhost:3000, -,           -",
    "false, localhost:8686,      https://evil.example,  -,           -",
    "false, localhost:8686,      null,                  -,           -",
    "false, evil.example:8686,   -,                     same-origin, cors",
    "false, localhost:80,        -,                     none,        navigate",
    "false, localhost,           -,                     none,        navigate",
    "false, -,                   -,                     -,           -",
  })
  void onlyItsOwnPagesAreServed(
      boolean served, String host, String origin, String site, String mode) {
    Map<String, String> headers = new HashMap<>();
    headers.put("Host", host);
    headers.put("Origin", origin);
    headers.put("Sec-Fetch-Site", site);
    headers.put("Sec-Fetch-Mode", mode);
    headers.put("Sec-Fetch-Dest", mode.equals("navigate") ? "document" : "empty");
    headers.values().removeIf("-"::equals);

    assertThat(guard.refusal(headers::get).isEmpty()).isEqualTo(served);
  }

  /// A frame is a navigation too, and would let another site lay its page over it.
  @ParameterizedTest
  @CsvSource({"iframe", "embed", "object"})
  void framesOfOtherSitesAreRefused(String destination) {
    Map<String, String> headers =
        Map.of(
            "Host", "localhost:8686",
            "Sec-Fetch-Site", "cross-site",
            "Sec-Fetch-Mode", "navigate",
            "Sec-Fetch-Dest", destination);

    assertThat(guard.refusal(headers::get)).isPresent();
  }
}
