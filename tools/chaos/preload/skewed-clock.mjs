/** Preloaded into a service. Its monotonic clock and its timers are not affected. */
const skewMs = Number(process.env.CHAOS_CLOCK_SKEW_MS);
const RealDate = Date;
const now = () => RealDate.now() + skewMs;

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
