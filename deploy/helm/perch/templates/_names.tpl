{{/* Names, labels and images. The argument of templates about one service is a dict of root (the chart's scope), key (in values) and name (kebab case). */}}

{{- define "perch.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "perch.fullname" -}}
{{- $name := include "perch.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Name of a service's objects. */}}
{{- define "perch.objectName" -}}
{{- printf "%s-%s" (include "perch.fullname" .root) .name -}}
{{- end -}}

{{- define "perch.serviceAccountName" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.create -}}
{{- include "perch.fullname" . -}}
{{- else -}}
default
{{- end -}}
{{- end -}}

{{/* Labels that select pods. They must never change: a Deployment's selector is immutable. */}}
{{- define "perch.releaseSelector" -}}
app.kubernetes.io/name: {{ include "perch.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "perch.selector" -}}
{{ include "perch.releaseSelector" .root }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "perch.releaseLabels" -}}
{{ include "perch.releaseSelector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: perch
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "perch.labels" -}}
{{ include "perch.releaseLabels" .root }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/* Annotations of an object: the common ones and those in `annotations`; nothing where there are none. */}}
{{- define "perch.annotations" -}}
{{- $all := merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations -}}
{{- if $all -}}
annotations:
  {{- toYaml $all | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Image of a service: by digest if there is one, else by tag. */}}
{{- define "perch.image" -}}
{{- $image := .root.Values.image -}}
{{- $name := get $image.names .key -}}
{{- $digest := get $image.digests .key -}}
{{- with $image.registry }}{{ . }}/{{ end }}{{ $name }}
{{- if $digest }}@{{ $digest }}{{ else }}:{{ default .root.Chart.AppVersion $image.tag }}{{ end -}}
{{- end -}}
