import { Writable } from 'node:stream';

export class SlowClient extends Writable {
  text = '';
  #take: (() => void) | null = null;
  #reads = true;

  constructor() {
    super({ highWaterMark: 1024 });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const take = (): void => {
      this.text += chunk.toString();
      done();
    };
    if (this.#reads) take();
    else this.#take = take;
  }

  stopReading(): void {
    this.#reads = false;
  }

  readOn(): void {
    this.#reads = true;
    this.#take?.();
  }
}
