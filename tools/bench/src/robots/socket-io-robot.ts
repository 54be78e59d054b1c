/** Implements engine.io 4 and socket.io 5 over a bare WebSocket: socket.io's own client would use more of the machine than the measured servers. */
import { WebSocket } from 'ws';
import { Body, type Dial, type PlainRobot, type Readings, type RobotCommand } from './plain-robot.js';

/** One character each, of both protocols. */
const open = '0';
const ping = '2';
const pong = '3';
const message = '4';
const connect = '0';
const event = '2';
const ack = '3';
const refused = '4';

export class SocketIoRobot implements PlainRobot {
  readonly body = new Body();
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** @throws if the server refuses it */
  static dial({ url, robot: id, token }: Dial): Promise<SocketIoRobot> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${url}/socket.io/?EIO=4&transport=websocket`, { perMessageDeflate: false });
      const robot = new SocketIoRobot(socket);
      socket.on('error', reject);
      socket.on('close', (code) => reject(new Error(`socket.io closed with ${code}`)));
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        if (text[0] === open) socket.send(`${message}${connect}${JSON.stringify({ robot: id, token })}`);
        else if (text[0] === ping) socket.send(pong);
        else if (text.startsWith(message + event)) robot.#event(text.slice(2));
        else if (text.startsWith(message + connect)) resolve(robot);
        else if (text.startsWith(message + refused)) reject(new Error(`socket.io refused: ${text}`));
      });
    });
  }

  report(values: Readings): void {
    this.#socket.send(`${message}${event}${JSON.stringify(['sensors', values])}`);
  }

  /** The server pings. */
  ping(): void {}

  tap(): void {}

  close(): void {
    this.#socket.close();
  }

  #event(text: string): void {
    const bracket = text.indexOf('[');
    const [, command] = JSON.parse(text.slice(bracket)) as [string, RobotCommand];
    this.body.execute(command);
    this.#socket.send(`${message}${ack}${text.slice(0, bracket)}[{"ok":true}]`);
  }
}
