import assert from 'node:assert/strict';
import { halves, photograph, Pixels } from '../fixture/media/pictures.js';
import { checkedApi, onSharedSystems } from '../fixture/system/shared-systems.js';

onSharedSystems('pictures that are not in the body', (system) => {
  it('an uploaded picture is shown by its id, through any gateway and with any key of its account', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const bytes = Buffer.from(halves(320, 240, '#ff0000', '#0000ff'), 'base64');
    const { body } = await (await checkedApi(tenant)).send('POST', '/v1/pictures', bytes, { headers: { 'content-type': 'image/png' } });
    assert.deepEqual([body.format, body.w, body.h, body.bytes], ['png', 320, 240, bytes.length]);
    const { apiKey } = await system().store.apiKeys.create({ account: tenant.account });
    const api = await checkedApi(tenant, 1, apiKey);
    assert.equal((await api.act(id, 'show', { image: body.picture })).status, 200);
    const card = await Pixels.of(robot.screen.card);
    assert.ok(card.is(80, 120, '#ff0000') && card.is(240, 120, '#0000ff'));
    assert.deepEqual(robot.violations, []);
  });

  it("an id of another account's picture is refused like one that does not exist, on every gateway", async () => {
    const [mine, other] = await Promise.all([system().tenant(), system().tenant()]);
    const { id } = await mine.robot();
    const bytes = Buffer.from(halves(20, 20, '#ff0000', '#0000ff'), 'base64');
    const uploaded = await (await checkedApi(other)).send('POST', '/v1/pictures', bytes, { headers: { 'content-type': 'image/png' } });
    for (const gateway of [0, 1]) {
      const api = await checkedApi(mine, gateway);
      const [foreign, unknown] = await Promise.all([uploaded.body.picture, `p-${'0'.repeat(20)}`].map((image) => api.act(id, 'show', { image })));
      assert.deepEqual([foreign!.status, foreign!.body.code, foreign!.body.field], [400, 'bad_picture', 'image']);
      assert.equal(foreign!.body.error.replace(uploaded.body.picture, ''), unknown!.body.error.replace(`p-${'0'.repeat(20)}`, ''));
    }
  });

  it('an address of this machine or its network is refused, and nothing connects to it', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    const api = await checkedApi(tenant);
    const { port } = new URL(system().gateway());
    for (const image of [system().gateway(), `https://127.0.0.1:${port}/`, 'https://localhost/', 'https://169.254.169.254/', 'https://[::1]:8443/']) {
      const { status, body } = await api.act(id, 'show', { image });
      assert.deepEqual([status, body.code, body.field], [400, 'image_unreachable', 'image'], image);
    }
  });

  it('a photograph reaches the robot as a JPEG of less than half of the bytes of its PNG', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const photo = photograph(320, 240);
    assert.equal((await api.act(id, 'show', { image: photo })).status, 200);
    const { picture } = robot.screen.card!;
    assert.deepEqual([...picture.subarray(0, 3)], [0xff, 0xd8, 0xff]);
    assert.ok(picture.length * 2 < Buffer.from(photo, 'base64').length, `${picture.length} bytes`);
  });
});
