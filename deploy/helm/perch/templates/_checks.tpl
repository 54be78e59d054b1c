{{/* Refuses values that JSON Schema cannot judge because two of them are compared. deployments.yaml, which every release renders, includes this. */}}
{{- define "perch.check" -}}
{{- if regexMatch "^[a-z-]+://[^/?#]*@" .Values.redis.url -}}
{{- fail "redis.url: contains a password or user; put the whole URL into a Secret and name it in redis.existingSecret.name" -}}
{{- end -}}
{{- if and .Values.redis.ca.secretName .Values.redis.ca.configMapName -}}
{{- fail "redis.ca: name a Secret or a ConfigMap, not both" -}}
{{- end -}}
{{- range $key := list "gateway" "robotLink" "renderer" -}}
{{- $scaling := (get $.Values $key).autoscaling -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "%s.autoscaling: minReplicas is %d, more than maxReplicas, %d" $key (int $scaling.minReplicas) (int $scaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := .Values.settings -}}
{{- $managed := get ($.Files.Get "files/managed-settings.yaml" | fromYaml) $name -}}
{{- if $managed -}}
{{- fail (printf "settings.%s: determined by the value %s; set that instead" $name $managed) -}}
{{- end -}}
{{- if not (hasKey ($.Files.Get "files/settings.yaml" | fromYaml) $name) -}}
{{- fail (printf "settings.%s: no service has this setting (docs/operate.md, Settings)" $name) -}}
{{- end -}}
{{- end -}}
{{- with .Values.oidc -}}
{{- if and .issuer (not .clientId) }}{{ fail "oidc.clientId: required, because oidc.issuer is set" }}{{ end -}}
{{- if and (not .issuer) (or .clientId .name .existingSecret.name) }}{{ fail "oidc.issuer: required, because another value of oidc is set" }}{{ end -}}
{{- end -}}
{{- if and .Values.mail.from (not .Values.mail.existingSecret.name) }}{{ fail "mail.existingSecret.name: required, because mail.from is set" }}{{ end -}}
{{- if and .Values.mail.existingSecret.name (not .Values.mail.from) }}{{ fail "mail.from: required, because mail.existingSecret.name is set" }}{{ end -}}
{{- if and .Values.mail.from (not (include "perch.publicUrl" .)) }}{{ fail "publicUrl: required, because mail.from is set: links in e-mails lead there" }}{{ end -}}
{{- if and .Values.traces.existingSecret.name (not .Values.traces.endpoint) -}}
{{- fail "traces.endpoint: required, because traces.existingSecret.name is set" -}}
{{- end -}}
{{- with .Values.mqttBridge -}}
{{- if and .enabled (not .mqttUrl) }}{{ fail "mqttBridge.mqttUrl: required, because mqttBridge.enabled is true" }}{{ end -}}
{{- if and .enabled (not .existingSecret.name) }}{{ fail "mqttBridge.existingSecret.name: required, because mqttBridge.enabled is true" }}{{ end -}}
{{- if and .ca.secretName .ca.configMapName }}{{ fail "mqttBridge.ca: name a Secret or a ConfigMap, not both" }}{{ end -}}
{{- if and (or .ca.secretName .ca.configMapName) (not (regexMatch "^(mqtts|wss):" .mqttUrl)) -}}
{{- fail "mqttBridge.ca: set, though mqttBridge.mqttUrl uses no TLS" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled .Values.httpRoute.enabled -}}
{{- fail "ingress.enabled and httpRoute.enabled: enable one of them; trustProxy would count wrongly for one of both" -}}
{{- end -}}
{{- if .Values.ingress.enabled -}}
{{- if not .Values.ingress.gateway.host }}{{ fail "ingress.gateway.host: required, because ingress.enabled is true" }}{{ end -}}
{{- if not .Values.ingress.robotLink.host }}{{ fail "ingress.robotLink.host: required, because ingress.enabled is true" }}{{ end -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs: required, because httpRoute.enabled is true" -}}
{{- end -}}
{{- end -}}
