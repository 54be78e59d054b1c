import type { SignedUpdate, UpdateFile } from '@perch/installer/node';
import { programVersion, type ProgramOffer } from '@perch/schema';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerFailure, failure } from './json-answer.js';

/** The robot program that the service has: the offer to robots that run another version of it, and the file, which all instances serve alike. */
export const programPath = '/robot/v1/program/';
/** A client that reads nothing for this time is disconnected, ms. */
const silentMs = 30_000;
const yearS = 31_536_000;

export class RobotProgram {
  readonly #file: UpdateFile;
  readonly #offer: ProgramOffer;

  constructor(file: UpdateFile | SignedUpdate) {
    this.#file = file;
    const { version, sha256, bytes } = file;
    this.#offer = { version, url: programPath + sha256, sha256, size: bytes.byteLength };
    if ('signature' in file) {
      const { lowest, highest, key, signature } = file;
      this.#offer = { ...this.#offer, lowest, highest, key, signature };
    }
  }

  /** Returns null for another program than this one, and for a robot that has this version. */
  offerFor(firmware: string): ProgramOffer | null {
    const version = programVersion(firmware);
    return version === null || version === this.#offer.version ? null : this.#offer;
  }

  /** The path names the content, so that any cache may keep the answer. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): void {
    if (path !== this.#offer.url) return answerFailure(response, failure('not_found', 'This release has no such version of the robot program.'));
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return answerFailure(response, failure('method_not_allowed', `${path} takes GET and HEAD only.`));
    }
    response.setTimeout(silentMs, () => response.destroy());
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': this.#file.bytes.byteLength,
      'cache-control': `public, max-age=${yearS}, immutable`,
      'x-content-type-options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : this.#file.bytes);
  }
}
