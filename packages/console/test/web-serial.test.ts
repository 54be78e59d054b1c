import assert from 'node:assert/strict';
import { choosePort } from '../src/pages/install/web-serial.js';

interface FakePort {
  isThere: boolean;
  isOpen: boolean;
  open(): Promise<void>;
  close(): Promise<void>;
  getInfo(): object;
}

function fakePort(usbProductId: number): FakePort {
  return {
    isThere: true,
    isOpen: false,
    async open() {
      if (!this.isThere) throw new DOMException('it is not there', 'NetworkError');
      this.isOpen = true;
    },
    async close() {
      this.isOpen = false;
    },
    getInfo: () => ({ usbVendorId: 0x303a, usbProductId }),
  };
}

describe('the port that the person chose', () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  afterEach(() => {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'navigator');
    else Object.defineProperty(globalThis, 'navigator', before);
  });

  async function choose(chosen: FakePort, ...others: FakePort[]) {
    const serial = { requestPort: async () => chosen, getPorts: async () => [...others, chosen] };
    Object.defineProperty(globalThis, 'navigator', { value: { serial }, configurable: true });
    return (await choosePort())!;
  }

  it('opens no other port, unless the robot restarts', async () => {
    const [chosen, other] = [fakePort(1), fakePort(1)];
    const port = await choose(chosen, other);
    chosen.isThere = false;
    await assert.rejects(port.open());
    assert.equal(other.isOpen, false);
  });

  it('may have another name after a restart, but is of the same model', async () => {
    const [chosen, modem, again] = [fakePort(1), fakePort(2), fakePort(1)];
    const port = await choose(chosen, modem, again);
    await port.open();
    await port.close();
    port.restarting!();
    chosen.isThere = false;
    await port.open();
    assert.deepEqual([modem.isOpen, again.isOpen], [false, true]);
  });
});
