{{/* Where the operator and the hook Jobs may run. */}}
{{- define "pitcrew.pod.placement" -}}
{{- with .Values.operator.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.operator.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.operator.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.operator.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Restricted Pod Security. OpenShift assigns the user from a range of the namespace and refuses any other. */}}
{{- define "pitcrew.pod.security" -}}
securityContext:
  runAsNonRoot: true
  {{- if not (include "pitcrew.openshift" .) }}
  runAsUser: {{ .Values.pitcrew.runAsUser }}
  runAsGroup: {{ .Values.pitcrew.runAsUser }}
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "pitcrew.container.security" -}}
image: {{ include "pitcrew.image" . }}
imagePullPolicy: {{ .Values.operator.imagePullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
  readOnlyRootFilesystem: true
{{- end }}

{{/* The only place that can be written to. */}}
{{- define "pitcrew.scratch.mount" -}}
volumeMounts:
  - name: scratch
    mountPath: /tmp
{{- end }}

{{- define "pitcrew.scratch.volume" -}}
volumes:
  - name: scratch
    emptyDir:
      sizeLimit: 64Mi
{{- end }}

{{- define "pitcrew.logging.args" -}}
{{- with .Values.operator.logging -}}
{{- with .timeEncoding }}
- {{ printf "--zap-time-encoding=%v" . | quote }}
{{- end }}
{{- with .level }}
- {{ printf "--zap-log-level=%v" . | quote }}
{{- end }}
{{- if .develMode }}
- --zap-devel
{{- end }}
{{- end -}}
{{- end }}
