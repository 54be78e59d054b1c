import assert from 'node:assert/strict';
import { ChartError, checkedValues, type Values } from '../src/chart-values.ts';
import { chartFolder, renderChart } from '../src/render-chart.ts';
import type { TemplateEngine } from '../src/template-engine.ts';
import { requireEngine } from './engine.ts';
import { defaults } from './values.ts';

const ingress = { enabled: true, gateway: { host: 'a.example' }, robotLink: { host: 'b.example' } };

/** Description -> the values, and what the message names. */
type BadValues = Record<string, { values: Values; names: RegExp }>;

const refusedBySchema: BadValues = {
  'a URL of Redis with a space': { values: { redis: { url: 'redis://r:6379 ' } }, names: /redis\.url/ },
  'a URL of Redis with another scheme': { values: { redis: { url: 'http://r:6379' } }, names: /redis\.url/ },
  'an unknown value': { values: { replicas: 3 }, names: /replicas/ },
  'an unknown value below another': { values: { gateway: { replica: 3 } }, names: /gateway\.replica\b/ },
  'a grace period of its own, which could be shorter than the drain': {
    values: { terminationGracePeriodSeconds: 30 },
    names: /terminationGracePeriodSeconds/,
  },
  'a grace period of its own for one service': {
    values: { gateway: { terminationGracePeriodSeconds: 30 } },
    names: /gateway\.terminationGracePeriodSeconds/,
  },
  'a margin shorter than the services need': { values: { drain: { marginSeconds: 9 } }, names: /drain\.marginSeconds/ },
  'a drain longer than the setting allows': { values: { drain: { ms: 3_600_001 } }, names: /drain\.ms/ },
  'a negative drain delay': { values: { drain: { delayMs: -1 } }, names: /drain\.delayMs/ },
  'a drain that is removed': { values: { drain: { ms: null } }, names: /drain/ },
  'no pods': { values: { robotLink: { replicas: 0 } }, names: /robotLink\.replicas/ },
  'a fraction of a pod': { values: { renderer: { replicas: 1.5 } }, names: /renderer\.replicas/ },
  'a number as text': { values: { gateway: { replicas: '2' } }, names: /gateway\.replicas/ },
  'a disruption budget that blocks the drain of every node': {
    values: { gateway: { podDisruptionBudget: { maxUnavailable: 0 } } },
    names: /maxUnavailable/,
  },
  'a way to spread that Kubernetes does not know': { values: { gateway: { topologySpread: { zones: 'Always' } } }, names: /topologySpread\.zones/ },
  'a digest that is none': { values: { image: { digests: { gateway: 'latest' } } }, names: /image\.digests\.gateway/ },
  'a provider of sign-in over http': { values: { oidc: { issuer: 'http://id.example', clientId: 'x' } }, names: /oidc\.issuer/ },
  'a host with a scheme': { values: { ingress: { gateway: { host: 'https://a.example' } } }, names: /ingress\.gateway\.host/ },
  'admin ports open to everyone': { values: { networkPolicy: { prometheus: [] } }, names: /networkPolicy\.prometheus/ },
  'credentials in the URL of the MQTT broker': { values: { mqttBridge: { mqttUrl: 'mqtt://me:hunter2@broker' } }, names: /mqttBridge\.mqttUrl/ },
  'a prefix of names that no Service can have': { values: { fullnameOverride: 'perch.prod' }, names: /fullnameOverride/ },
  'a prefix of names that begins with a digit': { values: { fullnameOverride: '1perch' }, names: /fullnameOverride/ },
  'a label that the chart sets': { values: { commonLabels: { 'app.kubernetes.io/name': 'x' } }, names: /commonLabels\.app\.kubernetes\.io\/name/ },
  'a label of pods that selectors use': {
    values: { gateway: { podLabels: { 'app.kubernetes.io/component': 'x' } } },
    names: /gateway\.podLabels\.app\.kubernetes\.io\/component/,
  },
  'a name that no label can have': { values: { gateway: { podLabels: { 'a b': 'x' } } }, names: /gateway\.podLabels\.a b/ },
  'a value that no label can have': { values: { commonLabels: { owner: 'team a' } }, names: /commonLabels\.owner/ },
  'a secret setting in plain text': { values: { secretSettings: { PERCH_SPEECH_KEY: 'hunter2' } }, names: /secretSettings\.PERCH_SPEECH_KEY/ },
  'an address where a range is needed': {
    values: { networkPolicy: { redis: { to: [{ ipBlock: { cidr: '203.0.113.7' } }] } } },
    names: /networkPolicy\.redis\.to\.0\.ipBlock\.cidr/,
  },
  'a time limit of a route that Gateways do not read': {
    values: { httpRoute: { timeouts: { request: '2.5m' } } },
    names: /httpRoute\.timeouts\.request/,
  },
  'a tag with a digest in it': { values: { image: { tag: `0.11.0@sha256:${'a'.repeat(64)}` } }, names: /image\.tag/ },
  'a field of pods that the chart sets': { values: { gateway: { extraPodSpec: { volumes: [] } } }, names: /gateway\.extraPodSpec\.volumes/ },
  'a user of pods that is root': { values: { podSecurityContext: { runAsUser: 0 } }, names: /podSecurityContext\.runAsUser/ },
  'a Redis port that is none': { values: { networkPolicy: { redis: { ports: [0] } } }, names: /networkPolicy\.redis\.ports/ },
};

const refusedByTemplates: BadValues = {
  'a minimum of pods above the maximum': {
    values: { gateway: { autoscaling: { minReplicas: 5, maxReplicas: 4 } } },
    names: /gateway\.autoscaling: minReplicas is 5, more than maxReplicas, 4/,
  },
  'no Redis': { values: { redis: { url: '' } }, names: /redis\.url: required; the chart installs no Redis/ },
  'a Redis in both places': { values: { redis: { url: 'redis://r:6379', existingSecret: { name: 's' } } }, names: /redis\.url: .*set one of them/ },
  'a setting of Perch among the variables of a service': {
    values: { gateway: { extraEnv: [{ name: 'PERCH_SIGN_UP', value: 'open' }] } },
    names: /gateway\.extraEnv: PERCH_SIGN_UP is a setting of Perch; set it in settings/,
  },
  'another variable among the settings': {
    values: { settings: { NODE_EXTRA_CA_CERTS: '/ca.crt' } },
    names: /settings\.NODE_EXTRA_CA_CERTS: no setting of Perch; set other environment variables in gateway\.extraEnv/,
  },
  'a password in redis.url': { values: { redis: { url: 'redis://:hunter2@r:6379' } }, names: /redis\.url: contains a password/ },
  'a password in the query of redis.url': { values: { redis: { url: 'redis://r:6379?password=hunter2' } }, names: /redis\.url: contains a password/ },
  'two sources of certificates': { values: { redis: { ca: { secretName: 'a', configMapName: 'b' } } }, names: /redis\.ca/ },
  'a setting that no service has': { values: { settings: { PERCH_SIGNUP: 'open' } }, names: /settings\.PERCH_SIGNUP: no service has this setting/ },
  'a secret setting that no service has, with a pod of the command line': {
    values: { secretSettings: { PERCH_SPEECHKEY: { name: 's', key: 'k' } }, cli: { enabled: true } },
    names: /^secretSettings\.PERCH_SPEECHKEY: no service has this setting/,
  },
  'a setting that no service has, with a pod of the command line': {
    values: { settings: { PERCH_SIGNUP: 'open' }, cli: { enabled: true } },
    names: /^settings\.PERCH_SIGNUP: no service has this setting/,
  },
  'a setting that another value determines': {
    values: { settings: { PERCH_DRAIN_MS: 1000 } },
    names: /settings\.PERCH_DRAIN_MS: determined by the value drain\.ms/,
  },
  'a signed robot program without its mount': {
    values: { settings: { PERCH_ROBOT_PROGRAM: '/program.json' } },
    names: /settings\.PERCH_ROBOT_PROGRAM: determined by the value robotProgram\.configMapName/,
  },
  'a secret setting that another value determines': {
    values: { secretSettings: { PERCH_SMTP_URL: { name: 's', key: 'k' } } },
    names: /secretSettings\.PERCH_SMTP_URL: determined by the value mail\.existingSecret/,
  },
  'a secret setting that is no secret': {
    values: { secretSettings: { PERCH_SIGN_UP: { name: 's', key: 'k' } } },
    names: /secretSettings\.PERCH_SIGN_UP: no secret; set it in settings/,
  },
  'a secret setting in both places': {
    values: { settings: { PERCH_SPEECH_KEY: 'x' }, secretSettings: { PERCH_SPEECH_KEY: { name: 's', key: 'k' } } },
    names: /settings\.PERCH_SPEECH_KEY: set in secretSettings, too/,
  },
  'no ports for a Redis whose URL is in a Secret': {
    values: { redis: { url: '', existingSecret: { name: 's' } }, networkPolicy: { redis: { ports: [] } } },
    names: /networkPolicy\.redis\.ports: required/,
  },
  'speech over http without its URL': { values: { settings: { PERCH_SPEECH: 'http' } }, names: /settings\.PERCH_SPEECH_URL: required/ },
  'a range of ports that ends before it begins': {
    values: { networkPolicy: { redis: { ports: ['8599-8500'] } } },
    names: /networkPolicy: 8599-8500 is no range of ports/,
  },
  'a volume with the name of one of the chart': {
    values: { redis: { ca: { secretName: 'ca' } }, gateway: { extraVolumes: [{ name: 'redis-ca', emptyDir: {} }] } },
    names: /gateway\.extraVolumes: the chart itself has a volume redis-ca/,
  },
  'a mount of a volume that is missing': {
    values: { robotLink: { extraVolumeMounts: [{ name: 'my-ca', mountPath: '/etc/my-ca' }] } },
    names: /robotLink\.extraVolumeMounts: robotLink\.extraVolumes has no volume my-ca/,
  },
  'a traffic policy of a Service that only the cluster reaches': {
    values: { gateway: { service: { externalTrafficPolicy: 'Local' } } },
    names: /gateway\.service: externalTrafficPolicy and nodePort are for/,
  },
  'a range of clients without a load balancer': {
    values: { robotLink: { service: { type: 'NodePort', loadBalancerSourceRanges: ['203.0.113.0/24'] } } },
    names: /robotLink\.service: loadBalancerClass and loadBalancerSourceRanges are for/,
  },
  'a provider of sign-in without a client': { values: { oidc: { issuer: 'https://id.example' } }, names: /oidc\.clientId/ },
  'headers for a collector that is not named': { values: { traces: { existingSecret: { name: 'perch-traces' } } }, names: /traces\.endpoint/ },
  'a client without a provider': { values: { oidc: { clientId: 'x' } }, names: /oidc\.issuer/ },
  'a sender of e-mail without a server': {
    values: { publicUrl: 'https://a.example', mail: { from: 'a@b.example' } },
    names: /mail\.existingSecret\.name/,
  },
  'an SMTP server without a sender': { values: { mail: { existingSecret: { name: 'perch-mail' } } }, names: /mail\.from/ },
  'e-mail without a public URL': {
    values: { mail: { from: 'a@b.example', existingSecret: { name: 'perch-mail' } } },
    names: /publicUrl: required, because mail\.from is set/,
  },
  'an MQTT bridge without a broker': {
    values: { mqttBridge: { enabled: true, existingSecret: { name: 'perch-mqtt' } } },
    names: /mqttBridge\.mqttUrl: required/,
  },
  'an MQTT bridge without an API key': {
    values: { mqttBridge: { enabled: true, mqttUrl: 'mqtt://broker' } },
    names: /mqttBridge\.existingSecret\.name: required/,
  },
  'certificates for a broker without TLS': {
    values: { mqttBridge: { mqttUrl: 'mqtt://broker', ca: { secretName: 'ca' } } },
    names: /mqttBridge\.ca: set, though mqttBridge\.mqttUrl uses no TLS/,
  },
  'a probe without a key': {
    values: { publicUrl: 'https://a.example', probe: { enabled: true } },
    names: /probe\.existingSecret\.name: required/,
  },
  'a probe that knows no address': {
    values: { probe: { enabled: true, existingSecret: { name: 'perch-probe' } } },
    names: /probe\.baseUrl: required/,
  },
  'an Ingress without hosts': { values: { ingress: { enabled: true } }, names: /ingress\.gateway\.host/ },
  'an Ingress and HTTPRoutes': {
    values: { ingress, httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } },
    names: /ingress\.enabled and httpRoute\.enabled/,
  },
  'HTTPRoutes without a Gateway': { values: { httpRoute: { enabled: true } }, names: /httpRoute\.parentRefs/ },
};

describe('values.schema.json', () => {
  it('accepts the default values with a Redis', () => {
    assert.doesNotThrow(() => checkedValues(chartFolder, defaults));
  });

  for (const [title, { values, names }] of Object.entries(refusedBySchema)) {
    it(`rejects ${title} and names the value`, () => {
      assert.throws(
        () => checkedValues(chartFolder, { ...defaults, ...values }),
        (error: unknown) => error instanceof ChartError && names.test(error.message),
      );
    });
  }
});

describe('the templates of the chart', function () {
  let engine: TemplateEngine;
  before(function () {
    engine = requireEngine(this);
  });

  for (const [title, { values, names }] of Object.entries(refusedByTemplates)) {
    it(`the templates of the chart reject ${title}, which the schema cannot check, and name the value`, () => {
      assert.throws(
        () =>
          renderChart(engine, { ...defaults, ...values, redis: { ...(defaults['redis'] as object), ...(values['redis'] as object | undefined) } }),
        (error: unknown) => error instanceof ChartError && names.test(error.message),
      );
    });
  }

  for (const release of ['perch.prod', '1perch', 'perch-0.11.0'])
    it(`reject the release name ${release}, which no Service can have, unless fullnameOverride replaces it`, () => {
      assert.throws(() => renderChart(engine, defaults, release), /fullnameOverride: names of objects would begin with/);
      assert.doesNotThrow(() => renderChart(engine, { ...defaults, fullnameOverride: 'perch-prod' }, release));
    });

  it('never repeat a password in a message', () => {
    assert.throws(
      () => renderChart(engine, { redis: { url: 'redis://:hunter2@r:6379' } }),
      (error: unknown) => error instanceof Error && !error.message.includes('hunter2'),
    );
  });
});
