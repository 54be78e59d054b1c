/** A simulated robot: implements the robot link, accepts simulated touches, and can inject faults. */

export { VirtualRobot } from './virtual-robot.js';
export { RobotCore } from './robot-core.js';
export type { RobotEvents } from './robot-events.js';
export { allFeatures, type CoreOptions, type RobotOptions } from './options.js';
export { Person, type PersonOptions } from './input/person.js';
export { pair, PairingError, type PairOptions, type UserCode } from './connection/pairing.js';
export { LinkError, type Closed } from './connection/link-host.js';
export type { ReconnectPace } from './connection/backoff.js';
export { Nack } from './commands/args.js';
export { defaultCommands, type OwnCommand, type OwnState, type Sticker } from './commands/own-commands.js';
export { burst, motions, type Burst, type Motion, type Sample } from './input/motion.js';
export { necFrame, necRepeat, type Reception } from './input/nec.js';
export { ndefText, ndefUri } from './input/ndef.js';
export { crc32 } from './body/crc32.js';
export { decodeFrame, encodeFrame, type MediaFrame } from './body/media-frame.js';
export { systemClock, type Clock } from './clock.js';
export type { LinkSocket, OpenSocket, SocketListener } from './connection/socket.js';
export type { FaultSettings } from './connection/faults.js';
export type { ReceivedCommand } from './commands/command-queue.js';
export type { Ack, Fields, Hello, Input, NackCode, Welcome } from './connection/messages.js';
export type { Pace, Press, RemoteButton, Tag } from './body/body.js';
export type { Cleared, Layer, Shown } from './body/screen.js';
export type { PlayEnd, Sound } from './body/speaker.js';
export type { LedEffect, LedState } from './body/leds.js';
export type { HeadState } from './body/head.js';
export type { Bubble, Emotion, View } from './body/face.js';
export type { Reading } from './body/sensors.js';
