import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { acceptReadings, readingNames, readingTable, type DropReason, type Readings } from '../src/index.js';

function accepted(values: Record<string, unknown>, into: Readings = {}): { into: Readings; dropped: Record<string, DropReason> } {
  const dropped: Record<string, DropReason> = {};
  acceptReadings(values, into, (name, reason) => void Object.defineProperty(dropped, name, { value: reason, enumerable: true }));
  return { into, dropped };
}

describe('readings', () => {
  for (const [name, { kind, min, max }] of Object.entries(readingTable)) {
    if (kind !== 'number') continue;
    it(`accepts ${name} from ${min} to ${max}, and drops it beyond`, () => {
      const outside = max === Number.MAX_VALUE ? Infinity : max + 0.5;
      for (const value of [min, max]) assert.deepEqual(accepted({ [name]: value }), { into: { [name]: value }, dropped: {} });
      for (const value of [min - 0.5, outside, NaN]) assert.deepEqual(accepted({ [name]: value }), { into: {}, dropped: { [name]: 'out_of_range' } });
      for (const value of ['1', true, {}, []]) assert.deepEqual(accepted({ [name]: value }), { into: {}, dropped: { [name]: 'wrong_type' } });
    });
  }

  it('keeps the previous value when a value is dropped or absent, and accepts null for a failed sensor', () => {
    const { into, dropped } = accepted({ battery_pct: 101, light_lux: null }, { battery_pct: 50, light_lux: 3, charging: true });
    assert.deepEqual(into, { battery_pct: 50, light_lux: null, charging: true });
    assert.deepEqual(dropped, { battery_pct: 'out_of_range' });
  });

  it('accepts boolean readings only as true or false', () => {
    assert.deepEqual(accepted({ charging: true, usb_power: 1, head_moving: 'no' }).into, { charging: true });
  });

  it('limits an SSID in bytes, and accepts only valid IP addresses', () => {
    assert.deepEqual(accepted({ wifi_ssid: 'é'.repeat(16), ip_address: '192.168.1.9' }).into, {
      wifi_ssid: 'é'.repeat(16),
      ip_address: '192.168.1.9',
    });
    assert.deepEqual(accepted({ wifi_ssid: `${'é'.repeat(16)}a`, ip_address: '192.168.1.300' }).dropped, {
      wifi_ssid: 'out_of_range',
      ip_address: 'out_of_range',
    });
    assert.deepEqual(accepted({ ip_address: 'fe80::1' }).into, { ip_address: 'fe80::1' });
  });

  it('drops unlisted names, including those of Object.prototype', () => {
    const { into, dropped } = accepted(JSON.parse('{"__proto__":1,"constructor":2,"toString":3,"battery":4}') as Record<string, unknown>);
    assert.deepEqual(Object.keys(into), []);
    assert.equal(Object.getPrototypeOf(into), Object.prototype);
    assert.deepEqual(Object.keys(dropped).sort(), ['__proto__', 'battery', 'constructor', 'toString']);
  });

  it('has exactly the readings listed in robot-link.md', () => {
    const document = readFileSync(new URL('../../../docs/robot-link.md', import.meta.url), 'utf8');
    const table = document.slice(document.indexOf('## Sensors'), document.indexOf('## Input'));
    let last = '';
    const names = [...table.slice(table.indexOf('|---')).matchAll(/`(\w+)`/g)].map(([, name]) => {
      // `accel_x_g`, `_y_`, `_z_` is short for three names.
      if (!/^_[yz]_$/.test(name!)) return (last = name!);
      return last.replace('_x_', name!);
    });
    assert.deepEqual(names.sort(), [...readingNames].sort());
  });
});
