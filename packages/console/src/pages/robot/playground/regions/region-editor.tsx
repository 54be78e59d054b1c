import { type ReactNode, useState } from 'react';
import { Button, IconButton } from '../../../../ui/controls/button.js';
import { Segments } from '../../../../ui/controls/choices.js';
import { controlId, ArgumentError, useProblem } from '../controls/argument.js';
import { type Draft, PickedPicture } from '../draft/draft.js';
import { NumberBox } from '../controls/number-box.js';
import { freeId, placed, type Point, type Region, type Tool, toolOf } from './region.js';
import { RegionCanvas } from './region-canvas.js';
import { useScreenNow } from '../screen-now.js';

interface Props {
  path: string;
  max: number;
  pointsMax: number;
  value: Region[];
  picture: Draft;
  onChange(value: Region[]): void;
}

const tools: readonly { id: Tool | 'move'; label: string }[] = [
  { id: 'move', label: 'Move' },
  { id: 'rect', label: 'Rectangle' },
  { id: 'circle', label: 'Circle' },
  { id: 'polygon', label: 'Polygon' },
];

const hints: Readonly<Record<Tool | 'move', string>> = {
  move: 'Drag a region to move it.',
  rect: 'Drag over the screen to draw, also over other regions.',
  circle: 'Drag from the centre to draw, also over other regions.',
  polygon: 'Click each corner, then click the first one again.',
};

export function RegionEditor({ path, max, pointsMax, value, picture, onChange }: Props) {
  const [tool, setTool] = useState<Tool | 'move'>('rect');
  const [selected, setSelected] = useState<number | null>(null);
  const [corners, setCorners] = useState<Point[]>([]);
  const screenNow = useScreenNow();
  const full = value.length >= max;

  function add(region: Region): void {
    onChange([...value, region]);
    setSelected(value.length);
    setCorners([]);
  }

  return (
    <div className="region-editor">
      <div className="row">
        <Segments
          label="Tool"
          hideLabel
          options={tools}
          value={tool}
          onChange={(next) => {
            setTool(next);
            setCorners([]);
          }}
        />
        <Button small icon="plus" isDisabled={full} onPress={() => add(placed(tool === 'move' ? 'rect' : tool, freeId(value)))}>
          Add region
        </Button>
        {corners.length > 0 && (
          <>
            <Button small isDisabled={corners.length < 3} onPress={() => add({ id: freeId(value), polygon: corners })}>
              Close polygon
            </Button>
            <Button small look="quiet" onPress={() => setCorners([])}>
              Discard polygon
            </Button>
          </>
        )}
      </div>
      <div className="region-stage">
        <Backdrop picture={picture} screenNow={screenNow} />
        <RegionCanvas
          regions={value}
          selected={selected}
          tool={tool}
          corners={corners}
          isFull={full}
          pointsMax={pointsMax}
          onChange={onChange}
          onSelect={setSelected}
          onCorners={setCorners}
        />
      </div>
      <p className="field-hint">
        {hints[tool]} Arrow keys move the focused region, with Shift by ten pixels. Where regions overlap, the first one in the list gets the tap.
      </p>
      <ol className="region-list">
        {value.map((region, at) => (
          <RegionRow
            key={at}
            path={`${path}[${at}]`}
            region={region}
            isSelected={selected === at}
            pointsMax={pointsMax}
            onChange={(next) => onChange(value.map((each, i) => (i === at ? next : each)))}
            onSelect={() => setSelected(at)}
            onRemove={() => {
              onChange(value.filter((_, i) => i !== at));
              setSelected(null);
            }}
          />
        ))}
      </ol>
    </div>
  );
}

function Backdrop({ picture, screenNow }: { picture: Draft; screenNow: ReactNode }) {
  if (!(picture instanceof PickedPicture)) return screenNow;
  return <img className="region-picture" src={`data:${picture.mediaType};base64,${picture.base64}`} alt={`On the screen: ${picture.fileName}`} />;
}

interface RowProps {
  path: string;
  region: Region;
  isSelected: boolean;
  pointsMax: number;
  onChange(region: Region): void;
  onSelect(): void;
  onRemove(): void;
}

function RegionRow({ path, region, isSelected, pointsMax, onChange, onSelect, onRemove }: RowProps) {
  const problem = useProblem(path);
  return (
    <li className="region-row" data-selected={isSelected || undefined} onFocus={onSelect}>
      <div className="region-row-head">
        <input
          id={controlId(path)}
          className="field-input"
          aria-label={`${path}.id`}
          aria-invalid={problem !== null || undefined}
          value={region.id}
          onChange={({ target }) => onChange({ ...region, id: target.value })}
        />
        <code>{toolOf(region)}</code>
        <IconButton icon="close" label={`Remove ${region.id || path}`} onPress={onRemove} />
      </div>
      <Numbers path={path} region={region} pointsMax={pointsMax} onChange={onChange} />
      <ArgumentError path={path} />
    </li>
  );
}

function Numbers({ path, region, pointsMax, onChange }: { path: string; region: Region; pointsMax: number; onChange(region: Region): void }) {
  if ('polygon' in region) return <Corners path={path} region={region} pointsMax={pointsMax} onChange={onChange} />;
  const [shape, names] = 'rect' in region ? (['rect', ['x', 'y', 'w', 'h']] as const) : (['circle', ['x', 'y', 'r']] as const);
  const numbers: readonly number[] = 'rect' in region ? region.rect : region.circle;
  return (
    <div className="region-numbers">
      {names.map((name, at) => (
        <NumberBox
          key={name}
          label={`${path}.${shape} ${name}`}
          value={numbers[at]!}
          onChange={(number) => onChange({ ...region, [shape]: numbers.map((each, i) => (i === at ? number : each)) })}
        />
      ))}
    </div>
  );
}

type Polygon = Extract<Region, { polygon: Point[] }>;

function Corners({ path, region, pointsMax, onChange }: { path: string; region: Polygon; pointsMax: number; onChange(region: Region): void }) {
  const { polygon } = region;
  const set = (at: number, point: Point): void => onChange({ ...region, polygon: polygon.map((each, i) => (i === at ? point : each)) });
  return (
    <ol className="region-corners">
      {polygon.map(([x, y], at) => (
        <li key={at} className="region-numbers">
          <NumberBox label={`${path}.polygon[${at}] x`} value={x} onChange={(next) => set(at, [next, y])} />
          <NumberBox label={`${path}.polygon[${at}] y`} value={y} onChange={(next) => set(at, [x, next])} />
          {polygon.length > 3 && (
            <IconButton
              icon="close"
              label={`Remove corner ${at + 1}`}
              onPress={() => onChange({ ...region, polygon: polygon.filter((_, i) => i !== at) })}
            />
          )}
        </li>
      ))}
      {polygon.length < pointsMax && (
        <li>
          <Button small icon="plus" onPress={() => onChange({ ...region, polygon: [...polygon, between(polygon.at(-1)!, polygon[0]!)] })}>
            Add corner
          </Button>
        </li>
      )}
    </ol>
  );
}

function between(a: Point, b: Point): Point {
  return [Math.round((a[0] + b[0]) / 2), Math.round((a[1] + b[1]) / 2)];
}
