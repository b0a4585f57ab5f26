package dev.pitcrew.agent.runtime.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Docker: `daemon.json`, in which members are put and nothing else is touched.
final class DockerPlan {
  private static final String NO_NRI =
      "Docker has no NRI: pods that ask by NVIDIA_VISIBLE_DEVICES start without GPUs, those that ask for resources get theirs; move the node to containerd, or let the container toolkit of NVIDIA set up Docker";
  private static final String FEATURES = "/features";
  private static final String CDI = FEATURES + "/cdi";
  private static final String RUNTIMES = "/runtimes";

  private DockerPlan() {}

  static RuntimePlan of(RuntimeInput input, WantedRuntime wanted) {
    String before = input.main().orElse("");
    boolean isBlank = before.isBlank();
    Optional<JsonText.Broken> broken = isBlank ? Optional.empty() : JsonText.broken(before);
    if (broken.isPresent()) {
      return new RuntimePlan.Refused(
          new RuntimeProblem(
              input.mainPath(),
              "",
              broken.get().position(),
              "",
              "this is no JSON object (%s): correct it; till then nothing is changed"
                  .formatted(broken.get().message())));
    }
    String text = isBlank ? "{\n}\n" : before;
    Optional<RuntimeProblem> noObject = noObject(input.mainPath(), text);
    if (noObject.isPresent()) {
      return new RuntimePlan.Refused(noObject.get());
    }
    var remarks = new ArrayList<String>();
    String after = withHandlers(wanted.cdi() ? withCdi(text) : text, input, wanted, remarks);
    if (wanted.nri()) {
      remarks.add(NO_NRI);
    }
    boolean isSame = after.equals(text);
    return RuntimePlan.of(
        Edit.of(input.mainPath(), input.main(), isSame ? input.main() : Optional.of(after)).stream()
            .toList(),
        remarks);
  }

  private static Optional<RuntimeProblem> noObject(String path, String text) {
    JsonText json = JsonText.of(text);
    return List.of(FEATURES, RUNTIMES).stream()
        .filter(key -> json.value(key).filter(value -> !value.startsWith("{")).isPresent())
        .findFirst()
        .map(key ->
            new RuntimeProblem(
                path,
                key.substring(1),
                position(text, json.span(key).orElseThrow().start()),
                json.value(key).orElseThrow(),
                "Docker takes an object here: correct it"));
  }

  private static String withCdi(String text) {
    JsonText json = JsonText.of(text);
    if (json.span(CDI).isPresent()) {
      return json.value(CDI).equals(Optional.of("true")) ? text : json.replaced(CDI, "true");
    }
    return json.span(FEATURES).isPresent()
        ? json.with(FEATURES, "\"cdi\": true")
        : json.with("", "\"features\": {\"cdi\": true}");
  }

  private static String withHandlers(
      String start, RuntimeInput input, WantedRuntime wanted, List<String> remarks) {
    String text = start;
    for (String name : wanted.handlers()) {
      JsonText json = JsonText.of(text);
      if (json.span(RUNTIMES + "/" + name).isPresent()) {
        remarks.add(
            "handler %s is that of %s and stays as it is".formatted(name, input.mainPath()));
      } else {
        String member = "\"%s\": {\"path\": \"runc\"}".formatted(name);
        text =
            json.span(RUNTIMES).isPresent()
                ? json.with(RUNTIMES, member)
                : json.with("", "\"runtimes\": {%s}".formatted(member));
      }
    }
    return text;
  }

  private static String position(String text, int offset) {
    String before = text.substring(0, offset);
    int line = (int) before.chars().filter(character -> character == '\n').count() + 1;
    return line + ":" + (offset - before.lastIndexOf('\n'));
  }
}
