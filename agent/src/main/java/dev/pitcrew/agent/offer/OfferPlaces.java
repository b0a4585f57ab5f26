package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import java.nio.file.Path;

/// Where the files are that an offer is made of and written to.
///
/// @param host the root with the kernel's `/proc` and `/sys`
/// @param driver queried again at each offer
/// @param cdiFolder such as `/var/run/cdi`
/// @param hasNodesMade whether the agent makes the driver's device nodes
public record OfferPlaces(
    HostRoot host, DriverRootFinder driver, Path cdiFolder, boolean hasNodesMade) {

  public OfferPlaces(HostRoot host, DriverRootFinder driver, Path cdiFolder) {
    this(host, driver, cdiFolder, false);
  }

  public OfferPlaces(HostRoot host, DriverRoot driver, Path cdiFolder) {
    this(host, DriverRootFinder.always(driver), cdiFolder);
  }

  /// @param driverFolder where driver containers put the driver on the host
  public static OfferPlaces of(AgentContext context, String driverFolder) {
    return new OfferPlaces(
        context.host(), DriverPaths.finder(context, driverFolder), context.folders().cdi());
  }

  /// The same where the agent makes the nodes or does not.
  public OfferPlaces withNodesMade(boolean byAgent) {
    return new OfferPlaces(host, driver, cdiFolder, byAgent);
  }
}
