import { closeCodes, eventNames, inputKinds, robotCommandNames, type InputKind, type RobotCommandName } from '@perch/schema';
import { linkConnectionMetrics } from './connection-metrics.js';
import type { MetricRows } from './metric-row.js';

type CloseLabel = `${keyof typeof closeCodes}` | 'other';
const closeLabels: readonly CloseLabel[] = [...(Object.keys(closeCodes) as `${keyof typeof closeCodes}`[]), 'other'];
const commandLabels: readonly (RobotCommandName | 'other')[] = [...robotCommandNames, 'other'];
const inputLabels: readonly (InputKind | 'unknown')[] = [...inputKinds, 'unknown'];
const temperatures = ['head_yaw', 'head_pitch', 'chip'] as const;

export const linkMetrics = {
  ...linkConnectionMetrics,
  perch_link_sessions: { type: 'gauge', labels: {}, help: 'Robots connected to this instance.' },
  perch_link_greetings: { type: 'gauge', labels: {}, help: 'Connections whose handshake is not complete: no session yet.' },
  perch_link_farewells: { type: 'gauge', labels: {}, help: 'Disconnected robots whose lease has not been released in Redis yet.' },
  perch_link_open_commands: { type: 'gauge', labels: {}, help: 'Commands queued for robots, or sent and not acknowledged yet.' },
  perch_link_open_waits: { type: 'gauge', labels: {}, help: 'Open questions, menus and clickmaps of robots connected to this instance.' },
  perch_link_subscriptions: { type: 'gauge', labels: {}, help: 'Redis channels subscribed to.' },
  perch_link_sessions_opened_total: {
    type: 'counter',
    labels: { reason: ['start', 'restart', 'reconnect'] },
    help: 'Sessions of robots that began, by the reason that the robot gives in its hello.',
  },
  perch_link_sessions_closed_total: {
    type: 'counter',
    labels: { code: closeLabels },
    help: 'Sessions of robots that ended, by WebSocket close code (docs/robot-link.md); other for codes that the robot link does not define, such as a lost connection.',
  },
  perch_link_sessions_orphaned_total: {
    type: 'counter',
    labels: {},
    help: 'Robots that connected to this instance after their previous robot-link ended, or lost its heartbeat, without handing them over.',
  },
  perch_link_sessions_moved_total: {
    type: 'counter',
    labels: {},
    help: 'Robots sent to other robot-links with close code 4009 because this instance held more than its share. Drains do not count.',
  },
  perch_link_commands_total: {
    type: 'counter',
    labels: {
      name: commandLabels,
      outcome: ['ack', 'nack', 'no_ack', 'late', 'busy', 'replaced', 'media_missing', 'unsent', 'unknown', 'refused'],
    },
    help: 'Commands for robots, by name and outcome.',
  },
  perch_link_ack_seconds: {
    type: 'histogram',
    labels: {},
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    help: 'Time from writing a command to the socket of a robot to its ack.',
  },
  perch_link_command_delivery_seconds: {
    type: 'histogram',
    labels: { name: commandLabels },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    help: 'Time from the arrival of a call at the gateway to its first command being written to the socket of the robot. The time that the robot takes is not part of it.',
  },
  perch_link_upgrades_refused_total: {
    type: 'counter',
    labels: { status: ['400', '401', '404', '429', '503', 'other'] },
    help: 'Connections refused before the WebSocket upgrade, by HTTP status.',
  },
  perch_link_inputs_total: {
    type: 'counter',
    labels: { kind: [...inputLabels, 'unreadable'] },
    help: 'Raw inputs received, by kind.',
  },
  perch_link_events_total: { type: 'counter', labels: { name: eventNames }, help: 'Events stored, by name.' },
  perch_link_waits_total: {
    type: 'counter',
    labels: { kind: ['ask', 'menu', 'clickmap'], outcome: ['answered', 'timed_out', 'replaced', 'cancelled', 'failed'] },
    help: 'Questions, menus and clickmaps that this instance ended, by outcome.',
  },
  perch_link_sounds_total: {
    type: 'counter',
    labels: { reason: ['end', 'stopped', 'underrun', 'replaced', 'refused', 'gone'] },
    help: 'Sounds that ended, by reason.',
  },
  perch_link_robot_updates_total: {
    type: 'counter',
    labels: { outcome: ['installed', 'failed', 'unsigned', 'foreign', 'changed', 'lower', 'early'] },
    help: 'Updates of robot programs that ended, by outcome. The robot refused the last five: without a signature, with a key it does not know, not what was signed, lower than its version, not for so low a version.',
  },
  perch_link_readings_dropped_total: { type: 'counter', labels: {}, help: 'Readings dropped because they were out of range or had an unknown name.' },
  perch_link_inputs_dropped_total: {
    type: 'counter',
    labels: {},
    help: 'Finished gestures that were lost because Redis could not be reached for too long.',
  },
  perch_link_inputs_unreadable_total: {
    type: 'counter',
    labels: { kind: inputLabels },
    help: 'Inputs that were acknowledged without effect because a field was not valid, by the kind they claim to be.',
  },
  perch_link_messages_unreadable_total: {
    type: 'counter',
    labels: { type: ['ack', 'sensors', 'flow', 'play_done', 'log', 'update_failed'] },
    help: 'Messages other than inputs that were dropped because a field was not valid, by type.',
  },
  perch_link_instance_messages_unreadable_total: {
    type: 'counter',
    labels: { reason: ['batch', 'version', 'type', 'shape'] },
    help: 'Messages from other instances that this release cannot read, by reason. They are answered with not_here.',
  },
  perch_link_log_lines_total: {
    type: 'counter',
    labels: { outcome: ['kept', 'over_limit', 'failed'] },
    help: 'Log lines received from robots: kept, dropped over the rate limit, or lost because Redis failed.',
  },
  perch_link_store_errors_total: {
    type: 'counter',
    labels: { at: ['take', 'release', 'save', 'playing', 'reply', 'displace', 'input', 'token', 'pairing', 'log', 'card', 'settings'] },
    help: 'Redis calls of the robot-link that failed, by operation.',
  },
  perch_link_robots_by_state: {
    type: 'gauge',
    labels: { state: ['asking', 'playing', 'moving', 'showing', 'idle'] },
    help: 'Robots connected to this instance by activity. Each counts once, under the first that applies: asking, playing, moving, showing, idle.',
  },
  perch_link_robots_by_model: {
    type: 'gauge',
    labels: { model: null },
    help: 'Robots connected to this instance by model: the 20 most frequent by name, the others as other. New names are added slowly, the most frequent first.',
  },
  perch_link_robots_by_firmware: {
    type: 'gauge',
    labels: { firmware: null },
    help: 'Robots connected to this instance by firmware: the 20 most frequent by name, the others as other. New names are added slowly, the most frequent first.',
  },
  perch_link_battery_ratio: {
    type: 'histogram',
    labels: {},
    buckets: [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
    help: 'Battery charge of robots, observed at each of their reports; 1 is full.',
  },
  perch_link_wifi_rssi_dbm: {
    type: 'histogram',
    labels: {},
    buckets: [-90, -85, -80, -75, -70, -65, -60, -50, -40],
    help: 'Wi-Fi signal strength of robots, observed at each of their reports.',
  },
  perch_link_temperature_celsius: {
    type: 'histogram',
    labels: { sensor: temperatures },
    buckets: [10, 20, 30, 40, 50, 55, 60, 65, 70, 80, 90],
    help: 'Temperatures of robots by sensor, observed at each of their reports.',
  },
  perch_link_free_heap_bytes: {
    type: 'histogram',
    labels: {},
    buckets: [8e3, 16e3, 32e3, 64e3, 128e3, 256e3, 512e3, 1e6, 4e6],
    help: 'Free heap memory of robots, observed at each of their reports.',
  },
} as const satisfies MetricRows;

/** Metrics of single robots, served at /metrics/robots only (PERCH_METRICS_ROBOTS). */
export const robotMetrics = {
  perch_robot_up: { type: 'gauge', labels: { account: null, robot: null }, help: '1 while the robot is connected to this instance.' },
  perch_robot_battery_ratio: { type: 'gauge', labels: { account: null, robot: null }, help: 'Battery charge last reported by the robot; 1 is full.' },
  perch_robot_wifi_rssi_dbm: { type: 'gauge', labels: { account: null, robot: null }, help: 'Wi-Fi signal strength last reported by the robot.' },
  perch_robot_temperature_celsius: {
    type: 'gauge',
    labels: { account: null, robot: null, sensor: temperatures },
    help: 'Temperatures last reported by the robot, by sensor.',
  },
  perch_robot_free_heap_bytes: { type: 'gauge', labels: { account: null, robot: null }, help: 'Free heap memory last reported by the robot.' },
  perch_robot_acks_total: {
    type: 'counter',
    labels: { account: null, robot: null, outcome: ['ack', 'nack', 'no_ack'] },
    help: 'Commands sent to the robot in its current session, by outcome: acknowledged, refused, or not acknowledged in time.',
  },
} as const satisfies MetricRows;
