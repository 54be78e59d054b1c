import { randomInt } from 'node:crypto';
import type { Component } from '../metrics/metric-row.js';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const prefixes: Readonly<Record<Component, string>> = {
  gateway: 'gw',
  'robot-link': 'link',
  renderer: 'rd',
  webhooks: 'wh',
  'mqtt-bridge': 'mb',
  probe: 'pb',
};

/** Returns an id such as `gw-4k2m9x`: six characters without look-alikes, a billion ids per service. */
export function newInstanceId(component: Component): string {
  return `${prefixes[component]}-${Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
}
