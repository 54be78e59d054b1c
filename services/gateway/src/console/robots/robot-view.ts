import { robotUpdateStatus, type ConsoleRobot } from '@perch/schema';
import type { OwnersRobot } from '@perch/store';

/** @param now Redis ms */
export function robotViewOf(robot: OwnersRobot, now: number): ConsoleRobot {
  const { id, name, model, firmware, virtual, labels, settings, createdAt, online, lastSeenAt, batteryPct, showing, update } = robot;
  const seenAt = online ? now : lastSeenAt;
  const updates = robotUpdateStatus(firmware, update, now);
  return {
    id,
    name,
    online,
    model: model ?? '',
    firmware: firmware ?? '',
    virtual,
    labels,
    time_zone: settings.timeZone,
    volume_max: settings.volumeMax,
    quiet_hours: settings.quietHours,
    battery_pct: batteryPct,
    showing,
    last_seen: seenAt === null ? null : new Date(seenAt).toISOString(),
    created_at: new Date(createdAt).toISOString(),
    ...(updates && { update: updates }),
  };
}
