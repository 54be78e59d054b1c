import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { excludedCommand, excludedWords, partWords } from '../src/index.js';

const document = readFileSync(new URL('../../../docs/robot-link.md', import.meta.url), 'utf8');

describe('commands that no program may send', () => {
  it('have the words that robot-link.md lists, and are excused by the parts that it lists', () => {
    for (const [before, words] of [
      ['has one of these words is not passed on', excludedWords],
      ['unless the name has one of these words', partWords],
    ] as const) {
      const list = new RegExp(`${before}: (.*)`).exec(document)![1]!.split('. ')[0]!;
      assert.deepEqual(
        [...list.matchAll(/`([^`]+)`/g)].map(([, word]) => word),
        words,
      );
    }
  });

  // Names as firmwares have them, and harmless ones beside them. xiaozhi-esp32: main/mcp_server.cc and boards; ESPHome: button and switch platforms;
  // Shelly: RPC of the second generation.
  for (const [what, refused, passed] of [
    [
      'restarting and switching off',
      [
        'self.reboot',
        'Shelly.Reboot',
        'restart',
        'restarts',
        'restart_now',
        'rebootNow',
        'rebootnow',
        'schedule_restart',
        'shutdown',
        'shut-down',
        'restartcamera_light',
        'song_restart_app',
      ],
      ['restart_song', 'restartAnimation', 'timer_restart', 'motor_shutdown', 'start', 'boot_animation', 'firestarter'],
    ],
    [
      'power',
      ['power_off', 'PowerOff', 'poweroff', 'power.down', 'power_cycle', 'self.power.shutdown', 'turn_power_off', 'power_off_in'],
      ['power_led', 'power_led_off', 'servo_power_off', 'tv_power_off', 'power_off_screen', 'power', 'empower_offer', 'turn_off_lights'],
    ],
    [
      'resets and start-up',
      ['factory_reset', 'Shelly.FactoryReset', 'restore_factory_settings', 'soft_reset', 'hardReset', 'safe_mode', 'bootloader'],
      ['reset', 'reset_pose', 'counter_reset', 'factor', 'satisfactory'],
    ],
    [
      'streams',
      ['stream', 'streams', 'start_streaming', 'video_stream', 'led_stream', 'livestream', 'streamurl', 'h264stream'],
      ['streamer', 'streamer_lights', 'streamline', 'upstream', 'mainstream_mood'],
    ],
    [
      'camera and microphone',
      [
        'self.camera.take_photo',
        'self.camera.set_camera_flipped',
        'cameras',
        'cam_on',
        'webcam',
        'mic',
        'mics',
        'MIC_MUTE',
        'micOn',
        'microphone_gain',
      ],
      ['micro_step', 'microwave', 'mickey', 'comic', 'dynamic', 'camel_walk', 'campfire', 'photo_frame', 'picture'],
    ],
    [
      'networks and servers',
      [
        'WiFi.SetConfig',
        'wifi',
        'Wi-Fi',
        'wi_fi_join',
        'wifiscan',
        'scanwifi',
        'wlan0',
        'set_ssid',
        'server',
        'server_url',
        'servers',
        'webserver',
        'setServerUrl',
      ],
      ['observer', 'serve_tea', 'swift', 'wife', 'network_status'],
    ],
    ['pairing', ['pair', 'pairs', 'pair_now', 'enter_pairing_mode', 'paired', 'unpair'], ['repair', 'pear', 'impair', 'despair', 'pairwise']],
    [
      'programs of the robot',
      ['self.upgrade_firmware', 'firmwares', 'fw_update', 'ota', 'OTAUpdate', 'otaupdate', 'o.t.a', 'firmware-url'],
      ['total', 'rotate', 'quota', 'iota', 'notation', 'flash_lights', 'update_score'],
    ],
    [
      'apps',
      [
        'app',
        'apps',
        'App.Start',
        'app_start',
        'startapp',
        'open_apps',
        'application_list',
        'launch',
        'launches',
        'launcher',
        'relaunch',
        'launch_app',
      ],
      ['apple', 'apple_tv', 'appear', 'append', 'happy', 'approach', 'mapp_x', 'snap_photo', 'lunch', 'launchpad'],
    ],
    ["Perch's own robots", [], ['sticker', 'brightness', 'screen', 'power_led', 'ir_send']],
    [
      'other commands of firmwares',
      [],
      ['self.audio_speaker.set_volume', 'self.screen.set_brightness', 'self.screen.set_theme', 'self.otto.action', 'self.light.set_rgb'],
    ],
  ] as const)
    it(`are told from harmless ones: ${what}`, () => {
      assert.deepEqual(
        refused.filter((name) => !excludedCommand(name)),
        [],
      );
      assert.deepEqual(passed.filter(excludedCommand), []);
    });

  it('are refused in every spelling', () => {
    for (const word of excludedWords) {
      const [first, second = ''] = word.split('_') as [string, string?];
      const title = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
      const joined = first + second;
      for (const spelled of [
        ...[word, joined, joined.toUpperCase(), first + title(second), title(first) + title(second), `${first}-${second}`, `${first}.${second}`],
        ...[
          ` ${word} `,
          `x_${word}`,
          `${word}_x`,
          `do${title(first)}${title(second)}Now`,
          `${joined}2`,
          `2${joined}`,
          `self.${joined}`,
          `${joined}s`,
        ],
        ...[...joined].flatMap((_, at) => (at === 0 ? [] : [`${joined.slice(0, at)}_${joined.slice(at)}`])),
        [...joined].join('.'),
      ])
        assert.ok(excludedCommand(spelled), spelled);
    }
  });

  it('have names of at most 256 characters once each stands for itself; longer ones are refused', () => {
    assert.ok(excludedCommand('\ufdfa'.repeat(64)));
    assert.ok(!excludedCommand('\ud55c'.repeat(64)));
  });

  it('are refused with letters in other forms, marks and invisible characters', () => {
    for (const name of [
      '\uff52\uff45\uff42\uff4f\uff4f\uff54',
      '\u24e1\u24d4\u24d1\u24de\u24de\u24e3',
      '\u{1d42b}\u{1d41e}\u{1d41b}\u{1d428}\u{1d428}\u{1d42d}',
      'r\u00e9b\u00f4\u00f6t',
      're\u0301boot',
      'M\u0130C',
      '\ufb01rmware',
      ...['\u00ad', '\u034f', '\u061c', '\u180e', '\u200b', '\u200d', '\u202e', '\u2060', '\u3164', '\ufe0f', '\ufeff', '\u{e0061}', '\u{e0101}'].map(
        (invisible) => `re${invisible}boot`,
      ),
      ...['\0', '\t', '\u00a0', '\u2028', '\u30fb', '/', '::', '\u{1f916}'].map((separator) => `re${separator}boot`),
    ])
      assert.ok(excludedCommand(name), JSON.stringify(name));
  });
});
