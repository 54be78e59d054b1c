import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '@perch/cli';
import { redisUrl, until } from '@perch/testkit';
import { agentKinds, agentsOf } from '../fixture/clients/mcp.js';
import { checkedApi, onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes, type Tenant } from '../fixture/system/system-under-test.js';

interface Imported {
  robot: string;
  serial: string;
  robot_token: string;
}

onSharedSystems(
  'imported robots',
  (system) => {
    let tenant: Tenant;
    let folder: string;
    const agentOf = agentsOf(agentKinds[0]!, system);
    beforeEach(async () => {
      tenant = await system().tenant();
      folder = await mkdtemp(join(tmpdir(), 'perch-fleet-'));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    async function perch(...args: string[]): Promise<any> {
      let out = '';
      let err = '';
      const environment = { PERCH_REDIS_URL: await redisUrl(), PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, HOME: folder };
      const code = await runProgram([...args, '--json'], { environment, out: (text) => (out += text), err: (text) => (err += text) });
      assert.equal(code, 0, err);
      return JSON.parse(out);
    }

    async function imported(csv: string): Promise<Imported[]> {
      const file = join(folder, 'robots.csv');
      await writeFile(file, csv);
      return (await perch('robot', 'import', '--account', tenant.account, '--file', file)).robots;
    }

    it('imported robots connect with their tokens and can be found by label in every interface', async () => {
      const [desk, door, window] = await imported('name,serial,labels\nDesk,SN-1,room=r7;floor=2\nDoor,SN-2,room=r7\nWindow,SN-3,room=r8\n');
      const body = await tenant.again(desk!.robot_token, { instant: true });
      const api = await checkedApi(tenant);
      const ids = async (query: string): Promise<string[]> => (await api.get(`/v1/robots${query}`)).body.robots.map(({ id }: { id: string }) => id);
      assert.deepEqual(await ids('?label=room=r7'), [desk!.robot, door!.robot].toSorted());
      assert.deepEqual(await ids('?label=room%3Dr7&label=floor%3D2'), [desk!.robot]);
      assert.deepEqual(await ids('?label=room=r7&online=true'), [desk!.robot]);
      assert.deepEqual((await api.get(`/v1/robots/${desk!.robot}`)).body.labels, { floor: '2', room: 'r7' });
      const refused = (await api.get('/v1/robots?label=room')).body;
      assert.deepEqual([refused.ok, refused.field], [false, 'label']);

      const agent = await agentOf(tenant.key);
      const listed = await agent.call('robot_list', { label: ['room=r8'] });
      assert.deepEqual(listed.answer.robots[0].labels, { room: 'r8' });

      const inRoom = await perch('robots', '--label', 'room=r8');
      assert.deepEqual([inRoom.robots.length, inRoom.robots[0].id], [1, window!.robot]);
      await perch('robot', 'label', window!.robot, 'room=r7');
      assert.equal((await ids('?label=room=r7')).length, 3);

      const { robots, online, away, list } = await perch('fleet', '--account', tenant.account);
      assert.deepEqual([robots, online, away], [3, 1, 2]);
      assert.deepEqual(list.map(({ robot }: { robot: string }) => robot).toSorted(), [door!.robot, window!.robot].toSorted());
      const { firmware } = (await api.get(`/v1/robots/${desk!.robot}`)).body;
      const before = Date.now();
      await body.stop();
      await until(async () => (await perch('fleet', '--account', tenant.account, '--away', '--firmware', firmware)).list.length === 1);
      const [gone] = (await perch('fleet', '--account', tenant.account, '--away', '--label', 'floor=2')).list;
      assert.equal(gone.robot, desk!.robot);
      // Rounded to seconds: the clocks differ.
      assert.ok(Date.parse(gone.away_since) >= before - 2000, gone.away_since);
    });
  },
  shapes.slice(0, 1),
);
