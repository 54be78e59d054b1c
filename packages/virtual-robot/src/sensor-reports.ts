import type { Reading, SensedState, Sensors } from './body/sensors.js';
import type { Clock, Timers } from './clock.js';

export interface SensorReportsHost {
  state(): Omit<SensedState, 'unixS'>;
  send(values: Record<string, Reading>): void;
}

/** On battery a robot reports in every fifth interval only. */
const batteryIntervals = 5;

export class SensorReports {
  readonly #sensors: Sensors;
  readonly #clock: Clock;
  readonly #host: SensorReportsHost;
  #welcomeTime: { ms: number; at: number } | null = null;
  #cancel: () => void = () => undefined;

  constructor(sensors: Sensors, clock: Clock, host: SensorReportsHost) {
    this.#sensors = sensors;
    this.#clock = clock;
    this.#host = host;
  }

  setTime(ms: number): void {
    this.#welcomeTime = { ms, at: this.#clock.now() };
  }

  start(ms: number, timers: Timers): void {
    this.stop();
    let skipped = 0;
    let reportedUsb = this.#host.state().usb;
    this.#cancel = timers.every(ms, () => {
      const { usb } = this.#host.state();
      if (!usb && usb === reportedUsb && ++skipped < batteryIntervals) return;
      skipped = 0;
      reportedUsb = usb;
      this.reportNow();
    });
    this.reportNow();
  }

  stop(): void {
    this.#cancel();
  }

  reportNow(): void {
    const time = this.#welcomeTime;
    const unixS = time ? (time.ms + this.#clock.now() - time.at) / 1000 : null;
    this.#host.send(this.#sensors.report({ ...this.#host.state(), unixS }));
  }
}
