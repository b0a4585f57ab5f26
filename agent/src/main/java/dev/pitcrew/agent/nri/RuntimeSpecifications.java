package dev.pitcrew.agent.nri;

import dev.pitcrew.agent.cdi.CdiClass;
import dev.pitcrew.agent.cdi.CdiDevice;
import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Writes the CDI specifications of what containers get by variable. Their GPUs are of a kind of
/// their own, as with the container toolkit, so that they are at odds with no `nvidia.com/gpu` that
/// a host generates for itself; those of who manages the node lie where the toolkit has them.
public final class RuntimeSpecifications {
  /// Most nodes have none of these, which is not reported.
  private static final List<CdiClass> EXTRAS =
      List.of(CdiClass.GDS, CdiClass.MOFED, CdiClass.GDRCOPY, CdiClass.NVSWITCH);

  private final SpecificationFolder folder;

  public RuntimeSpecifications(SpecificationFolder folder) {
    this.folder = folder;
  }

  /// What is there now.
  ///
  /// @param failures files that could not be written
  public record Written(KnownDevices devices, List<String> failures) {
    public Written {
      failures = List.copyOf(failures);
    }
  }

  /// @param hookPath the hook program on the host
  public Written write(CdiInput input, String hookPath) {
    var failures = new ArrayList<String>();
    Set<String> gpus = new HashSet<>();
    Set<String> extras = new HashSet<>();
    var mounts = new HashMap<String, List<Mount>>();
    for (CdiSpecification made : users(input, hookPath)) {
      if (!isThere(made, CdiDocument.JSON, failures)) {
        continue;
      }
      String deviceClass = made.kind().deviceClass();
      if (deviceClass.equals(CdiClass.GPU.text())) {
        gpus.addAll(made.devices().stream().map(CdiDevice::name).toList());
      } else {
        extras.add(deviceClass);
      }
      mounts.putAll(mounts(made));
    }
    boolean hasManagement = false;
    for (CdiSpecification made : management(input, hookPath)) {
      if (isThere(made, CdiDocument.YAML, failures)) {
        hasManagement = true;
        mounts.putAll(mounts(made));
      }
    }
    return new Written(new KnownDevices(gpus, extras, hasManagement, mounts), failures);
  }

  private static Map<String, List<Mount>> mounts(CdiSpecification made) {
    return made.devices().stream()
        .collect(
            Collectors.toMap(
                device -> made.kind() + "=" + device.name(),
                device -> made.common().and(device.edits()).mounts()));
  }

  private List<CdiSpecification> users(CdiInput input, String hookPath) {
    var classes = new ArrayList<CdiClass>(List.of(CdiClass.GPU));
    classes.addAll(EXTRAS);
    CdiOptions options = options(hookPath).withVendor(KnownDevices.VENDOR).withClasses(classes);
    return CdiSpecifications.generate(input, options).specifications().stream()
        .map(RuntimeSpecifications::withNone)
        .toList();
  }

  private List<CdiSpecification> management(CdiInput input, String hookPath) {
    CdiOptions options =
        options(hookPath).withVendor(KnownDevices.MANAGEMENT_VENDOR).only(CdiClass.MANAGEMENT);
    return CdiSpecifications.generate(input, options).specifications();
  }

  private static CdiOptions options(String hookPath) {
    CdiOptions toolkit = CdiOptions.ofToolkit();
    return toolkit.withHooks(hookPath, toolkit.hooks());
  }

  /// Who asks for no GPU gets the driver's files.
  private static CdiSpecification withNone(CdiSpecification made) {
    if (!made.kind().deviceClass().equals(CdiClass.GPU.text())) {
      return made;
    }
    List<CdiDevice> devices =
        Stream.concat(made.devices().stream(), Stream.of(CdiDevice.NONE))
            .sorted(Comparator.comparing(CdiDevice::name))
            .collect(Collectors.toUnmodifiableList());
    return new CdiSpecification(made.kind(), devices, made.common());
  }

  /// A file that could not be written counts while the former one gives the same.
  private boolean isThere(CdiSpecification made, CdiDocument format, List<String> failures) {
    return switch (folder.write(made, format)) {
      case SpecificationFolder.Outcome.Failed(_, var message, boolean serves) -> {
        failures.add(message);
        yield serves;
      }
      case SpecificationFolder.Outcome.Written _, SpecificationFolder.Outcome.Unchanged _ -> true;
    };
  }
}
