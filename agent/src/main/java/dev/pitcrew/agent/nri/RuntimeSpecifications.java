package dev.pitcrew.agent.nri;

import dev.pitcrew.agent.cdi.CdiClass;
import dev.pitcrew.agent.cdi.CdiDevice;
import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Writes the CDI specifications of what containers get by variable. Their GPUs are of a kind of
/// their own, as with the container toolkit, so that they are at odds with no `nvidia.com/gpu` that
/// a host generates for itself; those of who manages the node lie where the toolkit has them.
public final class RuntimeSpecifications {
  /// Most nodes have none of these, which is no news.
  private static final List<CdiClass> EXTRAS =
      List.of(CdiClass.GDS, CdiClass.MOFED, CdiClass.GDRCOPY, CdiClass.NVSWITCH);

  private final SpecificationFolder folder;
  private final String hookPath;

  /// @param hookPath the hook program on the host
  public RuntimeSpecifications(SpecificationFolder folder, String hookPath) {
    this.folder = folder;
    this.hookPath = hookPath;
  }

  /// What is there now.
  ///
  /// @param failures files that could not be written
  public record Written(KnownDevices devices, List<String> failures) {
    public Written {
      failures = List.copyOf(failures);
    }
  }

  public Written write(CdiInput input) {
    var failures = new ArrayList<String>();
    Set<String> gpus = new HashSet<>();
    Set<String> extras = new HashSet<>();
    for (CdiSpecification made : users(input)) {
      boolean isThere = isThere(made, CdiDocument.JSON, failures);
      String deviceClass = made.kind().deviceClass();
      if (isThere && deviceClass.equals(CdiClass.GPU.text())) {
        gpus.addAll(made.devices().stream().map(CdiDevice::name).toList());
      } else if (isThere) {
        extras.add(deviceClass);
      }
    }
    boolean hasManagement =
        management(input).anyMatch(made -> isThere(made, CdiDocument.YAML, failures));
    return new Written(new KnownDevices(gpus, extras, hasManagement), failures);
  }

  private List<CdiSpecification> users(CdiInput input) {
    var classes = new ArrayList<CdiClass>(List.of(CdiClass.GPU));
    classes.addAll(EXTRAS);
    CdiOptions options = options().withVendor(KnownDevices.VENDOR).withClasses(classes);
    return CdiSpecifications.generate(input, options).specifications().stream()
        .map(RuntimeSpecifications::withNone)
        .toList();
  }

  private Stream<CdiSpecification> management(CdiInput input) {
    CdiOptions options =
        options().withVendor(KnownDevices.MANAGEMENT_VENDOR).only(CdiClass.MANAGEMENT);
    return CdiSpecifications.generate(input, options).specifications().stream();
  }

  private CdiOptions options() {
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

  /// A file that could not be written counts while the former one has all its names.
  private boolean isThere(CdiSpecification made, CdiDocument format, List<String> failures) {
    return switch (folder.write(made, format)) {
      case SpecificationFolder.Outcome.Failed(_, var message) -> {
        failures.add(message);
        yield folder.hasAllNames(made, format);
      }
      case SpecificationFolder.Outcome.Written _,
          SpecificationFolder.Outcome.Unchanged _,
          SpecificationFolder.Outcome.Removed _ ->
          true;
    };
  }
}
