/** The service's side of the robot link without a service: for tests of robots, and for the conformance run. */
export { LinkServer, LinkSession, eventually, type Dial, type Message } from './link-server.js';
