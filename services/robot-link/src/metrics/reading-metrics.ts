/** A report contains only changed values, but observes all known ones: otherwise robots whose values change often would count more. */
import type { HistogramOf, Metrics } from '@perch/runtime';
import type { Readings } from '@perch/schema';
import { batteryRatio, freeHeapBytes, sensors, temperatureCelsius, wifiRssiDbm } from './reading-units.js';

interface Observed {
  valueOf: (readings: Readings) => number | null;
  histogram: HistogramOf<'perch_link_battery_ratio'>;
}

export class ReadingMetrics {
  readonly #observed: readonly Observed[];

  constructor(metrics: Metrics) {
    const temperatures = metrics.histogram('perch_link_temperature_celsius');
    this.#observed = [
      { valueOf: batteryRatio, histogram: metrics.histogram('perch_link_battery_ratio') },
      { valueOf: wifiRssiDbm, histogram: metrics.histogram('perch_link_wifi_rssi_dbm') },
      { valueOf: freeHeapBytes, histogram: metrics.histogram('perch_link_free_heap_bytes') },
      ...sensors.map((sensor) => ({
        valueOf: (readings: Readings) => temperatureCelsius(readings, sensor),
        histogram: temperatures.labels({ sensor }),
      })),
    ];
  }

  observe(readings: Readings): void {
    for (const { valueOf, histogram } of this.#observed) {
      const value = valueOf(readings);
      if (value !== null) histogram.observe(value);
    }
  }
}
