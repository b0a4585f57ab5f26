package dev.pitcrew.operator.operand.dra;

import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.operator.render.Identity;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The account of the IMEX daemons of ComputeDomains and what it may do, as NVIDIA's image needs
/// it. One account serves the daemons of all domains.
public final class DomainDaemonRights {
  /// Name of the account; pods of the daemons refer to it.
  public static final String ACCOUNT = "compute-domain-daemon-service-account";

  private static final String NAME = "compute-domain-daemon";
  private static final String DOMAINS = "resource.nvidia.com";

  private DomainDaemonRights() {}

  public static List<HasMetadata> of(String namespace) {
    Identity daemon =
        Identity.withoutRights(
            ACCOUNT,
            Map.of(DraRights.NAME_LABEL, DraRights.DRIVER, DraRights.COMPONENT_LABEL, NAME));
    var objects = new ArrayList<HasMetadata>(List.of(daemon.account(namespace)));
    objects.addAll(
        daemon.clusterWide(
            NAME,
            Map.of(),
            List.of(
                rule(DOMAINS, "computedomains", "get", "list", "watch", "update", "patch"),
                rule(DOMAINS, "computedomains/status", "get", "list", "watch", "update", "patch"),
                rule(
                    DOMAINS,
                    "computedomaincliques",
                    "get",
                    "list",
                    "watch",
                    "create",
                    "update",
                    "patch"),
                rule("", "pods", "get", "list", "watch", "patch")),
            namespace));
    return objects;
  }
}
