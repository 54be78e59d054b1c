import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { endingReasons, inventory, inventoryKinds, keptAs, type EndingReason, type InventoryLine } from '../src/endings/inventory.js';
import { accountKeys, robotKeys, sharedKeys } from '../src/redis/keys.js';

const reasons = Object.keys(endingReasons) as EndingReason[];

function table(): string[] {
  const cell = ({ ends, asks = [] }: InventoryLine, reason: EndingReason): string =>
    ends.includes(reason) ? 'ends' : asks.includes(reason) ? 'asks' : '';
  const row = (cells: string[]): string => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |');
  return [
    row(['', ...reasons.map((reason) => endingReasons[reason])]),
    `|${'---|'.repeat(reasons.length + 1)}`,
    ...inventoryKinds.map((kind) => row([inventory[kind].what, ...reasons.map((reason) => cell(inventory[kind], reason))])),
  ];
}

describe('the inventory of what an account leaves behind', () => {
  it('stands in docs/security.md as it is in code', () => {
    const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
    const [, part = ''] = page.split('## What each reason ends\n');
    assert.deepEqual(part.match(/^\|.*$/gm)?.slice(0, inventoryKinds.length + 2), table());
  });

  it('has a line for each kind of key in Redis that grants something, and names no key that there is not', () => {
    for (const [kept, keys] of [
      [keptAs.account, accountKeys],
      [keptAs.robot, robotKeys],
      [keptAs.shared, sharedKeys],
    ] as const) {
      assert.deepEqual(Object.keys(kept).toSorted(), Object.keys(keys).toSorted());
      for (const kind of Object.values(kept)) assert.ok(kind === 'data' || kind in inventory, kind);
    }
  });
});
