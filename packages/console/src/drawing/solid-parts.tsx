import type { CSSProperties } from 'react';
import { cap, sides, type Block, type Viewer } from './solid.js';

export function Solid({ block, viewer, color }: { block: Block; viewer: Viewer; /** A CSS colour. */ color: string }) {
  const end = cap(viewer, block);
  return (
    <g style={{ '--solid': color } as CSSProperties}>
      {sides(viewer, block).map(({ points, light }, index) => (
        <polygon key={index} className="solid" points={points} style={shade(light)} />
      ))}
      <polygon className="solid" points={end.points} style={shade(end.light)} />
    </g>
  );
}

/** One property for each part: a robot has about a hundred. */
function shade(light: number): CSSProperties {
  return { '--shade': `${Math.round(Math.max(0, 0.82 - light) * 64)}%` } as CSSProperties;
}
