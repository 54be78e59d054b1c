import type { Values } from '../src/chart-values.ts';

/** Only Redis is required. */
export const defaults: Values = { redis: { url: 'redis://redis.data.svc:6379' } };

export const minimal: Values = {
  ...defaults,
  gateway: { replicas: 1, podDisruptionBudget: { enabled: false }, topologySpread: { zones: '', hosts: '' } },
  webhooks: { enabled: false },
  serviceAccount: { create: false },
  networkPolicy: { enabled: false },
};

/** Values that all pods have. */
const placement: Values = {
  nodeSelector: { pool: 'perch' },
  tolerations: [{ key: 'perch', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] }] },
    },
  },
  priorityClassName: 'important',
  podLabels: { team: 'robots' },
  podAnnotations: { 'example.com/note': 'x' },
};

const ofService: Values = {
  ...placement,
  extraEnv: [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=700' }],
  topologySpread: { zones: 'DoNotSchedule', hosts: 'ScheduleAnyway' },
};

/** All that can be switched on at the same time. */
export const everything: Values = {
  commonLabels: { 'example.com/cost': 'robots' },
  commonAnnotations: { 'example.com/owner': 'team' },
  image: { registry: 'registry.example.com/team', digests: { gateway: `sha256:${'a'.repeat(64)}` } },
  imagePullSecrets: [{ name: 'registry' }],
  redis: {
    existingSecret: { name: 'perch-redis' },
    ca: { secretName: 'redis-ca' },
    clientCertificate: { secretName: 'redis-client' },
    sentinelPassword: { secretName: 'sentinel' },
  },
  drain: { delayMs: 10_500, ms: 3_600_000, marginSeconds: 20 },
  publicUrl: 'https://perch.example.com',
  linkPublicUrl: 'wss://robots.example.com',
  settings: {
    PERCH_SIGN_UP: 'invitation',
    PERCH_ACCOUNT_STORAGE_MB: 60,
    PERCH_GATEWAY_BODY_BYTES: 268_435_456,
    PERCH_LOG_LEVEL: 'warn',
    PERCH_MQTT_TOPIC: 'robots',
  },
  oidc: { issuer: 'https://id.example.com', clientId: 'perch', name: 'Example', existingSecret: { name: 'perch-oidc' } },
  mail: { from: 'Perch <perch@example.com>', existingSecret: { name: 'perch-mail' } },
  traces: { endpoint: 'http://otel-collector.monitoring:4318', sample: 0.05, existingSecret: { name: 'perch-traces' } },
  robotProgram: { configMapName: 'robot-program-0-4', key: 'signed.json' },
  gateway: { ...ofService, autoscaling: { enabled: true }, service: { type: 'LoadBalancer', annotations: { 'example.com/internal': 'true' } } },
  robotLink: { ...ofService, autoscaling: { enabled: true, targetSessions: 10_000 } },
  renderer: { ...ofService, autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } } },
  webhooks: { ...ofService, podDisruptionBudget: { maxUnavailable: '50%' } },
  mqttBridge: {
    enabled: true,
    mqttUrl: 'mqtts://mosquitto.home.svc:8883',
    mqttUsername: 'bridge',
    existingSecret: { name: 'perch-mqtt', mqttPasswordKey: 'password' },
    ca: { secretName: 'mqtt-ca' },
  },
  secretSettings: { PERCH_SPEECH_KEY: { name: 'perch-speech', key: 'api-key' } },
  probe: { enabled: true, existingSecret: { name: 'perch-probe' } },
  serviceAccount: { name: 'perch-runs-as' },
  ingress: {
    enabled: true,
    className: 'nginx',
    gateway: { host: 'perch.example.com' },
    robotLink: { host: 'robots.example.com' },
    tls: [{ secretName: 'perch-tls', hosts: ['perch.example.com', 'robots.example.com'] }],
  },
  networkPolicy: { clients: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }] },
  monitoring: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    robots: { enabled: true },
    prometheusRule: { enabled: true, runbookUrl: 'https://wiki.example.com/perch/docs/runbooks/' },
    dashboards: { enabled: true },
  },
  cli: { enabled: true, ...placement },
  test: placement,
};

export const routes: Values = {
  ...defaults,
  httpRoute: {
    enabled: true,
    parentRefs: [{ name: 'public', namespace: 'ingress' }],
    gatewayHostnames: ['perch.example.com'],
    robotLinkHostnames: ['robots.example.com'],
  },
};
