package dev.pitcrew.operator.render;

import dev.pitcrew.api.ServiceMonitorSpec;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Service;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a policy says about a ServiceMonitor.
public final class ServiceMonitorSettings {
  private ServiceMonitorSettings() {}

  public static GenericKubernetesResource monitor(
      Service service, String jobLabel, ServiceMonitorSpec settings) {
    return Monitoring.serviceMonitor(
        service, jobLabel, settings.additionalLabels(), endpoint(settings));
  }

  private static Map<String, Object> endpoint(ServiceMonitorSpec settings) {
    var endpoint = new LinkedHashMap<String, Object>();
    putIfAny(endpoint, "interval", settings.interval());
    putIfAny(endpoint, "scrapeTimeout", settings.scrapeTimeout());
    if (settings.honorLabels() != null) {
      endpoint.put("honorLabels", settings.honorLabels());
    }
    if (!settings.relabelings().isEmpty()) {
      endpoint.put("relabelings", ApiObjects.convert(settings.relabelings(), List.class));
    }
    return endpoint;
  }

  private static void putIfAny(Map<String, Object> endpoint, String key, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      endpoint.put(key, value);
    }
  }
}
