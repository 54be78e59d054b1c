import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repeatUntilSettled } from '../fixture/repeat-until-settled.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const actions = ['show', 'say', 'face', 'move', 'leds', 'sound', 'ask', 'menu', 'clickmap', 'command', 'state', 'events', 'speak'];
/** Made of other actions, and not counted among them. */
const compounds = ['stop', 'scene'];
const run = promisify(execFile);

onSingleInstances('openapi', (system) => {
  it("the served OpenAPI document passes redocly's recommended rules", async () => {
    const { body } = await (await checkedApi(await system().tenant())).get('/v1/openapi.json');
    const directory = await mkdtemp(join(tmpdir(), 'perch-openapi-'));
    try {
      await writeFile(join(directory, 'openapi.json'), JSON.stringify(body));
      const redocly = createRequire(import.meta.url)
        .resolve('@redocly/cli/package.json')
        .replace('package.json', 'bin/cli.js');
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NODE_OPTIONS: '' };
      const { stdout } = await run(process.execPath, [redocly, 'lint', 'openapi.json', '--format=json'], { cwd: directory, env }).catch(
        (failed: { stdout: string; stderr: string }) => assert.fail(`${failed.stdout}\n${failed.stderr}`),
      );
      const { totals, problems } = JSON.parse(stdout) as { totals: { errors: number; warnings: number }; problems: { message: string }[] };
      assert.deepEqual([totals.errors, totals.warnings], [0, 0], JSON.stringify(problems.map(({ message }) => message)));
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('the OpenAPI document states OpenAPI 3.1, interface v0.9.0, Apache-2.0, its own address, and the key as bearer', async () => {
    for (const gateway of [0, 1]) {
      const api = await checkedApi(await system().tenant(), gateway);
      const { body } = await api.get('/v1/openapi.json');
      assert.match(body.openapi, /^3\.1\./);
      assert.deepEqual([body.info.version, body.info.license.identifier ?? body.info.license.name], ['v0.9.0', 'Apache-2.0']);
      assert.deepEqual(body.servers, [{ url: api.base }]);
      const [scheme] = Object.keys(body.security[0]);
      assert.deepEqual([body.components.securitySchemes[scheme!].type, body.components.securitySchemes[scheme!].scheme], ['http', 'bearer']);
    }
  });

  it('the OpenAPI document has every path of the interface and no other, each with every possible status', async () => {
    const { body } = await (await checkedApi(await system().tenant())).get('/v1/openapi.json');
    const expected = [
      '/v1/robots',
      '/v1/robots/{robot}',
      '/v1/actions',
      '/v1/icons',
      '/v1/openapi.json',
      ...[...actions, ...compounds].map((action) => `/v1/robots/{robot}/${action}`),
      '/v1/robots/{robot}/screen',
      ...['show', 'say', 'ask', 'menu'].map((action) => `/v1/robots/{robot}/preview/${action}`),
      '/v1/pictures',
      '/v1/groups/{label}/{action}',
      '/v1/waits/{wait}',
      '/v1/robots/{robot}/wait',
      '/v1/activity',
      '/v1/activity/export',
      '/v1/activity/usage',
      '/v1/webhooks',
      ...['', '/secret', '/test', '/deliveries', '/deliveries/{delivery}', '/deliveries/{delivery}/replay'].map(
        (rest) => `/v1/webhooks/{webhook}${rest}`,
      ),
    ];
    assert.deepEqual(Object.keys(body.paths).toSorted(), expected.toSorted());
    for (const [path, item] of Object.entries<Record<string, any>>(body.paths)) {
      for (const method of ['get', 'post', 'patch', 'delete']) {
        if (item[method] === undefined) continue;
        const statuses = Object.keys(item[method].responses);
        for (const status of ['200', '400', '401', '404', '429', '501', '503']) assert.ok(statuses.includes(status), `${method} ${path}: ${status}`);
      }
    }
    assert.ok(body.paths['/v1/robots/{robot}/events'].get && body.paths['/v1/robots/{robot}/events'].post);
    for (const action of ['ask', 'clickmap', 'command', 'face', 'leds', 'menu', 'move', 'say', 'show', 'sound', 'speak', ...compounds]) {
      const { schema } = body.paths[`/v1/robots/{robot}/${action}`].post.requestBody.content['application/json'];
      assert.equal(body.components.schemas[schema.$ref.split('/').at(-1)].additionalProperties, false, action);
    }
  });

  it('every request example of the OpenAPI document works, and every response example is a possible one', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const { published } = await checkedApi(tenant);
    const { document } = published;
    let sent = 0;
    const { id: webhook } = await system().store.webhooks.create(tenant.account, { url: 'https://example.com/' });
    const placed = (path: string): string => path.replace('{robot}', id).replace('{webhook}', webhook).replace('{label}/{action}', 'all/ask');
    for (const [path, method, operation] of operationsOf(document)) {
      const content = operation.requestBody?.content['application/json'];
      if (content === undefined) continue;
      assert.ok(Object.keys(content.examples).length > 0, `${path} has examples`);
      // All examples together cost more than a key may spend at once.
      const api = await checkedApi(tenant, 0, (await system().newKey(tenant.account)).key);
      for (const { value } of Object.values<any>(content.examples)) {
        const call = api.send(method, placed(path), JSON.stringify(value), {
          headers: { 'content-type': 'application/json', accept: 'application/json' },
        });
        const { status, body } = await repeatUntilSettled(call, () => robot.tap(250, 170).then(() => robot.tap(150, 50)));
        assert.equal(status, 200, `${path} ${JSON.stringify(value)} -> ${JSON.stringify(body)}`);
        // What is queued would show in the middle of a later example.
        if (value.queue === true) await api.send('POST', `/v1/robots/${id}/stop`, '{}', { headers: { 'content-type': 'application/json' } });
        sent++;
      }
      for (const { value } of Object.values<any>(operation.responses['200'].content['application/json'].examples ?? {})) {
        published.check(method, placed(path), { status: 200, headers: anyHeaders(), body: value });
      }
    }
    assert.ok(sent >= actions.length + compounds.length, `${sent} sent`);
    for (const response of Object.values<any>(document['components'].responses)) {
      for (const { value } of Object.values<any>(response.content['application/json'].examples)) {
        const status = Number(
          Object.entries<any>(document['components'].responses)
            .find(([, each]) => each === response)![0]
            .replace(/\D/g, ''),
        );
        published.check('POST', `/v1/robots/${id}/show`, { status, headers: anyHeaders(value.request_id), body: value });
      }
    }
    assert.deepEqual(robot.violations, []);
  });

  it('/v1/actions lists the twelve actions of the interface, speak, stop and scene with the schemas of the OpenAPI document, and no root that tool clients reject', async () => {
    const tenant = await system().tenant();
    const api = await checkedApi(tenant);
    const { document } = api.published;
    const { body } = await api.get('/v1/actions');
    assert.deepEqual(
      body.actions.map(({ name, kind }: any) => [name, kind]),
      [...actions.map((name) => [name, 'action']), ...compounds.map((name) => [name, 'compound'])],
    );
    for (const { name, method, path, tool, summary, arguments: args, answer } of body.actions) {
      assert.deepEqual([method, path, tool], ['POST', `/v1/robots/{robot}/${name}`, `robot_${name}`]);
      assert.ok(summary.length > 10);
      assert.equal(args.type, 'object');
      for (const key of ['anyOf', 'oneOf', 'allOf', 'not', 'if']) assert.ok(!(key in args), `${name}: ${key}`);
      const published = (schema: string) => document['components'].schemas[`${name[0].toUpperCase()}${name.slice(1)}${schema}`];
      assert.deepEqual(Object.keys(args.properties), Object.keys(published('Arguments').properties));
      assert.deepEqual(args.required ?? [], published('Arguments').required ?? []);
      assert.deepEqual(Object.keys(answer.properties), Object.keys(published('Answer').properties));
    }
  });
});

/** Response headers for checking examples, which are bodies only. */
function anyHeaders(requestId = 'x'): Headers {
  return new Headers({
    'content-type': 'application/json',
    'x-request-id': requestId,
    ratelimit: 'x',
    'ratelimit-policy': 'x',
    'retry-after': '1',
    allow: 'POST',
    'www-authenticate': 'Bearer',
  });
}

function operationsOf(document: any): [path: string, method: string, operation: any][] {
  return Object.entries<any>(document['paths']).flatMap(([path, item]) =>
    ['post', 'patch'].flatMap((method): [string, string, any][] => (item[method] === undefined ? [] : [[path, method.toUpperCase(), item[method]]])),
  );
}
