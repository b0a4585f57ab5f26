package dev.pitcrew.agent.config;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// `resources.gpus` and `resources.mig`. NVIDIA's device plugin checks and then ignores them; so
/// does the agent, with a warning.
final class ResourcesSection {
  private static final List<String> KEYS = List.of("pattern", "name");

  private ResourcesSection() {}

  static void check(Object value, Findings findings) {
    ConfigTree.of("resources", value, findings)
        .ifPresent(
            tree -> tree.entries().forEach((key, list) -> check(tree.pathOf(key), list, findings)));
  }

  private static void check(String path, Object value, Findings findings) {
    String key = path.toLowerCase(Locale.ROOT);
    if (!key.equals("resources.gpus") && !key.equals("resources.mig")) {
      findings.warn(path + " is no known key and has no effect");
      return;
    }
    if (!(value instanceof List<?> list)) {
      findings.problem(path, String.valueOf(value), "give a list of patterns with their names");
      return;
    }
    for (int i = 0; i < list.size(); i++) {
      ConfigTree.of("%s[%d]".formatted(path, i), list.get(i), findings)
          .ifPresent(item -> checkItem(item, findings));
    }
    if (!list.isEmpty()) {
      findings.warn(path + " has no effect: resources have their default names");
    }
  }

  private static void checkItem(ConfigTree item, Findings findings) {
    if (item.value("pattern").isEmpty()) {
      findings.problem(item.pathOf("pattern"), "", "name the product or profile, such as *");
    }
    Optional<ResourceName> name =
        item.value("name").map(String::valueOf).flatMap(ResourceName::parse);
    if (name.isEmpty()) {
      String shown = item.value("name").map(String::valueOf).orElse("");
      findings.problem(item.pathOf("name"), shown, ResourceName.VALID);
    }
    item.unknown(KEYS)
        .forEach(key -> findings.warn(item.pathOf(key) + " is no known key and has no effect"));
  }
}
