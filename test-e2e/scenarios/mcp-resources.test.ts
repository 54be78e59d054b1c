import assert from 'node:assert/strict';
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { until } from '@perch/testkit';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const info = { name: 'test-agent', version: '1.0.0' };

onSharedSystems(
  'mcp resources and prompts',
  (system) => {
    const address = (i = 0): URL => new URL(`${system().gateway(i)}/mcp`);
    const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

    async function newClient(key: string, i = 0): Promise<NewClient> {
      const client = new NewClient(info, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new NewTransport(address(i), withKey(key)));
      return client;
    }

    it('a client of 2026 reads the state and the screen of its robot, and is notified of their changes', async () => {
      const tenant = await system().tenant();
      const { id, robot } = await tenant.robot();
      const client = await newClient(tenant.key);
      const uris = (await client.listResources()).resources.map(({ uri }) => uri);
      assert.deepEqual(uris, [`perch://robots/${id}/state`, `perch://robots/${id}/screen`]);
      assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
      const updated: string[] = [];
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updated.push(params.uri));
      const subscription = await client.listen({ resourceSubscriptions: uris });
      assert.deepEqual(subscription.honoredFilter.resourceSubscriptions, uris);
      await client.callTool({ name: 'robot_show', arguments: { text: 'A card' } });
      await until(() => uris.every((uri) => updated.includes(uri)), { what: 'a notification for each resource' });
      const [screen] = (await client.readResource({ uri: uris[1]! })).contents as { blob: string }[];
      assert.ok(Buffer.from(screen!.blob, 'base64').equals(robot.screen.card!.picture), 'the card as the robot got it');
      const [state] = (await client.readResource({ uri: uris[0]! })).contents as { text: string }[];
      assert.notEqual((JSON.parse(state!.text) as { showing: { card: string | null } }).showing.card, null);
      await subscription.close();
      assert.equal(await subscription.closed, 'local');
      await client.close();
    });

    it('a client of 2025 reads resources and gets prompts, and is not offered subscriptions', async () => {
      const tenant = await system().tenant();
      const { id } = await tenant.robot();
      const client = new OldClient(info);
      await client.connect(new OldTransport(address(), withKey(tenant.key)) as Parameters<OldClient['connect']>[0]);
      assert.equal(client.getServerCapabilities()?.resources?.subscribe, undefined);
      assert.equal((await client.listResources()).resources.length, 2);
      const { contents } = await client.readResource({ uri: `perch://robots/${id}/state` });
      assert.equal((JSON.parse((contents[0] as { text: string }).text) as { id: string }).id, id);
      await assert.rejects(client.subscribeResource({ uri: `perch://robots/${id}/state` }));
      const names = (await client.listPrompts()).prompts.map(({ name }) => name);
      assert.deepEqual(names, ['ask-before-acting', 'status-card']);
      const { messages } = await client.getPrompt({ name: 'status-card', arguments: { task: 'the release', robot: 'Desk' } });
      assert.match((messages[0]!.content as { text: string }).text, /"Desk".*the release/s);
      await client.close();
    });

    it("resources of another account's robot are not found, and cannot be subscribed to", async () => {
      const [tenant, stranger] = [await system().tenant(), await system().tenant()];
      const theirs = await stranger.robot();
      const client = await newClient(tenant.key, 1);
      assert.deepEqual((await client.listResources()).resources, []);
      for (const part of ['state', 'screen']) await assert.rejects(client.readResource({ uri: `perch://robots/${theirs.id}/${part}` }), /no robot/);
      const subscription = await client.listen({ resourceSubscriptions: [`perch://robots/${theirs.id}/state`] });
      assert.deepEqual(subscription.honoredFilter.resourceSubscriptions ?? [], []);
      assert.equal(await subscription.closed, 'graceful');
      await client.close();
    });
  },
  [shapes[1]!],
);
