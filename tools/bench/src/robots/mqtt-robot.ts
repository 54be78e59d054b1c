/** MQTT 3.1.1, QoS 0. The robot answers on the topic named in the command. */
import { connect as connectTo, type Socket } from 'node:net';
import mqtt, { type Packet } from 'mqtt-packet';
import { Body, type Dial, type PlainRobot, type Readings, type RobotCommand } from './plain-robot.js';

interface MqttCommand extends RobotCommand {
  id: string;
  answerTo: string;
}

export class MqttRobot implements PlainRobot {
  readonly body = new Body();
  readonly #socket: Socket;
  readonly #id: string;

  private constructor(socket: Socket, id: string) {
    this.#socket = socket;
    this.#id = id;
  }

  /** @param dial its url is `mqtt://host:port` @throws if the broker refuses it */
  static dial({ url, robot: id, token }: Dial): Promise<MqttRobot> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const socket = connectTo({ host: hostname, port: Number(port), noDelay: true });
      const robot = new MqttRobot(socket, id);
      const parser = mqtt.parser({ protocolVersion: 4 });
      socket.on('connect', () =>
        robot.#send({
          cmd: 'connect',
          protocolId: 'MQTT',
          protocolVersion: 4,
          clean: true,
          clientId: id,
          keepalive: 45,
          username: id,
          password: Buffer.from(token),
        }),
      );
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the broker hung up')));
      socket.on('data', (data) => parser.parse(data));
      parser.on('error', reject);
      parser.on('packet', (packet: Packet) => {
        if (packet.cmd === 'connack' && packet.returnCode === 0) {
          robot.#send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `cmd/${id}`, qos: 0 }] });
        } else if (packet.cmd === 'connack') reject(new Error(`the broker refused: ${packet.returnCode}`));
        else if (packet.cmd === 'suback') resolve(robot);
        else if (packet.cmd === 'publish') robot.#command(JSON.parse(packet.payload.toString()) as MqttCommand);
      });
    });
  }

  report(values: Readings): void {
    this.#publish(`sensors/${this.#id}`, values);
  }

  ping(): void {
    this.#send({ cmd: 'pingreq' });
  }

  tap(): void {}

  close(): void {
    this.#socket.end();
  }

  #command(command: MqttCommand): void {
    this.body.execute(command);
    this.#publish(command.answerTo, { id: command.id, ok: true });
  }

  #publish(topic: string, payload: object): void {
    this.#send({ cmd: 'publish', topic, payload: JSON.stringify(payload), qos: 0, dup: false, retain: false });
  }

  #send(packet: Packet): void {
    this.#socket.write(mqtt.generate(packet));
  }
}
