{{/* The operator's objects keep the names of the NVIDIA GPU Operator, so that an upgrade takes them over in place. */}}
{{- define "pitcrew.name" -}}
gpu-operator
{{- end }}

{{/* The release of the NVIDIA GPU Operator whose contract this chart matches. */}}
{{- define "pitcrew.reference.version" -}}
v26.7.0
{{- end }}

{{/*
The chart label of that release. ClusterPolicy hands it on to every operand pod: a label that moved with our own version would
restart all of them, drivers included, on the take-over and on each upgrade of this chart.
*/}}
{{- define "pitcrew.reference.chart" -}}
gpu-operator-{{ include "pitcrew.reference.version" . }}
{{- end }}

{{/* Labels of the custom resources: equal to those of NVIDIA's chart, for the same reason. */}}
{{- define "pitcrew.reference.labels" -}}
app.kubernetes.io/name: {{ include "pitcrew.name" . }}
helm.sh/chart: {{ include "pitcrew.reference.chart" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ include "pitcrew.reference.version" . | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/component: {{ include "pitcrew.name" . }}
{{- with .Values.operator.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels of everything else. */}}
{{- define "pitcrew.labels" -}}
app.kubernetes.io/name: {{ include "pitcrew.name" . }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.operator.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What the Deployment, Services and alert rules select: immutable, and equal to those of NVIDIA's chart. */}}
{{- define "pitcrew.selector" -}}
app.kubernetes.io/component: {{ include "pitcrew.name" . }}
app: {{ include "pitcrew.name" . }}
{{- end }}

{{/* Full name of an image from {repository, image, version}: a digest is joined by @, a tag by a colon. */}}
{{- define "pitcrew.imagePath" -}}
{{- $path := list .repository .image | compact | join "/" -}}
{{- $separator := ternary "@" ":" (hasPrefix "sha256:" (toString .version)) -}}
{{- printf "%s%s%v" $path $separator .version -}}
{{- end }}

{{/* An image of a path alone would be pulled from Docker Hub, where it is none of ours. */}}
{{- define "pitcrew.image" -}}
{{- if not (or .Values.pitcrew.image.repository (contains "/" (toString .Values.pitcrew.image.image))) -}}
{{- fail "pitcrew.image.repository is empty, so the image of the operator has no registry: install the chart that `make push REGISTRY=...` pushed, which names it, or add --set pitcrew.image.repository=REGISTRY/PATH (localhost for an image of `make image` that is loaded on the nodes). operator.repository names NVIDIA's operator and does not count." -}}
{{- end -}}
{{- $version := .Values.pitcrew.image.version | default .Chart.AppVersion -}}
{{- include "pitcrew.imagePath" (merge (dict "version" $version) .Values.pitcrew.image) -}}
{{- end }}

{{- define "pitcrew.validator.image" -}}
{{- $version := .Values.validator.version | default (include "pitcrew.reference.version" .) -}}
{{- include "pitcrew.imagePath" (merge (dict "version" $version) .Values.validator) -}}
{{- end }}

{{/* OpenShift by the user's word, or because the cluster serves its security API. */}}
{{- define "pitcrew.openshift" -}}
{{- if or .Values.platform.openshift (.Capabilities.APIVersions.Has "security.openshift.io/v1") -}}
true
{{- end -}}
{{- end }}

{{/*
Helm drops an object with this annotation from an uninstall. Needed where the clean-up Job has removed the definition of the object's
kind already: Helm cannot delete what has no kind, and would fail.
*/}}
{{- define "pitcrew.keep" -}}
annotations:
  helm.sh/resource-policy: keep
{{- end }}
