/** The device message of a robot (`<prefix>/device/<id>/config`), which Home Assistant reads from 2024.11 on. */
import type { Robot } from '@perch/client';
import { release } from '@perch/schema';
import type { Topics } from '../topics.js';
import { actionComponents, connectionComponents, eventComponents, ownComponents, sensorComponents, servedBy } from './components.js';
import type { Reported } from './readings.js';

export interface DeviceOptions {
  topics: Topics;
  /** The page of the device in Home Assistant links to it. */
  baseUrl: string;
}

/** Without features everything is announced. */
type AnnouncedRobot = Omit<Robot, 'features'> & { features?: Robot['features'] | undefined };

/** Neither is an entity: Home Assistant knows them by the device. */
const withoutId: ReadonlySet<string> = new Set(['device_automation', 'tag']);

export function deviceOf(robot: AnnouncedRobot, reported: Reported, { topics, baseUrl }: DeviceOptions): object {
  const { id, name, model, firmware, labels } = robot;
  const own = topics.robot(id);
  const components = {
    ...servedBy(robot, actionComponents(own)),
    ...ownComponents(own, robot),
    ...sensorComponents(own, reported),
    ...eventComponents(own),
    ...connectionComponents(own, topics.bridge),
  };
  return {
    device: {
      identifiers: [`perch_${id}`],
      name,
      manufacturer: 'Perch',
      serial_number: id,
      ...(isOpenToBrowsers(baseUrl) && { configuration_url: new URL(`robots/${id}`, `${baseUrl.replace(/\/$/, '')}/`).href }),
      ...(labels['room'] && { suggested_area: labels['room'] }),
      ...(model !== '' && { model }),
      ...(firmware !== '' && { sw_version: firmware }),
    },
    origin: { name: 'Perch MQTT bridge', sw_version: release },
    availability: [{ topic: topics.bridge }, { topic: own.availability }],
    availability_mode: 'all',
    components: Object.fromEntries(
      Object.entries(components).map(([key, component]) => [
        key,
        withoutId.has(component.platform) || Object.keys(component).length === 1
          ? component
          : { ...component, ...nameBeside(name, component['name']), unique_id: `perch_${id}_${key}` },
      ]),
    ),
  };
}

/** The address that the bridge uses may be one of a container network or of its own machine. */
function isOpenToBrowsers(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || (hostname.includes('.') && !hostname.startsWith('127.'));
}

/** Home Assistant shows the name of the device before that of the entity: of a robot called Head, "Head yaw" is "Yaw", not "Head Head yaw". */
function nameBeside(device: string, name: unknown): { name?: string | null } {
  if (typeof name !== 'string' || !`${name} `.toLowerCase().startsWith(`${device} `.toLowerCase())) return {};
  const rest = name.slice(device.length + 1);
  return { name: rest === '' ? null : `${rest[0]!.toUpperCase()}${rest.slice(1)}` };
}
