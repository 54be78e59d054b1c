{{/* Where pods may connect to, as rules and peers of NetworkPolicies. */}}

{{/* Ports of a URL's hosts, separated by spaces: those that it names, else that of its scheme. The hosts are separated by commas. */}}
{{- define "perch.urlPorts" -}}
{{- $url := lower . -}}
{{- $schemes := dict "http" "80" "https" "443" "ws" "80" "wss" "443" "mqtt" "1883" "mqtts" "8883" -}}
{{- $schemes = merge $schemes (dict "redis-sentinel" "26379" "rediss-sentinel" "26379") -}}
{{- $default := default "6379" (get $schemes (regexReplaceAll ":.*$" $url "")) -}}
{{- $ports := list -}}
{{- range $host := regexReplaceAll "^[a-z-]+://([^/?#]*@)?([^/?#]*).*$" $url "${2}" | splitList "," -}}
{{- $ports = append $ports (default $default (regexFind ":[0-9]+$" $host | trimPrefix ":")) -}}
{{- end -}}
{{- $ports | uniq | join " " -}}
{{- end -}}

{{/* A rule to the peers in `to` (YAML) on the ports in `ports` (numbers, and ranges such as 8500-8599) and those of `url`, if there is one. */}}
{{- define "perch.egressRule" -}}
- to:
    {{- .to | nindent 4 }}
  ports:
    {{- $ports := list -}}
    {{- with .url }}{{ $ports = splitList " " (include "perch.urlPorts" .) }}{{ end -}}
    {{- range .ports }}{{ $ports = append $ports (kindIs "string" . | ternary . (int . | toString)) }}{{ end -}}
    {{- range uniq $ports }}
    {{- $range := splitList "-" . }}
    {{- if gt (first $range | int) (last $range | int) }}{{ fail (printf "networkPolicy: %s is no range of ports: it ends before it begins" .) }}{{ end }}
    - {port: {{ first $range }}, {{ if gt (len $range) 1 }}endPort: {{ last $range }}, {{ end }}protocol: TCP}
    {{- end }}
{{- end -}}

{{/* DNS, which all pods need. */}}
{{- define "perch.dnsEgress" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns.to | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - {port: {{ int . }}, protocol: UDP}
    - {port: {{ int . }}, protocol: TCP}
    {{- end }}
{{- end -}}

{{/* The gateway's pods, for the pods of the chart that call its Service. */}}
{{- define "perch.gatewayEgress" -}}
- to:
    - podSelector:
        matchLabels:
          {{- include "perch.selector" (dict "root" . "name" "gateway") | nindent 10 }}
  ports: [{port: 8080, protocol: TCP}]
{{- end -}}

{{/* DNS and Redis, which the pods of the four services and of the command-line tool need. */}}
{{- define "perch.internalEgress" -}}
{{ include "perch.dnsEgress" . }}
{{- $redis := .Values.networkPolicy.redis }}
{{ include "perch.egressRule" (dict "to" (toYaml $redis.to) "url" .Values.redis.url "ports" $redis.ports) }}
{{- end -}}

{{/*
The addresses of the internet, as packages/schema/src/api/outside-url.ts has them: without private, shared, loopback, link-local, multicast and reserved ones.
Of IPv6 only 2000::/3 is given out: fc00::/7, fe80::/10, ::1 and the mapped IPv4 addresses are outside of it.
*/}}
{{- define "perch.publicAddresses" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      - 0.0.0.0/8
      - 10.0.0.0/8
      - 100.64.0.0/10
      - 127.0.0.0/8
      - 169.254.0.0/16
      - 172.16.0.0/12
      - 192.0.0.0/24
      - 192.0.2.0/24
      - 192.31.196.0/24
      - 192.52.193.0/24
      - 192.88.99.0/24
      - 192.168.0.0/16
      - 192.175.48.0/24
      - 198.18.0.0/15
      - 198.51.100.0/24
      - 203.0.113.0/24
      - 224.0.0.0/3
- ipBlock:
    cidr: 2000::/3
    except:
      - 2001::/23
      - 2001:db8::/32
      - 2002::/16
      - 2620:4f:8000::/48
      - 3fff::/20
{{- end -}}
