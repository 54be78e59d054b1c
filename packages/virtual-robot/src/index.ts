/** A robot without a robot: it speaks the robot link, can be touched like one, and can be made to fail. */

export { VirtualRobot } from './virtual-robot.js';
export { RobotCore, type RobotEvents } from './robot-core.js';
export { allFeatures, type CoreOptions, type RobotOptions } from './options.js';
export { Person, type PersonOptions } from './person.js';
export { pair, PairingError, type PairOptions, type UserCode } from './pairing.js';
export { LinkError, type Closed } from './link.js';
export type { ReconnectPace } from './backoff.js';
export { Nack } from './args.js';
export { defaultCommands, type OwnCommand, type OwnState, type Sticker } from './own-commands.js';
export { burst, motions, type Burst, type Motion, type Sample } from './motion.js';
export { necFrame, necRepeat, type Hearing } from './nec.js';
export { ndefText, ndefUri } from './ndef.js';
export { crc32 } from './crc32.js';
export { decodeFrame, encodeFrame, type MediaFrame } from './media-frame.js';
export { systemClock, type Clock } from './clock.js';
export type { LinkSocket, OpenSocket, SocketListener } from './socket.js';
export type { FaultSettings } from './faults.js';
export type { ReceivedCommand } from './command-queue.js';
export type { Ack, Fields, Hello, Input, NackCode, Welcome } from './messages.js';
export type { Pace, Press, RemoteButton, Tag } from './body.js';
export type { Cleared, Layer, Shown } from './screen.js';
export type { PlayEnd, Sound } from './speaker.js';
export type { LedEffect, LedState } from './leds.js';
export type { HeadState } from './head.js';
export type { Bubble, Emotion, View } from './face.js';
export type { Reading } from './sensors.js';
