{{/* `helm template` has no cluster to ask and knows groups only. Then it counts that every version this chart is for has it. */}}
{{- define "pitcrew.servesAdmissionPolicies" -}}
{{- $known := .Capabilities.APIVersions -}}
{{- if $known.Has "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy" -}}
true
{{- else if not ($known.Has "v1/Node") -}}
true
{{- end -}}
{{- end }}

{{/* Whether the node agent labels the nodes: a ClusterPolicy and a FleetPolicy with this function come with this release. */}}
{{- define "pitcrew.discovers" -}}
{{- $fleet := .Values.fleetPolicy -}}
{{- $agent := $fleet.agent | default dict -}}
{{- if and .Values.clusterPolicy.deployCR (include "pitcrew.deploysFleetPolicy" .) $agent.enabled (has "labels" ($agent.functions | default list)) -}}
true
{{- end -}}
{{- end }}

{{/* Whether a FleetPolicy comes with this release: as an object of it, or by the hook that brings its definition. */}}
{{- define "pitcrew.deploysFleetPolicy" -}}
{{- if and .Values.fleetPolicy.deploy (or .Values.operator.upgradeCRD (include "pitcrew.hasFleetPolicy" .)) -}}
true
{{- end -}}
{{- end }}

{{/* Helm resolves all kinds of an upgrade before the hook that brings a new definition: until then the object cannot be a part of the release. */}}
{{- define "pitcrew.hasFleetPolicy" -}}
{{- if and .Values.fleetPolicy.deploy (or .Release.IsInstall (.Capabilities.APIVersions.Has "pitcrew.dev/v1alpha1/FleetPolicy")) -}}
true
{{- end -}}
{{- end }}

{{/* Only requests of the node agent are evaluated: those of other users cost nothing and cannot be refused. */}}
{{- define "pitcrew.agent.sender" -}}
matchConditions:
  - name: sent-by-the-node-agent
    expression: request.userInfo.username == 'system:serviceaccount:{{ .Release.Namespace }}:pitcrew-agent'
{{- end }}

{{/* The node in the token, and the object before and after the request, which is empty where there is none. */}}
{{- define "pitcrew.agent.facts" -}}
- name: node
  expression: request.userInfo.?extra[?'authentication.kubernetes.io/node-name'][0].orValue('')
- name: before
  expression: "oldObject == null ? dyn({}) : dyn(oldObject)"
- name: now
  expression: "object == null ? dyn({}) : dyn(object)"
{{- end }}

{{- define "pitcrew.agent.named" -}}
- expression: variables.node != ''
  message: >-
    the token of the node agent names no node, so it may write nothing: use the token that the kubelet gives to the agent's pod
    (Kubernetes 1.30 or newer)
  reason: Forbidden
{{- end }}

{{/* Argument: the kind, which has the name of the node. */}}
{{- define "pitcrew.agent.ownNode" -}}
{{ include "pitcrew.agent.named" . }}
- expression: request.?name.orValue('') == variables.node
  messageExpression: >-
    'the node agent on ' + variables.node + ' may write the {{ . }} ' + variables.node + ' only, and not ' + request.?name.orValue('')
  reason: Forbidden
{{- end }}
