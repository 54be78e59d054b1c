/** Robots whose inputs carry fields that do not fit: each must be acknowledged, and the session stay open. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotUnreadableInput = misbehavingRobots('robot-unreadable-input', 'unreadable-input');
