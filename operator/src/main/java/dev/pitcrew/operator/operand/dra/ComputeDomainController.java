package dev.pitcrew.operator.operand.dra;

import dev.pitcrew.api.gpucluster.DraDriverSpec;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.OperandSettings;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The controller of ComputeDomains of the DRA driver.
public final class ComputeDomainController {
  /// Of its Deployment.
  public static final String NAME = DraRights.CONTROLLER;

  private static final Map<String, String> SELECTOR = Map.of("app", NAME);

  private ComputeDomainController() {}

  static Deployment deployment(DraContext context) {
    DraDriverSpec driver = context.spec().draDriver();
    var settings = context.spec().daemonsets();
    var labels = new LinkedHashMap<>(SELECTOR);
    labels.put(DraRights.NAME_LABEL, DraRights.DRIVER);
    labels.put(DraRights.COMPONENT_LABEL, NAME);
    var podLabels = new LinkedHashMap<>(labels);
    podLabels.putAll(CommonSettings.podLabels(settings));
    labels.putAll(settings.labels());
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName(NAME)
        .withNamespace(context.namespace())
        .withLabels(labels)
        .withAnnotations(settings.annotations())
        .endMetadata()
        .withNewSpec()
        .withReplicas(1)
        .withNewSelector()
        .withMatchLabels(SELECTOR)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(podLabels)
        .withAnnotations(settings.annotations())
        .endMetadata()
        .withNewSpec()
        .withPriorityClassName(context.priorityClass())
        .withServiceAccountName(NAME)
        .withImagePullSecrets(
            driver.imagePullSecrets().stream().map(LocalObjectReference::new).toList())
        .withAffinity(preferringControlPlanes())
        .withTolerations(tolerations(context))
        .withContainers(container(context).build())
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private static ContainerDraft container(DraContext context) {
    DraDriverSpec driver = context.spec().draDriver();
    String image = context.images().path(context.driverImage());
    var draft =
        new ContainerDraft("compute-domain")
            .image(image)
            .pullPolicy(driver.imagePullPolicy())
            .command("compute-domain-controller", "-v", "$(LOG_VERBOSITY)")
            .env("HTTP_ENDPOINT", ":8080")
            .env("METRICS_PATH", "/metrics")
            .env("PPROF_PATH", "")
            .env("LOG_VERBOSITY", "4")
            .env("LOG_VERBOSITY_CD_DAEMON", "4")
            .envFromField("POD_NAME", "metadata.name")
            .envFromField("NAMESPACE", "metadata.namespace")
            .env("IMAGE_NAME", image);
    DraPlugin.pullSecrets(draft, "CD_DAEMON_IMAGE_PULL_SECRET_NAMES", driver);
    draft
        .env("NVIDIA_VISIBLE_DEVICES", "void")
        .env("LEADER_ELECTION_ENABLED", "false")
        .env("LEADER_ELECTION_LEASE_LOCK_NAME", NAME)
        .env("LEADER_ELECTION_LEASE_LOCK_NAMESPACE", context.namespace())
        .env("LEADER_ELECTION_LEASE_DURATION", "15s")
        .env("LEADER_ELECTION_RENEW_DEADLINE", "10s")
        .env("LEADER_ELECTION_RETRY_PERIOD", "2s");
    DraPlugin.featureGates(draft, driver);
    OperandSettings.env(draft, driver.computeDomains().controller().env());
    OperandSettings.resources(draft, driver.computeDomains().controller().resources());
    return draft;
  }

  private static List<Toleration> tolerations(DraContext context) {
    var tolerations = new ArrayList<Toleration>();
    for (String role : List.of("control-plane", "master")) {
      tolerations.add(
          new TolerationBuilder()
              .withKey("node-role.kubernetes.io/" + role)
              .withOperator("Exists")
              .withEffect("NoSchedule")
              .build());
    }
    tolerations.add(
        new TolerationBuilder().withKey("CriticalAddonsOnly").withOperator("Exists").build());
    tolerations.addAll(CommonSettings.tolerations(context.spec().daemonsets()));
    return tolerations;
  }

  private static Affinity preferringControlPlanes() {
    return new AffinityBuilder()
        .withNewNodeAffinity()
        .addNewPreferredDuringSchedulingIgnoredDuringExecution()
        .withWeight(100)
        .withNewPreference()
        .addNewMatchExpression()
        .withKey("node-role.kubernetes.io/control-plane")
        .withOperator("Exists")
        .endMatchExpression()
        .endPreference()
        .endPreferredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .withNewPodAntiAffinity()
        .addNewPreferredDuringSchedulingIgnoredDuringExecution()
        .withWeight(100)
        .withNewPodAffinityTerm()
        .withNewLabelSelector()
        .withMatchLabels(SELECTOR)
        .endLabelSelector()
        .withTopologyKey("kubernetes.io/hostname")
        .endPodAffinityTerm()
        .endPreferredDuringSchedulingIgnoredDuringExecution()
        .endPodAntiAffinity()
        .build();
  }
}
