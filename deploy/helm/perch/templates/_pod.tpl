{{/* What the pods of all services have in common: environment, probes, security. */}}

{{/* Seconds until Kubernetes kills a pod that is asked to stop: always more than the services take. */}}
{{- define "perch.graceSeconds" -}}
{{- add (divf (addf .Values.drain.delayMs .Values.drain.ms) 1000 | ceil | int) (int .Values.drain.marginSeconds) -}}
{{- end -}}

{{/* Public URL of the gateway, or nothing. */}}
{{- define "perch.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{- .Values.publicUrl -}}
{{- else if and .Values.ingress.enabled .Values.ingress.tls -}}
https://{{ .Values.ingress.gateway.host }}
{{- end -}}
{{- end -}}

{{/* URL that robots dial, or nothing. */}}
{{- define "perch.linkPublicUrl" -}}
{{- if .Values.linkPublicUrl -}}
{{- .Values.linkPublicUrl -}}
{{- else if and .Values.ingress.enabled .Values.ingress.tls -}}
wss://{{ .Values.ingress.robotLink.host }}
{{- end -}}
{{- end -}}

{{- define "perch.trustProxy" -}}
{{- if kindIs "invalid" .Values.trustProxy -}}
{{- ternary 1 0 (or .Values.ingress.enabled .Values.httpRoute.enabled) -}}
{{- else -}}
{{- int .Values.trustProxy -}}
{{- end -}}
{{- end -}}

{{/* The variables that lead to Redis. Secrets are mounted as files: unlike variables they are not shown with a pod, nor inherited by child processes. */}}
{{- define "perch.redisEnv" -}}
{{- with .Values.redis -}}
{{- if .existingSecret.name -}}
- name: PERCH_REDIS_URL_FILE
  value: /etc/perch/redis/url
{{- else -}}
- name: PERCH_REDIS_URL
  value: {{ .url | quote }}
{{- end }}
{{- if or .ca.secretName .ca.configMapName }}
- name: PERCH_REDIS_CA_FILE
  value: /etc/perch/redis-ca/ca.crt
{{- end }}
{{- if .clientCertificate.secretName }}
- name: PERCH_REDIS_CERT_FILE
  value: /etc/perch/redis-client/tls.crt
- name: PERCH_REDIS_KEY_FILE
  value: /etc/perch/redis-client/tls.key
{{- end }}
{{- if .sentinelPassword.secretName }}
- name: PERCH_REDIS_SENTINEL_PASSWORD_FILE
  value: /etc/perch/redis-sentinel/password
{{- end }}
{{- end }}
{{- end -}}

{{- define "perch.env" -}}
{{- $values := .root.Values -}}
{{ include "perch.redisEnv" .root }}
- name: PERCH_DRAIN_DELAY_MS
  value: {{ $values.drain.delayMs | int | quote }}
- name: PERCH_DRAIN_MS
  value: {{ $values.drain.ms | int | quote }}
- name: PERCH_ADMIN_HOST
  value: {{ $values.listenHost | quote }}
- name: PERCH_ADMIN_PORT
  value: '9464'
{{- if eq .name "gateway" }}
- name: PERCH_GATEWAY_HOST
  value: {{ $values.listenHost | quote }}
- name: PERCH_GATEWAY_PORT
  value: '8080'
{{- with include "perch.publicUrl" .root }}
- name: PERCH_PUBLIC_URL
  value: {{ . | quote }}
{{- end }}
{{- with $values.oidc }}
{{- if .issuer }}
- name: PERCH_OIDC_ISSUER
  value: {{ .issuer | quote }}
- name: PERCH_OIDC_CLIENT_ID
  value: {{ .clientId | quote }}
{{- with .name }}
- name: PERCH_OIDC_NAME
  value: {{ . | quote }}
{{- end }}
{{- if .existingSecret.name }}
- name: PERCH_OIDC_CLIENT_SECRET_FILE
  value: /etc/perch/oidc/client-secret
{{- end }}
{{- end }}
{{- end }}
{{- with $values.mail }}
{{- if .from }}
- name: PERCH_MAIL_FROM
  value: {{ .from | quote }}
- name: PERCH_SMTP_URL_FILE
  value: /etc/perch/mail/smtp-url
{{- end }}
{{- end }}
{{- end }}
{{- with $values.traces }}
{{- if .endpoint }}
- name: PERCH_TRACES_ENDPOINT
  value: {{ .endpoint | quote }}
- name: PERCH_TRACES_SAMPLE
  value: {{ .sample | quote }}
{{- if .existingSecret.name }}
- name: PERCH_TRACES_HEADERS_FILE
  value: /etc/perch/traces/headers
{{- end }}
{{- end }}
{{- end }}
{{- if eq .name "robot-link" }}
- name: PERCH_LINK_HOST
  value: {{ $values.listenHost | quote }}
- name: PERCH_LINK_PORT
  value: '8081'
- name: PERCH_METRICS_ROBOTS
  value: {{ $values.monitoring.robots.enabled | quote }}
{{- end }}
{{- if has .name (list "gateway" "robot-link") }}
- name: PERCH_TRUST_PROXY
  value: {{ include "perch.trustProxy" .root | quote }}
{{- with include "perch.linkPublicUrl" .root }}
- name: PERCH_LINK_PUBLIC_URL
  value: {{ . | quote }}
{{- end }}
{{- if $values.robotProgram.configMapName }}
- name: PERCH_ROBOT_PROGRAM
  value: /etc/perch/robot-program/robot-program.json
{{- end }}
{{- end }}
{{- include "perch.settingsEnv" . }}
{{- end -}}

{{/* The settings of the values `settings` and `secretSettings` that a service has, and its further variables. */}}
{{- define "perch.settingsEnv" -}}
{{- $values := .root.Values -}}
{{- $services := .root.Files.Get "files/settings.yaml" | fromYaml }}
{{- range $name, $value := $values.settings }}
{{- if has $.name (get $services $name | default list) }}
- name: {{ $name }}
  {{- /* Numbers of values are floating-point: without the conversion 1000000 would become 1e+06. */}}
  value: {{ kindIs "float64" $value | ternary ($value | int64) $value | toString | quote }}
{{- end }}
{{- end }}
{{- range $name, $_ := $values.secretSettings }}
{{- if has $.name (get $services $name | default list) }}
- name: {{ $name }}_FILE
  value: /etc/perch/{{ include "perch.settingVolume" $name }}/value
{{- end }}
{{- end }}
{{- with (get $values .key).extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Name of the volume with the value of a setting: speech-key of PERCH_SPEECH_KEY. */}}
{{- define "perch.settingVolume" -}}
{{- trimPrefix "PERCH_" . | lower | replace "_" "-" -}}
{{- end -}}

{{/* The files that a service reads, as a YAML map: name of the volume (and of its folder below /etc/perch) to its Secret or ConfigMap, and the keys. */}}
{{- define "perch.files" -}}
{{- if eq .name "mqtt-bridge" -}}
{{- include "perch.mqttBridgeFiles" .root }}
{{- else if eq .name "probe" -}}
{{- with .root.Values.probe.existingSecret }}
probe: {secret: {{ .name }}, items: [{key: {{ .apiKeyKey | quote }}, path: api-key}, {key: {{ .robotTokenKey | quote }}, path: robot-token}]}
{{- end }}
{{- else -}}
{{- include "perch.serviceFiles" . }}
{{- end -}}
{{- $services := .root.Files.Get "files/settings.yaml" | fromYaml }}
{{- range $name, $secret := .root.Values.secretSettings }}
{{- if has $.name (get $services $name | default list) }}
{{ include "perch.settingVolume" $name }}: {secret: {{ $secret.name }}, items: [{key: {{ $secret.key | quote }}, path: value}]}
{{- end }}
{{- end }}
{{- end -}}

{{- define "perch.mqttBridgeFiles" -}}
{{- with .Values.mqttBridge -}}
{{- $secret := .existingSecret }}
api-key: {secret: {{ $secret.name }}, items: [{key: {{ $secret.apiKeyKey | quote }}, path: api-key}]}
{{- with $secret.mqttPasswordKey }}
mqtt: {secret: {{ $secret.name }}, items: [{key: {{ . | quote }}, path: password}]}
{{- end }}
{{- if .ca.secretName }}
mqtt-ca: {secret: {{ .ca.secretName }}, items: [{key: {{ .ca.key | quote }}, path: ca.crt}]}
{{- end }}
{{- if .ca.configMapName }}
mqtt-ca: {configMap: {{ .ca.configMapName }}, items: [{key: {{ .ca.key | quote }}, path: ca.crt}]}
{{- end }}
{{- end }}
{{- end -}}

{{- define "perch.serviceFiles" -}}
{{- with .root.Values.redis -}}
{{- if .existingSecret.name }}
redis: {secret: {{ .existingSecret.name }}, items: [{key: {{ .existingSecret.key | quote }}, path: url}]}
{{- end }}
{{- if .ca.secretName }}
redis-ca: {secret: {{ .ca.secretName }}, items: [{key: {{ .ca.key | quote }}, path: ca.crt}]}
{{- end }}
{{- if .ca.configMapName }}
redis-ca: {configMap: {{ .ca.configMapName }}, items: [{key: {{ .ca.key | quote }}, path: ca.crt}]}
{{- end }}
{{- if .clientCertificate.secretName }}
redis-client: {secret: {{ .clientCertificate.secretName }}, items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}]}
{{- end }}
{{- if .sentinelPassword.secretName }}
redis-sentinel: {secret: {{ .sentinelPassword.secretName }}, items: [{key: {{ .sentinelPassword.key | quote }}, path: password}]}
{{- end }}
{{- end }}
{{- $traces := .root.Values.traces }}
{{- if and (ne .name "cli") $traces.endpoint $traces.existingSecret.name }}
traces: {secret: {{ $traces.existingSecret.name }}, items: [{key: {{ $traces.existingSecret.key | quote }}, path: headers}]}
{{- end }}
{{- $program := .root.Values.robotProgram }}
{{- if and (has .name (list "gateway" "robot-link")) $program.configMapName }}
robot-program: {configMap: {{ $program.configMapName }}, items: [{key: {{ $program.key | quote }}, path: robot-program.json}]}
{{- end }}
{{- $oidc := .root.Values.oidc.existingSecret }}
{{- if and (eq .name "gateway") $oidc.name }}
oidc: {secret: {{ $oidc.name }}, items: [{key: {{ $oidc.key | quote }}, path: client-secret}]}
{{- end }}
{{- $mail := .root.Values.mail.existingSecret }}
{{- if and (eq .name "gateway") $mail.name }}
mail: {secret: {{ $mail.name }}, items: [{key: {{ $mail.key | quote }}, path: smtp-url}]}
{{- end }}
{{- end -}}

{{- define "perch.volumeMounts" -}}
{{- $values := get .root.Values .key -}}
{{- $files := include "perch.files" . | fromYaml -}}
{{- range $name, $_ := $files }}
- name: {{ $name }}
  mountPath: /etc/perch/{{ $name }}
  readOnly: true
{{- end }}
{{- $volumes := keys $files }}
{{- range $values.extraVolumes }}{{ $volumes = append $volumes .name }}{{ end }}
{{- range $values.extraVolumeMounts }}
{{- if not (has .name $volumes) }}{{ fail (printf "%s.extraVolumeMounts: %s.extraVolumes has no volume %s" $.key $.key .name) }}{{ end }}
{{- end }}
{{- with $values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "perch.volumes" -}}
{{- $values := get .root.Values .key -}}
{{- $files := include "perch.files" . | fromYaml -}}
{{- range $name, $file := $files }}
- name: {{ $name }}
  {{- if $file.secret }}
  secret:
    secretName: {{ $file.secret }}
    # Readable by the group of the pods (fsGroup) and no one else; by all users of the container if the pods have no such group.
    defaultMode: {{ dig "fsGroup" "" (default (dict) $.root.Values.podSecurityContext) | empty | ternary 292 288 }}
    items: {{ toJson $file.items }}
  {{- else }}
  configMap:
    name: {{ $file.configMap }}
    items: {{ toJson $file.items }}
  {{- end }}
{{- end }}
{{- range $values.extraVolumes }}
{{- if hasKey $files .name }}{{ fail (printf "%s.extraVolumes: the chart itself has a volume %s; choose another name" $.key .name) }}{{ end }}
{{- end }}
{{- with $values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Where the pods of a service run, their priority, and further fields. */}}
{{- define "perch.placement" -}}
{{- $values := get .root.Values .key -}}
{{- range $field := list "priorityClassName" "nodeSelector" "tolerations" "affinity" }}
{{- with get $values $field }}
{{ dict $field . | toYaml }}
{{- end }}
{{- end }}
{{- with $values.extraPodSpec }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* An instance whose Redis is away is alive, but not ready: restarting it would not help. */}}
{{- define "perch.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: admin}
  periodSeconds: 1
  timeoutSeconds: 3
  failureThreshold: 60
readinessProbe:
  httpGet: {path: /readyz, port: admin}
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
livenessProbe:
  httpGet: {path: /healthz, port: admin}
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 3
{{- end -}}

{{- define "perch.podSecurity" -}}
automountServiceAccountToken: false
# The variables of service links (PERCH_GATEWAY_PORT and others) would be taken for settings, and refused.
enableServiceLinks: false
{{- with include "perch.setFields" .Values.podSecurityContext }}
securityContext:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "perch.containerSecurity" -}}
{{- with include "perch.setFields" .Values.containerSecurityContext -}}
securityContext:
  {{- . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* The fields of a map that are set, as YAML: '' leaves one out as null does, which Helm ignores in charts that include this one (helm/helm#12488). */}}
{{- define "perch.setFields" -}}
{{- $set := dict -}}
{{- range $name, $value := . }}{{ if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}{{ $_ := set $set $name $value }}{{ end }}{{ end -}}
{{- if $set }}{{ toYaml $set }}{{ end -}}
{{- end -}}

{{- define "perch.topologySpread" -}}
{{- $spread := (get .root.Values .key).topologySpread -}}
{{- if or $spread.zones $spread.hosts -}}
topologySpreadConstraints:
{{- range $part := list (dict "key" "topology.kubernetes.io/zone" "when" $spread.zones) (dict "key" "kubernetes.io/hostname" "when" $spread.hosts) }}
{{- if $part.when }}
  - topologyKey: {{ $part.key }}
    whenUnsatisfiable: {{ $part.when }}
    maxSkew: 1
    # Pods of one revision are counted, so that a rolling update ends spread as well.
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- include "perch.selector" $ | nindent 8 }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}
