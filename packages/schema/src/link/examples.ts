const brightness = {
  name: 'brightness',
  description: 'Screen brightness',
  class: 'program',
  args: { type: 'object', properties: { pct: { type: 'integer', minimum: 0, maximum: 100 } }, required: ['pct'], additionalProperties: false },
};

/** Examples of the messages between robot and robot-link, by their names in the AsyncAPI description. A test validates them against the schemas. */
export const linkExamples: Record<string, unknown[]> = {
  hello: [
    {
      t: 'hello',
      v: [1],
      model: 'stackchan-k151',
      firmware: '1.0.0',
      boot_id: 'b7f2c1',
      dial: 1,
      reason: 'start',
      boot: { cause: 'crash', error: 'OSError: [Errno 12] ENOMEM in screen.py:88' },
      screen: { w: 320, h: 240, formats: ['jpeg', 'png'], max_bytes: 98_304 },
      audio: { formats: ['pcm_s16le'], rates: [16_000, 24_000], buffer_bytes: 98_304, max_part_bytes: 4096 },
      leds: { count: 12 },
      features: ['screen', 'touch', 'face', 'bubble', 'head', 'leds', 'speaker'],
      showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
      commands: [brightness],
    },
  ],
  welcome: [
    { t: 'welcome', v: 1, session: 's-9f3', time_ms: 1_790_000_000_000, sensors_ms: 2000, ping_ms: 15_000, in_ack: 0 },
    {
      t: 'welcome',
      v: 1,
      session: 's-9f3',
      time_ms: 1_790_000_000_000,
      sensors_ms: 2000,
      ping_ms: 15_000,
      in_ack: 0,
      update: { version: '0.2', url: `/robot/v1/program/${'5e'.repeat(32)}`, sha256: '5e'.repeat(32), size: 240_000 },
    },
  ],
  cmd: [{ t: 'cmd', id: 'c42', name: 'head.move', args: { yaw: 20 }, ttl_ms: 5000 }],
  ack: [
    { t: 'ack', id: 'c42', ms: 81_200, ok: true, result: {} },
    { t: 'ack', id: 'c42', ms: 81_200, ok: false, code: 'bad_args', error: 'yaw is not a number' },
  ],
  sensors: [{ t: 'sensors', values: { battery_pct: 81, light_lux: 240 } }],
  flow: [{ t: 'flow', stream: 7, received: 49_152, free: 49_152, played_ms: 1200 }],
  log: [{ t: 'log', level: 'warn', text: 'servo 1: no answer, 3rd try' }],
  update_failed: [{ t: 'update_failed', version: '0.2', error: 'the file has another sha256' }],
  play_done: [{ t: 'play_done', stream: 7, reason: 'end' }],
  in_touch_down: [
    { t: 'in', seq: 6, ms: 81_143, kind: 'touch_down', x: 160, y: 120 },
    { t: 'in', seq: 6, ms: 81_143, kind: 'touch_down', x: 160, y: 120, dark: true },
  ],
  in_touch_up: [{ t: 'in', seq: 7, ms: 81_233, kind: 'touch_up', x: 160, y: 120, held_ms: 90 }],
  in_head_down: [{ t: 'in', seq: 8, ms: 82_000, kind: 'head_down', zone: 1 }],
  in_head_up: [{ t: 'in', seq: 9, ms: 82_300, kind: 'head_up', zone: 1, held_ms: 300 }],
  in_head_swipe: [{ t: 'in', seq: 10, ms: 83_000, kind: 'head_swipe', zone: 1, dir: 'forward' }],
  in_imu_burst: [
    {
      t: 'in',
      seq: 11,
      ms: 84_000,
      kind: 'imu_burst',
      hz: 100,
      samples: [
        [0, 0, 1],
        [0.4, 0.1, 1.6],
      ],
    },
  ],
  in_prox: [{ t: 'in', seq: 12, ms: 85_000, kind: 'prox', raw: 320 }],
  in_nfc_in: [{ t: 'in', seq: 13, ms: 86_000, kind: 'nfc_in', uid: '04a1b2c3d4e5f6', type: 'ntag213', ndef_b64: '0QEMVQFwZXJjaC50ZXN0' }],
  in_nfc_out: [{ t: 'in', seq: 14, ms: 87_000, kind: 'nfc_out', uid: '04a1b2c3d4e5f6' }],
  in_ir: [
    { t: 'in', seq: 15, ms: 88_000, kind: 'ir', raw_us: [9000, 4500, 560, 560, 560, 1690] },
    { t: 'in', seq: 15, ms: 88_000, kind: 'ir', address: 4, command: 8 },
  ],
  in_power_key: [
    { t: 'in', seq: 16, ms: 89_000, kind: 'power_key', held_ms: 120 },
    { t: 'in', seq: 16, ms: 89_000, kind: 'power_key', press: 'short' },
  ],
  in_usb: [{ t: 'in', seq: 17, ms: 90_000, kind: 'usb', present: true }],
  in_ack: [{ t: 'in_ack', seq: 17 }],
  ping: [{ t: 'ping' }],
  pong: [{ t: 'pong' }],
};
