import { labelAt, type Region } from './region.js';
import './regions.css';

/** Regions over the drawn screen, while their clickmap waits for a tap. */
export function RegionOverlay({ regions }: { regions: readonly Region[] }) {
  return (
    <g className="region-overlay" aria-hidden="true">
      {regions.map((region, at) => (
        <Shape key={at} region={region} />
      ))}
    </g>
  );
}

export function Shape({ region }: { region: Region }) {
  const [x, y] = labelAt(region);
  return (
    <>
      <Outline region={region} className="region-outline" />
      <text x={x} y={y} className="region-id">
        {region.id}
      </text>
    </>
  );
}

export function Outline({ region, className }: { region: Region; className: string }) {
  if ('rect' in region) {
    const [x, y, width, height] = region.rect;
    return <rect className={className} x={x} y={y} width={Math.max(0, width)} height={Math.max(0, height)} />;
  }
  if ('circle' in region) {
    const [cx, cy, r] = region.circle;
    return <circle className={className} cx={cx} cy={cy} r={Math.max(0, r)} />;
  }
  return <polygon className={className} points={region.polygon.map((point) => point.join(',')).join(' ')} />;
}
