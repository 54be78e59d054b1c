import type { RobotReport } from '../../src/metrics/robots-page.js';

export function reportedRobot(robot: string, more: Partial<RobotReport> = {}): RobotReport {
  const readings = {
    battery_pct: 81,
    wifi_rssi_dbm: -58,
    heap_free_kb: 148,
    head_yaw_temp_c: 41,
    head_pitch_temp_c: 43,
    chip_temp_c: 46.5,
    charging: true,
  };
  return { account: 'a-1', robot, readings, acks: { ack: 7, nack: 1, no_ack: 0 }, isOver: false, ...more };
}

export function reportedRobots(count: number): RobotReport[] {
  return Array.from({ length: count }, (_, i) => reportedRobot(`r-${i}`));
}
