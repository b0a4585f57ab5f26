{{/* The fields that all operands of a custom resource share, from the operand's values. What is empty is left out. */}}
{{- define "pitcrew.operand" -}}
{{- range $key := list "repository" "image" "version" "imagePullPolicy" }}
{{- with get $ $key }}
{{ $key }}: {{ . | toString | quote }}
{{- end }}
{{- end }}
{{- range $key := list "imagePullSecrets" "resources" "env" "args" }}
{{- with get $ $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- if .hostNetwork }}
hostNetwork: true
{{- end }}
{{- end }}

{{/* Given keys of a map verbatim, each left out while it is empty: (list map key...). */}}
{{- define "pitcrew.passed" -}}
{{- $values := first . }}
{{- range $key := rest . }}
{{- with get $values $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* An operand whose version defaults to the release of the NVIDIA GPU Operator: the two that run its own image. */}}
{{- define "pitcrew.operand.released" -}}
{{- $version := .operand.version | default (include "pitcrew.reference.version" .root) -}}
{{- include "pitcrew.operand" (merge (dict "version" $version) .operand) -}}
{{- end }}

{{/* Upgrade policy of ClusterPolicy and NVIDIADriver. The values call pod deletion gpuPodDeletion. */}}
{{- define "pitcrew.driver.upgradePolicy" -}}
{{- $policy := deepCopy . -}}
{{- with get $policy "gpuPodDeletion" -}}
{{- $_ := set $policy "podDeletion" . -}}
{{- end -}}
{{- $_ := unset $policy "gpuPodDeletion" -}}
{{- range $section := list "waitForCompletion" "drain" -}}
{{- with get $policy $section -}}
{{- if not .podSelector -}}
{{- $_ := unset . "podSelector" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $policy -}}
{{- end }}

{{/* The exporter in ClusterPolicy and GPUCluster. */}}
{{- define "pitcrew.dcgmExporter" -}}
enabled: {{ .enabled }}
{{- include "pitcrew.operand" . }}
{{- with (.config | default dict).name }}
config:
  name: {{ . }}
{{- end }}
{{- range $key := list "hostPID" "enablePodLabels" "enablePodUID" }}
{{- if get $ $key }}
{{ $key }}: true
{{- end }}
{{- end }}
{{- include "pitcrew.passed" (list . "annotations" "podLabelAllowlistRegex" "hpcJobMapping" "serviceMonitor" "service") }}
{{- end }}
