/// Tests of the Helm chart: that it takes the reference's values and gives the reference's custom
/// resources, and that what it installs is restricted. Owns what is expected of the chart; never
/// touches a cluster.
@NullMarked
package dev.pitcrew.charts;

import org.jspecify.annotations.NullMarked;
