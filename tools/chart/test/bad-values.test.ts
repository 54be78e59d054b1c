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
  'no Redis': { values: { redis: { url: '' } }, names: /redis/ },
  'a Redis in both places': { values: { redis: { url: 'redis://r:6379', existingSecret: { name: 's' } } }, names: /redis/ },
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
  'a setting of Perch among other variables': {
    values: { gateway: { extraEnv: [{ name: 'PERCH_SIGN_UP', value: 'open' }] } },
    names: /gateway\.extraEnv\.0\.name/,
  },
  'a name in settings that is no setting': { values: { settings: { SIGN_UP: 'open' } }, names: /settings\.SIGN_UP/ },
  'a provider of sign-in over http': { values: { oidc: { issuer: 'http://id.example', clientId: 'x' } }, names: /oidc\.issuer/ },
  'a host with a scheme': { values: { ingress: { gateway: { host: 'https://a.example' } } }, names: /ingress\.gateway\.host/ },
  'admin ports open to everyone': { values: { networkPolicy: { prometheus: [] } }, names: /networkPolicy\.prometheus/ },
  'credentials in the URL of the MQTT broker': { values: { mqttBridge: { mqttUrl: 'mqtt://me:hunter2@broker' } }, names: /mqttBridge\.mqttUrl/ },
  'a Redis port that is none': { values: { networkPolicy: { redis: { ports: [0] } } }, names: /networkPolicy\.redis\.ports/ },
};

const refusedByTemplates: BadValues = {
  'a minimum of pods above the maximum': {
    values: { gateway: { autoscaling: { minReplicas: 5, maxReplicas: 4 } } },
    names: /gateway\.autoscaling: minReplicas is 5, more than maxReplicas, 4/,
  },
  'a password in redis.url': { values: { redis: { url: 'redis://:hunter2@r:6379' } }, names: /redis\.url: contains a password/ },
  'two sources of certificates': { values: { redis: { ca: { secretName: 'a', configMapName: 'b' } } }, names: /redis\.ca/ },
  'a setting that no service has': { values: { settings: { PERCH_SIGNUP: 'open' } }, names: /settings\.PERCH_SIGNUP: no service has this setting/ },
  'a setting that another value determines': {
    values: { settings: { PERCH_DRAIN_MS: 1000 } },
    names: /settings\.PERCH_DRAIN_MS: determined by the value drain\.ms/,
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

  it('never repeat a password in a message', () => {
    assert.throws(
      () => renderChart(engine, { redis: { url: 'redis://:hunter2@r:6379' } }),
      (error: unknown) => error instanceof Error && !error.message.includes('hunter2'),
    );
  });
});
