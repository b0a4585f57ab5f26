package dev.pitcrew.operator.operand.dra;

import dev.pitcrew.api.gpucluster.ComputeDomainsSpec;
import dev.pitcrew.api.gpucluster.GpuClusterSpec;
import dev.pitcrew.api.gpucluster.KubeletPluginSpec;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.SectionCheck;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// NVIDIA's driver for dynamic resource allocation: the kubelet plugin of each node and, with
/// compute domains, their controller unless the operator is that.
final class DraDriver implements DraOperand {
  @Override
  public String state() {
    return "state-dra-driver";
  }

  @Override
  public boolean isEnabled(GpuClusterSpec spec) {
    return true;
  }

  @Override
  public Optional<Problem> problem(DraContext context) {
    ComputeDomainsSpec domains = context.spec().draDriver().computeDomains();
    return SectionCheck.problem(context.driverImage(), context.images())
        .or(context::validatorProblem)
        .or(() -> plugin("gpus", context.spec().draDriver().gpus().kubeletPlugin()))
        .or(() -> plugin("computeDomains", domains.kubeletPlugin()))
        .or(() ->
            SectionCheck.container(
                "spec.draDriver.computeDomains.controller",
                domains.controller().env(),
                domains.controller().resources()))
        .or(() -> samePort(context));
  }

  private static Optional<Problem> plugin(String section, KubeletPluginSpec plugin) {
    return SectionCheck.container(
        "spec.draDriver.%s.kubeletPlugin".formatted(section), plugin.env(), plugin.resources());
  }

  /// Both containers listen in one network namespace.
  private static Optional<Problem> samePort(DraContext context) {
    int gpus = DraPlugin.GPUS.port(context);
    int domains = DraPlugin.COMPUTE_DOMAINS.port(context);
    return gpus > 0 && gpus == domains && context.spec().draDriver().computeDomains().isEnabled()
        ? Optional.of(
            Problem.of(
                "SpecInvalid",
                "spec.draDriver.computeDomains.kubeletPlugin.healthcheck.port",
                Integer.toString(domains),
                "the container gpus of the same pod has that port: give another one"))
        : Optional.empty();
  }

  @Override
  public List<HasMetadata> resources(DraContext context) {
    var objects = new ArrayList<>(DraRights.of(context));
    objects.add(gpuClass("gpu.nvidia.com", "gpu"));
    objects.add(gpuClass("mig.nvidia.com", "mig"));
    if (context.spec().draDriver().computeDomains().isEnabled()) {
      objects.add(domainClass("compute-domain-daemon.nvidia.com", "daemon", ""));
      objects.add(
          domainClass(
              "compute-domain-default-channel.nvidia.com",
              "channel",
              " && device.attributes['%s'].id == 0".formatted(DraObjects.COMPUTE_DOMAIN_DRIVER)));
    }
    objects.add(gpuClass("vfio.gpu.nvidia.com", "vfio"));
    objects.addAll(DraSlicePolicy.of(context.namespace()));
    return objects;
  }

  private static HasMetadata gpuClass(String name, String type) {
    return DraObjects.deviceClass(name, DraObjects.GPU_DRIVER, type, "");
  }

  private static HasMetadata domainClass(String name, String type, String condition) {
    return DraObjects.deviceClass(name, DraObjects.COMPUTE_DOMAIN_DRIVER, type, condition);
  }

  @Override
  public List<HasMetadata> workloads(DraContext context) {
    boolean hasController =
        context.spec().draDriver().computeDomains().isEnabled() && !context.isDomainController();
    return hasController
        ? List.of(DraPlugin.daemonSet(context), ComputeDomainController.deployment(context))
        : List.of(DraPlugin.daemonSet(context));
  }
}
