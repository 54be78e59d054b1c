import { clientSite, hostnameOf, isAddress, isLoopback } from '@perch/runtime';
import { ApiError, parsePairRequest, parsePairTokenRequest } from '@perch/schema';
import { StoreError } from '@perch/store';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { noteFailure } from '../metrics/link-metrics.js';
import type { LinkContext } from '../session/context.js';
import type { ConnectionLimits } from '../http/connection-limits.js';
import { answerFailure, answerJson, failure, readJson, refuseBody, tooLarge, type Failure } from '../http/json-answer.js';

/** Used if no running gateway serves the page; the gateway of `npm start` is at this address. */
const pageDefault = 'http://127.0.0.1:8080';

export class PairingHandler {
  readonly #context: LinkContext;
  readonly #limits: ConnectionLimits;
  readonly #verificationUri: string | null;
  readonly #publicName: string | null;

  /** @param verificationUri null: the page of a running gateway @param publicUrl at which robots connect; null: any name is accepted */
  constructor(context: LinkContext, limits: ConnectionLimits, verificationUri: string | null, publicUrl: string | null) {
    this.#context = context;
    this.#limits = limits;
    this.#verificationUri = verificationUri;
    this.#publicName = publicUrl === null ? null : hostnameOf(publicUrl);
  }

  /** Refuses what pages of others can have a browser send without asking first: other bodies than JSON, and requests to a name that is not ours (DNS rebinding). */
  refusal({ headers }: IncomingMessage): Failure | null {
    if (!this.#isOurs(hostnameOf(`http://${headers.host}`)))
      return failure('bad_argument', 'The Host header does not name this service, whose address for robots is set (PERCH_LINK_PUBLIC_URL).', {
        status: 403,
      });
    const type = headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase();
    return type === 'application/json' ? null : failure('not_json', 'Send the body as JSON, with Content-Type: application/json.');
  }

  /** In a home network robots use an address or a name of mDNS, which no page on the internet has. */
  #isOurs(hostname: string | null): boolean {
    if (this.#publicName === null || hostname === this.#publicName) return true;
    return hostname !== null && (isAddress(hostname) || isLoopback(hostname) || hostname.endsWith('.local'));
  }

  async begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const waitS = await this.#limits.pairing(request);
    if (waitS !== null)
      return answerFailure(
        response,
        failure('rate_limited', `Too many robots are being paired from your network. Try again in ${waitS} seconds.`, { retryAfterS: waitS }),
      );
    const body = await readJson(request);
    if (body === tooLarge) return refuseBody(request, response);
    const wanted = parsePairRequest(body);
    if ('problem' in wanted)
      return answerFailure(response, failure('bad_argument', `Send {"serial", "model", "firmware"} as JSON: ${wanted.problem}`));
    try {
      const { pairing, instances } = this.#context.store;
      const network = this.#context.addresses.networkOf(request);
      const origin = { network, site: clientSite(network) };
      const [begun, [page = pageDefault]] = await Promise.all([pairing.begin(wanted, origin, bearerOf(request)), instances.offered('page')]);
      this.#context.log.info({ audit: 'pairing_begin', outcome: 'ok', serial: wanted.serial, model: wanted.model, network }, 'audit');
      const userCode = begun.userCode.replace(/^(.{4})(.{4})$/, '$1-$2');
      const verificationUri = this.#verificationUri ?? `${page}/pair`;
      answerJson(response, 200, {
        device_code: begun.deviceCode,
        user_code: userCode,
        verification_uri: verificationUri,
        verification_uri_complete: withCode(verificationUri, userCode),
        expires_in: begun.expiresIn,
        interval: begun.interval,
      });
    } catch (error) {
      this.#unavailable(response, error);
    }
  }

  async poll(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if ((await this.#limits.poll(request)) !== null) return answerJson(response, 400, { error: 'slow_down' });
    const body = await readJson(request);
    if (body === tooLarge) return refuseBody(request, response);
    const wanted = parsePairTokenRequest(body);
    if ('problem' in wanted) return answerJson(response, 400, { error: 'invalid_request', error_description: wanted.problem });
    try {
      const answer = await this.#context.store.pairing.poll(wanted.device_code);
      if (typeof answer === 'string') return answerJson(response, 400, { error: answer });
      const { robot, token, holder, former } = answer;
      const network = this.#context.addresses.networkOf(request);
      this.#context.log.info({ audit: 'pairing_claim', outcome: 'ok', robot, network }, 'audit');
      if (holder !== null) this.#closeFormerSession(robot, holder);
      if (former !== null) {
        this.#context.log.warn({ robot: former.robot, paired_as: robot }, 'robot paired to another account: its former token is revoked');
        if (former.holder !== null) this.#closeFormerSession(former.robot, former.holder);
      }
      answerJson(response, 200, { robot_id: robot, token });
    } catch (error) {
      this.#unavailable(response, error);
    }
  }

  #closeFormerSession(robot: string, holder: { instance: string; session: string }): void {
    const sent = this.#context.store.linkMailbox.send(holder.instance, { t: 'close', robot, session: holder.session, code: 4003 });
    sent.catch((error: unknown) => noteFailure(this.#context, 'pairing', error));
  }

  #unavailable(response: ServerResponse, error: unknown): void {
    if (error instanceof ApiError && error.code === 'rate_limited')
      return answerFailure(response, failure('rate_limited', error.message, { retryAfterS: error.retryAfterS ?? 60 }));
    noteFailure(this.#context, 'pairing', error);
    if (!(error instanceof StoreError)) return answerFailure(response, failure('internal', 'Something went wrong in the service.'));
    const message = error.kind === 'full' ? error.message : error.storageProblem;
    answerFailure(response, failure('service_unavailable', message, { retryAfterS: error.kind === 'full' ? 60 : 1 }));
  }
}

/** The robot's former token proves that this is the same hardware. */
function bearerOf(request: IncomingMessage): string | null {
  return /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** RFC 8628's verification_uri_complete, for a QR code. */
function withCode(verificationUri: string, userCode: string): string {
  const url = new URL(verificationUri);
  url.searchParams.set('code', userCode);
  return url.href;
}
