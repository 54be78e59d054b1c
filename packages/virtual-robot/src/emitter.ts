/** Not Node's EventEmitter or the DOM's EventTarget, because the core runs in both environments. */

type Listener<T> = (event: T) => void;

export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  on<N extends keyof Events>(name: N, listener: Listener<Events[N]>): () => void {
    let set = this.#listeners.get(name);
    if (!set) this.#listeners.set(name, (set = new Set()));
    set.add(listener);
    return () => this.off(name, listener);
  }

  off<N extends keyof Events>(name: N, listener: Listener<Events[N]>): void {
    this.#listeners.get(name)?.delete(listener);
  }

  protected emit<N extends keyof Events>(name: N, event: Events[N]): void {
    const set = this.#listeners.get(name);
    if (!set || set.size === 0) return;
    for (const listener of [...set]) (listener as Listener<Events[N]>)(event);
  }
}
