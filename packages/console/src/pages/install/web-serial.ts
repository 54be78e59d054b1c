/** Serial ports of the browser (Web Serial), which TypeScript's DOM library lacks. */
import { baudRate, type ByteStreams, type RobotPort } from '@perch/installer';

interface SerialPort {
  readonly readable: ByteStreams['readable'] | null;
  readonly writable: ByteStreams['writable'] | null;
  open(options: { baudRate: number }): Promise<void>;
  close(): Promise<void>;
  getInfo(): { usbVendorId?: number; usbProductId?: number };
}

interface Serial {
  /** Asks the user. @throws {DOMException} NotFoundError if the user chose none */
  requestPort(): Promise<SerialPort>;
  getPorts(): Promise<SerialPort[]>;
}

function webSerial(): Serial | null {
  return (navigator as { serial?: Serial }).serial ?? null;
}

export function offersWebSerial(): boolean {
  return webSerial() !== null;
}

/** Must be called by a press. @returns null if the user chose no port */
export async function choosePort(): Promise<RobotPort | null> {
  const serial = webSerial();
  if (serial === null) return null;
  try {
    return robotPort(serial, await serial.requestPort());
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return null;
    throw error;
  }
}

function robotPort(serial: Serial, chosen: SerialPort): RobotPort {
  let port = chosen;
  let isRestarting = false;
  return {
    async open() {
      // A robot whose USB has no serial number of its own comes back as another port after its restart.
      const others = isRestarting ? (await serial.getPorts()).filter((other) => other !== port && isSameModel(other, port)) : [];
      for (const one of [port, ...others]) {
        try {
          await one.open({ baudRate });
          port = one;
          isRestarting = false;
          return { readable: one.readable!, writable: one.writable! };
        } catch (error) {
          if (one !== port) continue;
          if (!(error instanceof DOMException) || error.name !== 'NetworkError') throw error;
        }
      }
      throw new Error('the port could not be opened');
    },
    close: () => port.close(),
    restarting() {
      isRestarting = true;
    },
  };
}

function isSameModel(one: SerialPort, other: SerialPort): boolean {
  const { usbVendorId, usbProductId } = one.getInfo();
  const wanted = other.getInfo();
  return usbVendorId !== undefined && usbVendorId === wanted.usbVendorId && usbProductId === wanted.usbProductId;
}
