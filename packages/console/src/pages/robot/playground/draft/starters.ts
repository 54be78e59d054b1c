/** Initial input by action, so that each can be run with one click. Other forms start empty. */
import type { Drafts } from './draft.js';

export const starters: Readonly<Record<string, Drafts>> = {
  show: { text: '21 °C', title: 'Outside', icon: 'cloud-sun' },
  say: { text: 'Good morning!' },
  face: { emotion: 'happy' },
  move: { gesture: 'nod' },
  leds: { effect: 'breathe', color: 'purple', seconds: '10' },
  sound: { chime: 'tada' },
  speak: { text: 'Your tea is ready.' },
  ask: { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] },
  menu: { title: 'Lunch', items: [{ label: '🍕 Pizza' }, { label: '🥗 Salad' }, { label: '🍜 Ramen' }] },
  clickmap: {
    regions: [
      { id: 'left', rect: [10, 10, 140, 220] },
      { id: 'right', circle: [235, 120, 70] },
    ],
  },
  command: { command: 'brightness', args: '{ "pct": 60 }' },
  scene: {
    actions: `[
  { "action": "face", "emotion": "happy" },
  { "action": "sound", "chime": "tada" },
  { "action": "move", "gesture": "nod" }
]`,
  },
};
