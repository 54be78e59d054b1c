/** Installs the robot program of `robots/micropython` on a robot through a serial port, in browsers and in Node. */
export { InstallError, type InstallErrorCode } from './install-error.js';
export {
  installRobot,
  recogniseRobot,
  restartRobot,
  type FirstReport,
  type Installed,
  type InstallOptions,
  type InstallProgress,
  type InstallStep,
} from './install-robot.js';
export { hasIpAddress, linkUrlOf, type LinkUrl } from './link-url.js';
export { programFiles, type ProgramFile } from './program-files.js';
export { requireSignature, signedProgramFiles, signedProgramOf, type SignedProgram } from './signed-program.js';
export { readVersions, type Firmware, type FirmwareState, type Wifi } from './robot-device.js';
export { baudRate, type ByteStreams, type RobotPort } from './robot-port.js';
