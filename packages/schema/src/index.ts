/** The nouns of Perch: actions, errors, limits, events, readings, robots, and the messages of the robot link and between instances. */
export * from './color.js';
export * from './error.js';
export * from './event.js';
export * from './limits.js';
export * from './messages.js';
export * from './problem.js';
export * from './readings.js';
export * from './region.js';
export * from './robot.js';
