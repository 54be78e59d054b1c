/** The device message of a robot (`<prefix>/device/<id>/config`), which Home Assistant reads from 2024.11 on. */
import type { Readings, Robot } from '@perch/client';
import { release } from '@perch/schema';
import type { Topics } from '../topics.js';
import { actionComponents, connectionComponents, eventComponents, sensorComponents } from './components.js';

export interface DeviceOptions {
  topics: Topics;
  /** The page of the device in Home Assistant links to it. */
  baseUrl: string;
}

/** Neither is an entity: Home Assistant knows them by the device. */
const withoutId: ReadonlySet<string> = new Set(['device_automation', 'tag']);

export function deviceOf({ id, name, model, firmware }: Robot, readings: Readings, { topics, baseUrl }: DeviceOptions): object {
  const own = topics.robot(id);
  const components = {
    ...actionComponents(own),
    ...sensorComponents(own, readings),
    ...eventComponents(own),
    ...connectionComponents(own, topics.bridge),
  };
  return {
    device: {
      identifiers: [`perch_${id}`],
      name,
      manufacturer: 'Perch',
      // The address of a Perch in the same network, without TLS, may not be one that browsers reach.
      ...(/^https:/i.test(baseUrl) && { configuration_url: baseUrl }),
      ...(model !== '' && { model }),
      ...(firmware !== '' && { sw_version: firmware }),
    },
    origin: { name: 'Perch MQTT bridge', sw_version: release },
    availability: [{ topic: topics.bridge }, { topic: own.availability }],
    availability_mode: 'all',
    components: Object.fromEntries(
      Object.entries(components).map(([key, component]) => [
        key,
        withoutId.has(component.platform) ? component : { ...component, unique_id: `perch_${id}_${key}` },
      ]),
    ),
  };
}
