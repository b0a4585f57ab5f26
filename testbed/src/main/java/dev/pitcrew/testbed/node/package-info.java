/// Real Kubernetes nodes on this machine: each has a kubelet, a containerd and its own namespaces
/// over a copy-on-write view of this machine's files, so that pods really run.
///
/// Owns the bridge, the cgroups and the folders that it makes, all named after one test bed, and
/// sees to it that none of them outlives the JVM that made them, however that ends. Installs
/// missing system packages where apt-get is and says so. Never changes the machine's own
/// forwarding, firewall, mounts or containers.
@NullMarked
package dev.pitcrew.testbed.node;

import org.jspecify.annotations.NullMarked;
