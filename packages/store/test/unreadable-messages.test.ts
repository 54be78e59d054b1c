import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toGatewayProblem, toLinkProblem, type ToGateway, type ToLink } from '@perch/schema';
import { toGatewayPacking, toLinkPacking } from '../src/messaging/packed-messages.js';
import { UnreadableMessage } from '../src/messaging/unreadable-message.js';
import { readBatch, wireVersionWritten, writeBatch } from '../src/messaging/wire-versions.js';

const pixels = Array.from({ length: 12 }, () => '#0a0b0c');
const packedLeds = ['gw-a.1', 'r-1', 's-1', '', 1000, 'q', 'leds.set', '#0a0b0c'];
/** A command in version 2 of messages. */
const shortLeds = ['gw-a.1', 'r-1', 's-1', 1000, 'q', '', '#0a0b0c', 900];
const read = (packed: unknown): ToLink | UnreadableMessage => toLinkPacking.unpack(packed, 'link-b');
const reply = (packed: unknown): ToGateway | UnreadableMessage => toGatewayPacking.unpack(packed, 'gw-a');
const picture = { kind: 'picture', account: 'a-1', hash: 'h', format: 'png', bytes: 9, crc32: 1, w: 320, h: 240 } as const;

function reasonOf(message: ToLink | ToGateway | UnreadableMessage): string {
  assert.ok(message instanceof UnreadableMessage, JSON.stringify(message));
  return message.reason;
}

const changed = (at: number, value: unknown): unknown[] => packedLeds.with(at, value as string);

describe('messages that this release cannot read', () => {
  it('rejects a command with invalid fields, and names the gateway that waits for the reply', () => {
    assert.ok(!(read(packedLeds) instanceof UnreadableMessage));
    const wrong = [
      changed(1, 7),
      changed(2, null),
      changed(3, {}),
      changed(4, 'soon'),
      changed(5, 1),
      [...packedLeds, 'more'],
      packedLeds.slice(0, 7),
      ...[
        [1, 7],
        [2, null],
        [4, 1],
        [5, 1],
        [5, 'face'],
        [6, '#0a0b0'],
        [7, 'soon'],
        [7, 1001],
      ].map(([at, value]) => shortLeds.with(at as number, value as string)),
      [...shortLeds, null],
      shortLeds.slice(0, 6),
    ];
    assert.ok(!(read(shortLeds) instanceof UnreadableMessage));
    for (const packed of wrong) {
      const message = read(packed);
      assert.equal(reasonOf(message), 'shape', JSON.stringify(packed));
      assert.deepEqual([(message as UnreadableMessage).id, (message as UnreadableMessage).gateway], ['gw-a.1', 'gw-a']);
    }
  });

  it('rejects a command that this release does not know', () => {
    assert.equal(reasonOf(read(changed(6, 'leds.paint'))), 'type');
    assert.equal(reasonOf(read(changed(6, 'constructor'))), 'type');
  });

  it('rejects LED colours in another form than this release writes, and in place of other arguments', () => {
    const of = (name: string, args: unknown): unknown[] => changed(6, name).with(7, args as string);
    for (const args of [
      '',
      '#0a0b0',
      '#0a0b0c#0a0b0c',
      '#0a0b0c'.repeat(13),
      'AAAAAAAAAAAAAAA',
      { pixels: pixels.slice(1) },
      { pixels: 7 },
      [pixels],
    ])
      assert.equal(reasonOf(read(of('leds.set', args))), 'shape', JSON.stringify(args));
    assert.equal(reasonOf(read(of('face', '#0a0b0c'))), 'shape');
  });

  it('rejects a card without its picture and a sound without its reference', () => {
    const of = (name: string, args: object, more: object): unknown[] => [...changed(6, name).with(7, args as never), more];
    const card = { layer: 'card', id: 'c1' };
    assert.ok(!(read(of('screen.show', card, { attachments: [{ path: [], picture }] })) instanceof UnreadableMessage));
    assert.equal(reasonOf(read(of('screen.show', card, {}))), 'shape');
    assert.equal(reasonOf(read(of('screen.show', card, { attachments: [{ path: [], picture: { ...picture, crc32: 'x' } }] }))), 'shape');
    assert.equal(reasonOf(read(of('screen.show', card, { attachments: [{ path: ['a'], picture }] }))), 'shape');
    assert.equal(reasonOf(read(of('audio.play', {}, {}))), 'shape');
    assert.equal(reasonOf(read(of('audio.play', {}, { sound: { kind: 'sound' } }))), 'shape');
  });

  it('rejects messages of unknown types in both directions, and reads the id of a wait of version 1 from its record', () => {
    assert.equal(reasonOf(read({ t: 'dance', id: 'gw-a.2' })), 'type');
    assert.equal(reasonOf(reply({ t: 'dance', id: 'gw-a.2' })), 'type');
    const wait = read({ t: 'wait', robot: 'r-1', session: 's-1', record: { call: 'gw-a.3' } }) as UnreadableMessage;
    assert.deepEqual([wait.reason, wait.id, wait.gateway], ['shape', 'gw-a.3', 'gw-a']);
  });

  it('names no gateway to answer if the id contains no instance', () => {
    for (const id of ['', 'plain', '.1', 'a}{b.1', `${'x'.repeat(65)}.1`]) {
      const message = read([id]) as UnreadableMessage;
      assert.equal(message.gateway, id === '.1' ? 'link-b' : '', id);
    }
  });

  it('reads every version that it announces, and of later versions only the common fields', () => {
    for (const text of [JSON.stringify([packedLeds]), writeBatch(wireVersionWritten, [packedLeds])])
      assert.deepEqual(readBatch(text, 'link-b'), { packed: [packedLeds] });
    const later = readBatch(JSON.stringify({ v: 99, zip: true, m: ['gw-a.1', ['gw-a.2', {}], { id: '.3' }, 7] }), 'gw-z');
    assert.ok('unreadable' in later);
    assert.deepEqual(
      later.unreadable.map(({ reason, id, gateway }) => [reason, id, gateway]),
      [
        ['version', 'gw-a.1', 'gw-a'],
        ['version', 'gw-a.2', 'gw-a'],
        ['version', 'gw-z.3', 'gw-z'],
        ['version', '', ''],
      ],
    );
    for (const text of ['', 'x', '7', 'null', '{}', '{"v":2}', '{"v":"2","m":[]}', '{"m":[]}']) {
      const batch = readBatch(text, 'gw-z');
      assert.deepEqual('unreadable' in batch && batch.unreadable.map(({ reason }) => reason), ['batch'], text);
    }
  });

  it('returns a valid message or a reason for any JSON, without throwing', () => {
    const near = fc
      .tuple(fc.constantFrom(packedLeds, shortLeds), fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8), fc.jsonValue())
      .map(([leds, at, value]) => {
        const packed: unknown[] = [...leds];
        packed[at] = value;
        return packed;
      });
    const typed = fc
      .tuple(fc.constantFrom('command', 'state', 'wait', 'wait_end', 'close', 'ack', 'nack', 'media_missing', 'replaced', 'not_here'), fc.jsonValue())
      .map(([t, rest]) => ({ ...(typeof rest === 'object' ? rest : { id: rest }), t }));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), near, typed, fc.array(fc.jsonValue(), { maxLength: 9 })), (packed) => {
        const toLink = read(packed);
        if (toLink instanceof UnreadableMessage) assert.ok(toLink.gateway === '' || toLink.id.startsWith(toLink.gateway));
        else {
          assert.equal(toLinkProblem(toLink), null);
          assert.deepEqual(read(JSON.parse(JSON.stringify(toLinkPacking.pack(toLink, 'link-b')))), JSON.parse(JSON.stringify(floored(toLink))));
        }
        const toGateway = reply(packed);
        if (!(toGateway instanceof UnreadableMessage)) assert.equal(toGatewayProblem(toGateway), null);
      }),
      { numRuns: 2000 },
    );
  });

  it('returns every message of a batch for any text, without throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.array(fc.jsonValue()).map((m) => JSON.stringify({ v: 3, m })),
        ),
        (text) => {
          const batch = readBatch(text, 'gw-a');
          if ('unreadable' in batch) for (const { reason } of batch.unreadable) assert.ok(['batch', 'version'].includes(reason));
          else assert.ok(Array.isArray(batch.packed));
        },
      ),
    );
  });
});

/** Returns the message as it is received: times are written in whole ms. */
function floored(message: ToLink): ToLink {
  if (message.t !== 'command') return message;
  const { expires, arrivedAt } = message;
  return { ...message, expires: Math.floor(expires), ...(arrivedAt !== undefined && { arrivedAt: Math.floor(arrivedAt) }) };
}
