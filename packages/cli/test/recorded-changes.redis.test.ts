import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PerchWithStore } from './run-perch.js';

describe("an operator's changes in the activity", () => {
  let perch: PerchWithStore;
  before(async () => {
    perch = await PerchWithStore.open();
  });
  after(() => perch.store.close());

  it("an operator's changes of an account are in its activity, with the robot, key or webhook, and refused ones are not", async () => {
    const email = `${randomUUID()}@example.org`;
    const { account, robot } = await perch.json<{ account: string; robot: string }>(`account add --email ${email} --with-robot`);
    const { id: key } = await perch.json<{ id: string }>(`key add --account ${account}`);
    const { id: webhook } = await perch.store.webhooks.create(account, { url: 'https://example.com/' });
    const lines = [
      `webhook pause ${webhook} --account ${account}`,
      `webhook roll-secret ${webhook} --account ${account}`,
      `webhook remove ${webhook} --account ${account}`,
      `key roll-secret ${key} --account ${account}`,
      `key end-overlap ${key} --account ${account}`,
      `robot set ${robot} --volume-max 60`,
      `robot set ${robot}`,
      `key revoke ${key} --account ${account}`,
      `account password ${email}`,
      `account sign-out ${email}`,
      `robot remove ${robot}`,
    ];
    for (const line of lines) {
      const { code, err } = await perch.run(line);
      assert.deepEqual([code, err], [0, ''], line);
    }
    for (const line of [
      `key revoke ${key} --account ${account}`,
      `key end-overlap ${key} --account ${account}`,
      `robot remove ${robot}`,
      `webhook pause w-0123456789 --account ${account}`,
    ])
      assert.equal((await perch.run(line)).code, 1, line);
    const { entries } = await perch.store.activity.read(account, { after: 0, before: null, limit: 100, kind: null, accept: () => true });
    assert.deepEqual(
      entries.map(({ kind, via, action, outcome, robot: named, subject }) => [kind, via, action, outcome, named ?? subject]),
      [
        ['sign_up', undefined],
        ['robot_add', robot],
        ['key_create', key],
        ['webhook_change', webhook],
        ['webhook_secret_roll', webhook],
        ['webhook_remove', webhook],
        ['key_secret_roll', key],
        ['key_overlap_end', key],
        ['robot_change', robot],
        ['key_revoke', key],
        ['password_change', undefined],
        ['session_end', undefined],
        ['robot_remove', robot],
      ].map(([action, what]) => ['changes', 'operator', action, 'ok', what]),
    );
  });
});
