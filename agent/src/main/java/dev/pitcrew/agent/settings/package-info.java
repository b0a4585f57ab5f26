/// What runs on this node and how: a pure function of the operator's document, the node's labels
/// and the ConfigMap of device plugin configurations ([dev.pitcrew.agent.settings.SettingsPlan]).
///
/// ClusterPolicy stays the place where the operands that the agent replaces are configured, so each
/// function is set up as the operator would have set its operand up. What is wrong never stops what
/// ran: the previous configuration stays in force, and a problem names the field, its value and the
/// remedy.
@NullMarked
package dev.pitcrew.agent.settings;

import org.jspecify.annotations.NullMarked;
