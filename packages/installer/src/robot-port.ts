/** A serial port that can be opened again after the robot has restarted. A port of Web Serial fits after `open` with a baud rate. */
export interface RobotPort {
  /** An error other than an InstallError counts as port_busy. */
  open(): Promise<ByteStreams>;
  close(): Promise<void>;
  /** The robot is about to restart, after which it may have another port of the system. */
  restarting?(): void;
}

export interface ByteStreams {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
}

/** USB ignores it; ports of UART bridges do not. */
export const baudRate = 115_200;
