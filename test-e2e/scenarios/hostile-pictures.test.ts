import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { pngChunk, pngOf } from '@perch/testkit';
import { halves, picture, Pixels } from '../fixture/media/pictures.js';
import { bomb, flipped } from '../fixture/media/png.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

onSingleInstances('hostile pictures', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const goesOn = async () => assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
    return { id, robot, api, goesOn };
  }

  it("damaged, mislabelled and decompression-bomb pictures get 400 with the argument's name, fast", async () => {
    const { id, robot, api, goesOn } = await setUp();
    const jpeg = Buffer.from(
      picture(300, 200, (context) => context.fillRect(0, 0, 150, 100), 'jpeg'),
      'base64',
    );
    const png = Buffer.from(halves(300, 200, '#ff0000', '#0000ff'), 'base64');
    const broken: [what: string, bytes: Uint8Array][] = [
      ['a truncated JPEG', jpeg.subarray(0, jpeg.length / 2)],
      ['a JPEG of its first bytes', jpeg.subarray(0, 20)],
      ['a truncated PNG', png.subarray(0, png.length - 40)],
      ['a PNG of its header', png.subarray(0, 33)],
      ['a PNG with a wrong sum', flipped(pngOf(10, 10, deflateSync(Buffer.alloc(310))), 45)],
      ['a PNG without pixels', pngOf(100, 100, Buffer.alloc(0))],
      ['a PNG that says 30,000 by 30,000', pngOf(30_000, 30_000, deflateSync(Buffer.alloc(1000)))],
      ['a PNG that says 2^31 - 1', pngOf(2 ** 31 - 1, 2 ** 31 - 1, deflateSync(Buffer.alloc(1000)))],
      ['a PNG of 0 by 0', pngOf(0, 0, deflateSync(Buffer.alloc(0)))],
      ['a PNG whose pixels are too few', pngOf(4096, 4096, deflateSync(Buffer.alloc(1000)))],
      ['a PNG of 100 by 100 that unpacks to 1 GB', pngOf(100, 100, bomb())],
      ['a GIF', Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64')],
      ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><image href="file:///etc/passwd"/></svg>')],
      ['a JPEG by its first bytes alone', Buffer.concat([Buffer.of(0xff, 0xd8, 0xff), Buffer.alloc(5000, 0x41)])],
      ['a PNG by its first bytes alone', Buffer.concat([png.subarray(0, 8), Buffer.alloc(5000, 0x41)])],
    ];
    await api.act(id, 'show', { background: '#123456' });
    const card = robot.screen.card!.id;
    for (const [what, bytes] of broken) {
      const { status, body } = await api.act(id, 'show', { image: Buffer.from(bytes).toString('base64') });
      assert.deepEqual([status, body.code, body.field], [400, 'bad_picture', 'image'], `${what}: ${JSON.stringify(body)}`);
    }
    assert.equal(robot.screen.card?.id, card, 'the card stays');
    const second = await api.act(id, 'menu', {
      items: [
        { label: 'a', image: png.toString('base64') },
        { label: 'b', image: jpeg.subarray(0, 900).toString('base64') },
      ],
    });
    assert.deepEqual([second.status, second.body.field], [400, 'items[1].image'], JSON.stringify(second.body));
    await goesOn();
  });

  it('every kind of PNG is shown, and compressed data beside the pixels is not inflated', async () => {
    const { id, robot, api, goesOn } = await setUp();
    const kinds: [what: string, bytes: Uint8Array][] = [
      ['1 bit of gray', pngOf(9, 5, deflateSync(Buffer.alloc(5 * 3)), { depth: 1, color: 0 })],
      ['16 bits of gray', pngOf(9, 5, deflateSync(Buffer.alloc(5 * 19)), { depth: 16, color: 0 })],
      ['16 bits of colour, see-through', pngOf(9, 5, deflateSync(Buffer.alloc(5 * 73)), { depth: 16, color: 6 })],
      ['a palette', pngOf(9, 5, deflateSync(Buffer.alloc(5 * 10)), { depth: 8, color: 3, before: [pngChunk('PLTE', Buffer.of(255, 0, 0))] })],
      ['interlaced', pngOf(8, 8, deflateSync(Buffer.alloc(79)), { depth: 8, color: 0, interlace: 1 })],
      [
        'a colour profile that unpacks to 1 GB',
        pngOf(9, 5, deflateSync(Buffer.alloc(5 * 28)), { before: [pngChunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), bomb()]))] }),
      ],
      [
        'a text that unpacks to 1 GB',
        pngOf(9, 5, deflateSync(Buffer.alloc(5 * 28)), { before: [pngChunk('zTXt', Buffer.concat([Buffer.from('x\0\0'), bomb()]))] }),
      ],
      [
        '60,000 chunks',
        pngOf(9, 5, deflateSync(Buffer.alloc(5 * 28)), { before: Array.from({ length: 60_000 }, () => pngChunk('prVt', Buffer.alloc(0))) }),
      ],
    ];
    for (const [what, bytes] of kinds) {
      const { status, body } = await api.act(id, 'show', { image: Buffer.from(bytes).toString('base64') });
      assert.equal(status, 200, `${what}: ${JSON.stringify(body)}`);
    }
    assert.deepEqual(robot.violations, []);
    await goesOn();
  });

  it('an extremely compressed picture is shown or rejected, while others are drawn', async () => {
    const { id, robot, api, goesOn } = await setUp();
    const dense = { image: pngOf(4096, 4096, deflateSync(Buffer.alloc(4096 * (4096 * 3 + 1)), { level: 9 })).toString('base64') };
    const calls = [0, 1, 2].map(() => api.act(id, 'show', dense));
    const other = await (await system().tenant()).robot();
    const beside = await (await checkedApi(await system().tenant())).get('/v1/robots');
    assert.equal(beside.status, 200);
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
    assert.ok((await Pixels.of(robot.screen.card)).is(160, 120, '#000000'));
    assert.equal(other.robot.violations.length, 0);
    await goesOn();
  });
});
