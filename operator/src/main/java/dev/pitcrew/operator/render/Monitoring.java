package dev.pitcrew.operator.render;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Objects through which Prometheus finds metrics: Services, and the ServiceMonitors and
/// PrometheusRules of the Prometheus operator, whose CRDs a cluster may lack.
public final class Monitoring {
  private static final String API_VERSION = "monitoring.coreos.com/v1";

  private Monitoring() {}

  /// One recording or alerting rule.
  ///
  /// @param seconds how long the expression must hold; 0 makes it a recording rule
  public record Rule(String name, String expression, long seconds, String summary) {
    public static Rule recording(String name, String expression) {
      return new Rule(name, expression, 0, "");
    }

    Map<String, Object> fields() {
      if (seconds == 0) {
        return Map.of("record", name, "expr", expression);
      }
      return Map.of(
          "alert",
          name,
          "expr",
          expression,
          "for",
          (seconds / 60) + "m",
          "labels",
          Map.of("severity", "warning"),
          "annotations",
          Map.of("summary", summary));
    }
  }

  /// A Service `name` that selects `app=<name>`, with one port of the same number on both sides.
  public static ServiceBuilder service(String name, String namespace, String portName, int port) {
    return new ServiceBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .addToLabels("app", name)
        .endMetadata()
        .withNewSpec()
        .addToSelector("app", name)
        .addNewPort()
        .withName(portName)
        .withPort(port)
        .withTargetPort(new IntOrString(port))
        .withProtocol("TCP")
        .endPort()
        .endSpec();
  }

  /// A Service whose pods Prometheus scrapes by annotation.
  public static Service scraped(String name, String namespace, String portName, int port) {
    return service(name, namespace, portName, port)
        .editMetadata()
        .addToAnnotations("prometheus.io/scrape", "true")
        .endMetadata()
        .build();
  }

  /// A ServiceMonitor for the Service of the same name.
  ///
  /// @param endpoint further fields of the endpoint, for example `interval`
  public static GenericKubernetesResource serviceMonitor(
      Service service, String jobLabel, Map<String, String> labels, Map<String, Object> endpoint) {
    String name = service.getMetadata().getName();
    String namespace = service.getMetadata().getNamespace();
    var allLabels = new LinkedHashMap<String, String>(Map.of("app", name));
    allLabels.putAll(labels);
    var fullEndpoint = new LinkedHashMap<String, Object>();
    fullEndpoint.put("port", service.getSpec().getPorts().getFirst().getName());
    fullEndpoint.put("path", "/metrics");
    fullEndpoint.putAll(endpoint);
    return resource("ServiceMonitor", name, namespace, allLabels)
        .withAdditionalProperties(
            Map.of(
                "spec",
                Map.of(
                    "jobLabel", jobLabel,
                    "selector", Map.of("matchLabels", Map.of("app", name)),
                    "namespaceSelector", Map.of("matchNames", List.of(namespace)),
                    "endpoints", List.of(fullEndpoint))))
        .build();
  }

  public static GenericKubernetesResource rules(
      String name, String app, String namespace, List<Rule> rules) {
    var group = Map.of("name", name, "rules", rules.stream().map(Rule::fields).toList());
    return resource("PrometheusRule", name, namespace, Map.of("app", app))
        .withAdditionalProperties(Map.of("spec", Map.of("groups", List.of(group))))
        .build();
  }

  private static GenericKubernetesResourceBuilder resource(
      String kind, String name, String namespace, Map<String, String> labels) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion(API_VERSION)
        .withKind(kind)
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(labels)
        .endMetadata();
  }
}
