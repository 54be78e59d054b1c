/** A robot's token is checked before the upgrade to the robot link, and never accepted in a URL. Serves the two requests of pairing, too. */
import { closeNow, hasSeveralHosts, listen, sha256, takeHostOfTarget, targetOf } from '@perch/runtime';
import { linkPath, linkProtocol, linkTokenProtocolPrefix, limits } from '@perch/schema';
import { StoreError } from '@perch/store';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type Server as SocketsOf } from 'ws';
import { noteFailure } from '../metrics/link-metrics.js';
import type { ConnectionContext } from './session-registry.js';
import type { ConnectionLimits } from '../http/connection-limits.js';
import { Handshake, type RobotIdentity } from './handshake.js';
import { programPath } from '../http/robot-program.js';
import { answerFailure, failure, refuseUpgrade, type Failure } from '../http/json-answer.js';
import type { PairingHandler } from './pairing.js';
import { RobotSocket, type SocketEvents } from '../session/robot-socket.js';

/** ws refuses larger frames without reading them; text above `textBytesMax` is refused by `messageHandler`. */
const payloadBytesMax = 64 * 1024;
const closeTimeoutMs = 3000;

const severalHosts = failure('bad_argument', 'The request has more than one Host header. Send one.');
const draining = failure('draining', 'This instance is shutting down. Connect again.', { retryAfterS: 1 });

export class SocketServer {
  readonly #context: ConnectionContext;
  readonly #limits: ConnectionLimits;
  readonly #pairing: PairingHandler;
  readonly http: Server;
  readonly #sockets: SocketsOf<typeof RobotSocket>;
  readonly #events: SocketEvents;
  #accepting = false;

  /** @param keepAliveMs how long a connection stays open between two requests; robots' sockets have no requests */
  constructor(context: ConnectionContext, connectionLimits: ConnectionLimits, pairing: PairingHandler, keepAliveMs: number) {
    this.#context = context;
    this.#limits = connectionLimits;
    this.#pairing = pairing;
    // A handshake or request that has not arrived completely within 10 s is closed.
    const [arrivesMs, connectionsCheckingInterval] = [9_000, 1_000];
    this.http = createServer({
      noDelay: true,
      requestTimeout: arrivesMs,
      headersTimeout: arrivesMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval,
    });
    this.http.on('request', (request, response) => void this.#onRequest(request, response));
    this.http.on('upgrade', (request, socket, head) => void this.#onUpgrade(request, socket, head));
    this.http.on('clientError', (_error, socket) => socket.destroy());
    const options = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: payloadBytesMax,
      closeTimeout: closeTimeoutMs,
      WebSocket: RobotSocket,
      handleProtocols: (): string => linkProtocol,
    };
    this.#sockets = new WebSocketServer(options);
    // ws itself would refuse with HTML.
    this.#sockets.on('wsClientError', (error, socket) => {
      this.#context.metrics.upgradeRefused(400);
      refuseUpgrade(socket, failure('bad_argument', `Not a valid WebSocket handshake: ${error.message}.`));
    });
    this.#events = socketEvents(context);
  }

  /** @returns the URL that robots dial: `ws://host:port/robot/v1/link` */
  async listen(host: string, port: number): Promise<string> {
    const address = await listen(this.http, host, port);
    this.#accepting = true;
    return address.replace(/^http/, 'ws') + linkPath;
  }

  refuse(): void {
    this.#accepting = false;
  }

  async close(): Promise<void> {
    this.#accepting = false;
    await closeNow(this.http);
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { path } = targetOf(request);
      if (hasSeveralHosts(request)) {
        response.setHeader('connection', 'close');
        return answerFailure(response, severalHosts);
      }
      this.#context.addresses.noteHeader(request);
      takeHostOfTarget(request);
      if (path === linkPath) {
        response.setHeader('upgrade', 'websocket');
        return answerFailure(
          response,
          failure('bad_argument', `This is a WebSocket endpoint: connect with the subprotocol ${linkProtocol}.`, { status: 426 }),
        );
      }
      if (path.startsWith(programPath)) {
        const waitS = await this.#limits.program(request);
        if (waitS === null) return this.#context.program.answer(request, response, path);
        return answerFailure(response, failure('rate_limited', 'Too many downloads from your network.', { retryAfterS: waitS }));
      }
      if (path !== '/robot/v1/pair' && path !== '/robot/v1/pair/token')
        return answerFailure(response, failure('not_found', `There is nothing at ${path}.`));
      if (request.method !== 'POST') {
        response.setHeader('allow', 'POST');
        return answerFailure(response, failure('method_not_allowed', `${path} takes POST only.`));
      }
      const refusal = this.#pairing.refusal(request);
      if (refusal !== null) return answerFailure(response, refusal);
      if (!this.#accepting) return answerFailure(response, draining);
      await (path === '/robot/v1/pair' ? this.#pairing.begin(request, response) : this.#pairing.poll(request, response));
    } catch (error) {
      // The client may have disconnected in the middle of its body.
      if (!request.destroyed || request.complete) this.#context.log.error({ err: error }, 'a request failed');
      if (response.headersSent) response.destroy();
      else answerFailure(response, failure('internal', 'Something went wrong in the service.'));
    }
  }

  async #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', ignore);
    let answer: RobotIdentity | Failure | null;
    this.#context.addresses.noteHeader(request);
    try {
      answer = await this.#admit(request, socket);
    } catch (error) {
      noteFailure(this.#context, 'token', error);
      const problem = error instanceof StoreError ? error.storageProblem : 'Something went wrong in the service.';
      answer = failure('service_unavailable', problem, { retryAfterS: 1 });
    }
    if (answer === null || socket.destroyed) return;
    // The drain may have begun meanwhile, and would not end a session opened now.
    if (!this.#accepting && (!('status' in answer) || answer === draining)) return this.#sendElsewhere(request, socket, head);
    if ('status' in answer) {
      this.#context.metrics.upgradeRefused(answer.status);
      return refuseUpgrade(socket, answer);
    }
    const robot = answer;
    socket.off('error', ignore);
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.events = this.#events;
      new Handshake(robot, webSocket, this.#context);
    });
  }

  /** Closes with 4009, without a look-up, so that the robot dials again at once: after an HTTP 503 it would wait, and a load balancer may be late. */
  #sendElsewhere(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.off('error', ignore);
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      this.#context.metrics.closed(4009);
      webSocket.close(4009, 'draining');
    });
  }

  /** @returns the robot, or why it is refused; null if the connection broke meanwhile */
  async #admit(request: IncomingMessage, socket: Duplex): Promise<RobotIdentity | Failure | null> {
    const { path } = targetOf(request);
    if (hasSeveralHosts(request)) return severalHosts;
    if (path !== linkPath) return failure('not_found', `There is nothing at ${path}.`);
    if (request.url?.includes('?') === true)
      return failure('bad_argument', 'The URL of the robot link takes no query. Send the token in the header Authorization: Bearer <token>.');
    const protocols = String(request.headers['sec-websocket-protocol'] ?? '')
      .split(',')
      .map((protocol) => protocol.trim());
    if (!protocols.includes(linkProtocol)) return failure('bad_argument', `Offer the WebSocket subprotocol ${linkProtocol}.`);
    if (!this.#accepting) return draining;
    const { registry, handshakes, store } = this.#context;
    if (this.#limits.isFull(registry.handshakeCount + handshakes.pendingCount))
      return failure('service_unavailable', 'Too many robots are connecting at once.', { retryAfterS: 5 });
    const token = tokenOf(request, protocols);
    if (token === null)
      return failure(
        'unauthorized',
        `No robot token: send Authorization: Bearer <token>, or from a browser the subprotocol ${linkTokenProtocolPrefix}<token>.`,
      );
    const lookupS = await this.#limits.lookup(request);
    if (lookupS !== null) return failure('rate_limited', 'Too many connections from your network.', { retryAfterS: lookupS });

    const robot = await handshakes(() => (socket.destroyed || !this.#accepting ? undefined : store.robots.byToken(token)));
    if (robot === undefined) return this.#accepting ? null : draining;
    if (robot === null) {
      const wrongS = await this.#limits.wrongToken(request);
      if (wrongS !== null) return failure('rate_limited', 'Too many wrong tokens from your network.', { retryAfterS: wrongS });
      return failure('unauthorized', 'Not a valid robot token. Pair the robot again.');
    }
    const dialS = await this.#limits.dial(robot.id);
    if (dialS !== null) return failure('rate_limited', 'This robot connects too often.', { retryAfterS: dialS });
    return { id: robot.id, tokenHash: sha256(token) };
  }
}

function tokenOf(request: IncomingMessage, protocols: string[]): string | null {
  const header = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (header !== undefined) return header;
  const protocol = protocols.find((offered) => offered.startsWith(linkTokenProtocolPrefix));
  return protocol === undefined || protocol === linkTokenProtocolPrefix ? null : protocol.slice(linkTokenProtocolPrefix.length);
}

/** An exception ends the session of that robot only. */
function socketEvents({ log }: ConnectionContext): SocketEvents {
  return {
    message(socket, data, isBinary) {
      const { owner } = socket;
      // A socket that is closing still delivers messages that were in flight.
      if (owner === null || socket.readyState !== RobotSocket.OPEN) return;
      try {
        if (isBinary) owner.close(4400, 'binary frames are not accepted');
        else if (data.length > limits.link.textBytesMax) owner.close(4008, 'message too large');
        else owner.onText(data.toString('utf8'));
      } catch (error) {
        log.error({ err: error, robot: owner.robot }, 'message of a robot not handled');
        owner.close(1011, 'internal error');
      }
    },
    control({ owner, readyState }, data) {
      if (readyState === RobotSocket.OPEN) owner?.onControl(data.length);
    },
    closed({ owner }, code) {
      owner?.onClosed(code);
    },
  };
}

function ignore(): void {}
