import { eventNames, eventTable, type EventName } from '@perch/schema';
import { fieldTable, type Schema } from './field-rows.js';
import { block, generatedNote, page } from './markdown.js';

/** Data of one event each, as a robot's events have it. */
export const eventExamples: Readonly<Record<EventName, Readonly<Record<string, unknown>>>> = {
  tap: { x: 160, y: 120 },
  long_press: { x: 160, y: 120 },
  pat: { ms: 240 },
  pet: { seconds: 1.6 },
  stroke: { direction: 'forward' },
  shaken: {},
  picked_up: {},
  near: {},
  away: {},
  tag: { uid: '04a2b9c1d25e80', type: 'NTAG213', text: 'https://example.org/tea' },
  tag_removed: { uid: '04a2b9c1d25e80' },
  remote: { address: 4, command: 8 },
  button: { press: 'short' },
  plugged: {},
  unplugged: {},
  connected: {},
  answered: { wait: 'wt-7k2m9qx4tb-mb1x2k9q-3v8n1c5d7f9g2h4j', action: 'ask', outcome: 'answered', index: 0, answer: 'Yes' },
};

/** The page of all events: when each happens, its data, and an example. */
export function eventsPage(): string {
  return page(
    'Events',
    'What people do at a robot, and what becomes of its connection and its questions. Read events with [`events`](actions/events.md), as a stream or with a [webhook](../programs.md#events). Each is:',
    block('json', JSON.stringify({ seq: 42, name: 'tap', data: eventExamples.tap, at: '2026-12-24T18:00:00.000Z' })),
    generatedNote,
    ...eventNames.flatMap(sectionOf),
  );
}

function sectionOf(name: EventName): string[] {
  const { group, meaning, data } = eventTable[name];
  const properties = data as Readonly<Record<string, Schema>>;
  const required = Object.keys(properties).filter((field) => !('~optional' in properties[field]!));
  const about = `${meaning} Group: ${group}.`;
  if (Object.keys(properties).length === 0) return [`## ${name}`, `${about} Without data.`];
  return [`## ${name}`, `${about} Data, such as \`${JSON.stringify(eventExamples[name])}\`:`, fieldTable({ properties, required })];
}
