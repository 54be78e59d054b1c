/** Plays a script against a robot on the link, and grades it by the sentences of docs/robot-link.md. */
export { badgeOf, gradeRobot, type Badge, type ConformanceReport } from './grade-robot.js';
export { checks, type CheckResult } from './checks.js';
export { quarterPicture, quarters, type Quarter } from './pictures.js';
