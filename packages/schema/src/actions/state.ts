import { Type } from 'typebox';
import { RobotStateSchema } from '../robots/robot.js';
import { defineAction } from '../definition/action.js';

export const state = defineAction({
  name: 'state',
  group: 'robots',
  summary: "Read the robot's state: readings, what it shows, its commands and the last events.",
  description: 'Also works while the robot is offline, with its last readings.',
  args: Type.Object({}),
  answer: RobotStateSchema,
  effect: { readOnly: true, idempotent: true },
  examples: [
    {
      args: {},
      answer: {
        ok: true,
        id: 'r-7k2m9qx4tb',
        name: 'Desk',
        online: true,
        model: 'stackchan-k151',
        firmware: '1.0.0',
        features: ['screen', 'touch', 'face', 'bubble', 'head', 'leds', 'speaker'],
        commands: [
          {
            name: 'brightness',
            description: 'Screen brightness',
            args: { type: 'object', properties: { pct: { type: 'integer', minimum: 0, maximum: 100 } }, required: ['pct'] },
          },
        ],
        labels: { room: 'r7' },
        readings: { battery_pct: 81, charging: false, light_lux: 240, head_yaw_deg: -3.5 },
        readings_at: '2026-01-01T12:00:00.000Z',
        showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
        volume_max: 70,
        quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin', active: false },
        events: [{ seq: 7, name: 'tap', data: { x: 160, y: 120 }, at: '2026-01-01T11:59:58.250Z' }],
        last_seq: 7,
      },
    },
  ],
});
