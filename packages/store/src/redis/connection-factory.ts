import tls, { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { Cluster, Redis, type ClusterOptions, type RedisOptions, Command } from 'ioredis';
import type { RedisAddress } from './redis-address.js';
import { isNoMaster, refusalOf } from './refused.js';
import { redisScripts } from './scripts.js';
import type { Socket } from 'node:net';

/** PEM texts. */
export interface RedisTls {
  ca?: string | null;
  cert?: string | null;
  key?: string | null;
}

type ConnectionFactory = (options: RedisOptions) => Redis | Cluster;

/** Idle connections are forgotten by firewalls and NAT gateways, some after 20 s. */
const keepAliveMs = 10_000;

const reconnectDelayMs = (times: number): number => Math.min(50 * times, 500);
/** Redis at its maxclients accepts a connection before it refuses it: without a pause the instances take each place that somebody else needs. */
const refusedDelayMs = [2000, 5000] as const;
const refusedForMs = 5000;
/** An unresponsive Sentinel or master must not delay a failover for ioredis' default of 10 s. */
const sentinelConnectMs = 2000;

/** @param onRefused called with each error that a server answers, on any of the connections */
export function connectionFactory(
  address: RedisAddress,
  tls: RedisTls,
  sentinelPassword: string | null,
  onRefused: (error: Error) => void,
): ConnectionFactory {
  readSocketsBeforeLimits();
  let refusedAt = -Infinity;
  const delayMs = (times: number): number => {
    const [min, max] = refusedDelayMs;
    return performance.now() - refusedAt < refusedForMs ? min + Math.random() * (max - min) : reconnectDelayMs(times);
  };
  reportRefusedConnections();
  const security = address.isTls ? { tls: forRedisSockets(tlsOptions(tls)) } : {};
  const refused = (error: Error): void => {
    if (refusalOf(error) === 'maxclients') refusedAt = performance.now();
    onRefused(error);
  };
  const common: RedisOptions = {
    ...security,
    keepAlive: keepAliveMs,
    // True would reconnect this connection alone; 2 would also send the refused command again.
    reconnectOnError(error) {
      refused(error);
      return false;
    },
  };
  switch (address.kind) {
    case 'single':
      return singleFactory(address, { ...common, retryStrategy: delayMs });
    case 'sentinel':
      return sentinelFactory(address, { ...common, retryStrategy: delayMs }, sentinelPassword);
    case 'cluster':
      return clusterFactory(address, common, { refused, delayMs });
  }
}

/** The server certificate is always verified against the name or address dialled. */
export function tlsOptions({ ca, cert, key }: RedisTls): ConnectionOptions {
  return { rejectUnauthorized: true, ...(ca ? { ca } : {}), ...(cert && key ? { cert, key } : {}) };
}

function singleFactory({ url }: RedisAddress, common: RedisOptions): ConnectionFactory {
  return (options) => new Redis(url, { ...options, ...common, scripts: redisScripts } as Omit<RedisOptions, 'replyMapping'>);
}

function sentinelFactory({ nodes, credentials, master, db }: RedisAddress, common: RedisOptions, sentinelPassword: string | null): ConnectionFactory {
  const own: RedisOptions = {
    ...common,
    sentinels: nodes,
    name: master,
    role: 'master',
    db,
    ...credentials,
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(common.tls === undefined ? {} : { sentinelTLS: common.tls, enableTLSForSentinelMode: true }),
    connectTimeout: sentinelConnectMs,
    sentinelCommandTimeout: sentinelConnectMs,
    sentinelRetryStrategy: reconnectDelayMs,
  };
  return (options) => new Redis({ ...options, ...own, scripts: redisScripts } as Omit<RedisOptions, 'replyMapping'>);
}

interface ClusterHooks {
  refused: (error: Error) => void;
  delayMs: (times: number) => number;
}

function clusterFactory({ nodes, credentials, isTls }: RedisAddress, common: RedisOptions, { refused, delayMs }: ClusterHooks): ConnectionFactory {
  return ({ enableOfflineQueue, ...redisOptions }) => {
    const cluster: Cluster = new Cluster(nodes, {
      shardedSubscribers: true,
      enableOfflineQueue: enableOfflineQueue ?? false,
      scripts: redisScripts,
      // A value above 0 resends commands after a failover, so that they may run twice.
      retryDelayOnFailover: 0,
      clusterRetryStrategy: delayMs,
      redisOptions: {
        ...redisOptions,
        ...credentials,
        ...common,
        // The connection to this node is replaced, once the client knows again which nodes are masters.
        reconnectOnError(error: Error) {
          refused(error);
          if (!isNoMaster(error)) return false;
          setImmediate(() => cluster.refreshSlotsCache());
          return 1;
        },
      },
      // A certificate is verified against the known name of the node, so names must not be resolved first.
      ...(isTls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
    } as Omit<ClusterOptions, 'redisOptions'>);
    return cluster;
  };
}

// Makes ioredis report why a server refused a connection. Redis at its maxclients replies to the connection itself and closes it. ioredis takes the reply
// for that to its first command, whose error it ignores, or does not read it, because one of its further commands fails before.

/** networking.c of Redis 7.0 and 8.0: also the reply of a server in protected mode. Over TLS the server closes without a reply. */
const refusal = /^-((?:ERR max number of clients|DENIED)[^\r\n]*)/;

interface ConnectedRedis {
  stream: Socket;
  options: Redis['options'];
}

type SetStatus = (this: ConnectedRedis, status: string, arg?: unknown) => void;
const { setStatus } = Redis.prototype as unknown as { setStatus: SetStatus };

const connected = {
  setStatus(this: ConnectedRedis, status: string, arg?: unknown): void {
    if (status === 'connect') readRefusal(this);
    setStatus.call(this, status, arg);
  },
};

function readRefusal({ stream, options }: ConnectedRedis): void {
  // One write for the first commands: the reset that it causes leaves the reply readable.
  stream.cork();
  process.nextTick(() => stream.uncork());
  stream.once('data', (first: Buffer) => {
    const message = refusal.exec(first.toString('latin1', 0, 200))?.[1];
    if (message === undefined) return;
    const error = Object.assign(new Error(message), { name: 'ReplyError' });
    // As for a refused command; ioredis has no event for connections of its own, such as those that ask for the slots of a Cluster.
    options.reconnectOnError?.(error);
    stream.destroy(error);
  });
}

/** Call it before the first connection. A bundler drops a module that is imported for its effects alone. */
function reportRefusedConnections(): void {
  Object.assign(Redis.prototype, connected);
}

/** Makes ioredis read its sockets before it counts a command or a connection as timed out. A process that was stopped (SIGSTOP, a suspended virtual
 * machine) or busy runs its expired timers first when it resumes, although the replies lie in the socket: each limit waits for one poll phase more.
 * All connections get the limits, as ioredis makes those of a Cluster and of BullMQ itself. */
interface TimedCommand {
  _commandTimeoutTimer?: NodeJS.Timeout;
  isSettled: boolean;
  reject(error: Error): void;
}

interface TimedConnection {
  stream: Redis['stream'];
  options: Redis['options'];
  commandQueue: { length: number };
  socketTimeoutTimer: NodeJS.Timeout | undefined;
}

const commandLimit = {
  setTimeout(this: TimedCommand, ms: number): void {
    // ioredis clears it when the command settles, and keeps it when it resends the command.
    this._commandTimeoutTimer ??= setTimeout(() => {
      setImmediate(() => {
        if (!this.isSettled) this.reject(new Error('Command timed out'));
      });
    }, ms);
  },
};

const connectionLimit = {
  setSocketTimeout(this: TimedConnection): void {
    const { stream } = this;
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (this.socketTimeoutTimer !== timer) return;
        this.socketTimeoutTimer = undefined;
        stream.destroy(new Error(`Redis sent nothing for ${this.options.socketTimeout} ms.`));
      });
    }, this.options.socketTimeout);
    this.socketTimeoutTimer = timer;
    // Runs behind the listener of ioredis, which takes the commands that are replied to out of the queue.
    stream.once('data', () => {
      clearTimeout(this.socketTimeoutTimer);
      this.socketTimeoutTimer = undefined;
      if (this.commandQueue.length > 0) (this as unknown as { setSocketTimeout(): void }).setSocketTimeout();
    });
  },
};

/** Call it before the first connection. A bundler drops a module that is imported for its effects alone. */
function readSocketsBeforeLimits(): void {
  Object.assign(Command.prototype, commandLimit);
  Object.assign(Redis.prototype, connectionLimit);
}

/** A rejected server certificate makes a TLS socket emit `error`, and again at an alert of the server. ioredis listens to the first only, so the
 * second would end the process. All sockets get our TLS options, but not all its `Connector`: `tls.connect` adds a listener to them. */
const marker = Symbol('socket to Redis');

function forRedisSockets(options: ConnectionOptions): ConnectionOptions {
  return Object.assign({}, options, { [marker]: true });
}

const connect = tls.connect as (...args: unknown[]) => TLSSocket;

Object.assign(tls, {
  connect: (...args: unknown[]): TLSSocket => {
    const socket = connect(...args);
    const [options] = args;
    if (typeof options === 'object' && options !== null && marker in options) socket.on('error', () => {});
    return socket;
  },
});

/** Codes of Node.js for a certificate that no trusted authority signed. */
const unknownAuthority =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE)$/;

const probeMs = 2000;
/** A server that requires a client certificate closes the connection only after the client's side of the handshake. */
const refusedWithinMs = 300;

export async function connectionProblem(error: Error, address: RedisAddress, tls: RedisTls): Promise<string> {
  if (address.isTls) {
    const refused = await handshakeProblem(address, tls);
    if (refused !== null) return refused;
  }
  const { message } = error;
  if (refusalOf(error) === 'maxclients') return `${message}. Raise its maxclients: docs/operate/size.md says how many connections Perch opens`;
  if (address.kind === 'sentinel' && /^All sentinels are unreachable(?!.*Last error: (?!ERR No such master))/.test(message))
    return `no Sentinel that answers knows a master named ${address.master}`;
  return message;
}

/** ioredis does not report why a handshake failed on a Cluster. */
async function handshakeProblem(address: RedisAddress, tls: RedisTls): Promise<string | null> {
  const error = await handshakeError(address, tls);
  if (error === null) return null;
  const { code = '', message } = error;
  if (unknownAuthority.test(code))
    return `its certificate is not signed by an authority that is trusted here (${message}): name the authority's certificate file in PERCH_REDIS_CA_FILE`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for other names: ${message}`;
  if (!tls.cert && /^(?:ECONNRESET|EPIPE|ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED|ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE)$/.test(code))
    return `it closes TLS connections without a client certificate (${message}): name one in PERCH_REDIS_CERT_FILE and PERCH_REDIS_KEY_FILE, unless Redis has reached its maxclients`;
  return null;
}

function handshakeError({ nodes, url }: RedisAddress, tls: RedisTls): Promise<NodeJS.ErrnoException | null> {
  const { hostname, port } = new URL(url.replace(/,.*$/, ''));
  const target = nodes[0] ?? { host: hostname, port: Number(port || 6379) };
  return new Promise((resolve) => {
    const socket = connectTls({ ...target, ...tlsOptions(tls) });
    const settle = (error: NodeJS.ErrnoException | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(error);
    };
    let timer = setTimeout(() => settle(null), probeMs);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      timer = setTimeout(() => settle(null), refusedWithinMs);
    });
    socket.on('error', settle);
    socket.once('close', () => settle(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })));
  });
}
