/** All fleets of a run live in this process, which is not measured. */
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '../worker.js';
import type { Executed, ReportsOptions, RobotKind, RobotSeed } from './fleet.js';
import { FrameRobot } from './frame-robot.js';
import { MqttRobot } from './mqtt-robot.js';
import type { Dial, Picture, PlainRobot, Readings } from './plain-robot.js';
import { SocketIoRobot } from './socket-io-robot.js';

const dials: Record<RobotKind, (dial: Dial) => Promise<PlainRobot>> = {
  frames: (dial) => FrameRobot.dial(dial),
  'frames-png8': (dial) => FrameRobot.dial(dial, ['png8', 'png', 'jpeg']),
  'socket.io': (dial) => SocketIoRobot.dial(dial),
  mqtt: (dial) => MqttRobot.dial(dial),
};

/** Like real robots, a refused robot reconnects. */
const dialsMax = 20;
const dialAgainMs = 500;
const dialling = 64;
const pingMs = 15_000;

const fleets = new Map<number, PlainRobot[]>();
let fleetCount = 0;

async function connect(kind: RobotKind, urls: readonly string[], seeds: readonly RobotSeed[]): Promise<number> {
  const robots: PlainRobot[] = [];
  let next = 0;
  const dialer = async (): Promise<void> => {
    while (next < seeds.length) {
      const index = next++;
      const { id, token } = seeds[index]!;
      robots[index] = await dialled(kind, { url: urls[index % urls.length]!, robot: id, token });
    }
  };
  await Promise.all(Array.from({ length: Math.min(dialling, seeds.length) }, dialer));
  fleets.set(++fleetCount, robots);
  return fleetCount;
}

async function dialled(kind: RobotKind, dial: Dial): Promise<PlainRobot> {
  for (let tries = 1; ; tries++) {
    try {
      return await dials[kind](dial);
    } catch (error) {
      if (tries === dialsMax || !/\b503\b/.test(String(error))) throw error;
      await pause(dialAgainMs);
    }
  }
}

function join(fleet: number, other: number): number {
  robotsOf(fleet).push(...robotsOf(other));
  fleets.delete(other);
  return fleet;
}

function robotsOf(fleet: number): PlainRobot[] {
  return fleets.get(fleet) ?? [];
}

function executed(fleet: number): Executed {
  const bodies = robotsOf(fleet).map(({ body }) => body);
  return { perRobot: bodies.map((body) => body.executed), problems: bodies.flatMap(({ problem }) => problem ?? []).slice(0, 5) };
}

async function report(fleet: number, { perS, forMs }: ReportsOptions): Promise<number> {
  const robots = robotsOf(fleet);
  const startedAt = performance.now();
  let sent = 0;
  for (let elapsed = 0; elapsed < forMs; elapsed = performance.now() - startedAt) {
    for (const due = (elapsed * perS) / 1000; sent < due; sent++) robots[sent % robots.length]!.report(readings(sent));
    await pause(5);
  }
  return sent;
}

function readings(count: number): Readings {
  return {
    battery_pct: 50 + (count % 50),
    battery_v: 3.9,
    charging: false,
    light_lux: count % 1000,
    proximity_raw: count % 200,
    head_yaw_deg: (count % 200) - 100,
    head_pitch_deg: 30,
    head_moving: false,
    accel_x_g: 0.01,
    accel_y_g: 0.02,
    accel_z_g: 0.99,
    uptime_s: count,
    wifi_rssi_dbm: -60,
    heap_free_kb: 120,
  };
}

function takePictures(fleet: number): Picture[] {
  return robotsOf(fleet)
    .flatMap(({ body }) => body.pictures.splice(0))
    .toSorted((a, b) => a.at - b.at);
}

function tap(fleet: number): void {
  for (const robot of robotsOf(fleet)) robot.tap();
}

function disconnect(fleet: number): void {
  for (const robot of robotsOf(fleet)) robot.close();
  fleets.delete(fleet);
}

// In slices, so that pings are spread over time.
let pinged = 0;
const sliceMs = 250;
setInterval(() => {
  for (const robots of fleets.values()) {
    for (let index = pinged; index < robots.length; index += pingMs / sliceMs) robots[index]!.ping();
  }
  pinged = (pinged + 1) % (pingMs / sliceMs);
}, sliceMs).unref();

serve({ connect, join, executed, report, takePictures, tap, disconnect });
