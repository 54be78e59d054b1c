/** Entry point for browsers: the same core and link as in Node, without Node APIs or packages. */

export { BrowserRobot } from './browser-robot.js';
export { emotions, views, type Bubble, type Emotion, type View } from './body/face.js';
export { pair, PairingError, type PairOptions, type UserCode } from './connection/pairing.js';
export { systemClock, type Clock } from './clock.js';
export { LinkError, type Closed } from './connection/link-host.js';
export type { RobotEvents } from './robot-events.js';
export type { RobotOptions } from './options.js';
export type { RemoteButton, Tag } from './body/body.js';
export type { HeadGesture, HeadState } from './body/head.js';
export type { LedEffect, LedState } from './body/leds.js';
export type { OwnState, Sticker } from './commands/own-commands.js';
export type { Reading } from './body/sensors.js';
export type { Shown } from './body/screen.js';
export type { PlayEnd, Sound } from './body/speaker.js';
