import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../../ui/controls/button.js';
import { useControl } from './argument.js';
import { PickedPicture } from '../draft/draft.js';
import { pictureCharsMax, readPicture } from './picture-file.js';

interface Props {
  path: string;
  help: string;
  /** A text is the address of a picture. */
  value: PickedPicture | string | undefined;
  onChange(value: PickedPicture | string | undefined): void;
}

export function PictureControl({ path, help, value, onChange }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const control = useControl(path, help);
  const picked = value instanceof PickedPicture ? value : undefined;

  const box = useRef<HTMLDivElement>(null);
  const [isOver, setOver] = useState(false);

  async function pick(file: File): Promise<void> {
    const read = await readPicture(file);
    setProblem(typeof read === 'string' ? read : null);
    if (typeof read !== 'string') onChange(read);
  }

  const latestPick = useRef(pick);
  useEffect(() => {
    latestPick.current = pick;
  });

  // A picture of the action itself may be pasted or dropped anywhere in its form; one of a tile beside its own field.
  useEffect(() => {
    const target: HTMLElement | null = /[.[]/.test(path) ? box.current : (box.current?.closest('form') ?? null);
    if (target === null) return;
    const listening = new AbortController();
    const { signal } = listening;
    const take = (event: Event, data: DataTransfer | null): void => {
      const file = [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/'));
      if (file === undefined || event.defaultPrevented) return;
      event.preventDefault();
      void latestPick.current(file);
    };
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (): void => setOver(false);
    // Office programs copy text with a picture of it.
    const isText = ({ target: into, clipboardData }: ClipboardEvent): boolean =>
      (into instanceof HTMLInputElement || into instanceof HTMLTextAreaElement) && clipboardData?.types.includes('text/plain') === true;
    target.addEventListener(
      'paste',
      (event) => {
        if (!isText(event)) take(event, event.clipboardData);
      },
      { signal },
    );
    target.addEventListener('dragover', over, { signal });
    target.addEventListener('dragleave', leave, { signal });
    target.addEventListener(
      'drop',
      (event) => {
        leave();
        take(event, event.dataTransfer);
      },
      { signal },
    );
    return () => listening.abort();
  }, [path]);

  const onFile = ({ target }: { target: HTMLInputElement }): void => {
    const file = target.files?.[0];
    if (file !== undefined) void pick(file);
    // Reset, so that choosing the same file again triggers a change.
    target.value = '';
  };

  return (
    <div ref={box} className="picture-control" data-over={isOver || undefined}>
      {picked !== undefined && (
        <figure>
          <img src={`data:${picked.mediaType};base64,${picked.base64}`} alt={picked.fileName} />
          <figcaption>
            {picked.fileName}: {sizeOf(picked)}
            {picked.isScaled && (
              <>
                . The browser made it smaller.{' '}
                <a href={`data:${picked.mediaType};base64,${picked.base64}`} download={picked.fileName}>
                  Save it
                </a>{' '}
                to run the request below from a file.
              </>
            )}
          </figcaption>
        </figure>
      )}
      <div className="row">
        <label className="file-button">
          {picked === undefined ? 'Choose a picture' : 'Choose another'}
          <input {...control} className="sr-only" type="file" accept="image/*" onChange={onFile} />
        </label>
        <label className="file-button picture-camera">
          Take a photo
          <input className="sr-only" type="file" accept="image/*" capture="environment" aria-label={`${path}: take a photo`} onChange={onFile} />
        </label>
        {picked === undefined && <span className="field-hint">or paste or drop one</span>}
        {picked !== undefined && (
          <Button small look="quiet" onPress={() => onChange(undefined)}>
            Remove picture
          </Button>
        )}
      </div>
      {picked === undefined && (
        <input
          className="field-input"
          type="url"
          aria-label={`${path}: address of a picture`}
          placeholder="or an address: https://…"
          value={typeof value === 'string' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        />
      )}
      {problem !== null && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function sizeOf({ base64 }: PickedPicture): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return `${Math.ceil(bytes / 1024).toLocaleString()} KB, ${base64.length.toLocaleString()} of ${pictureCharsMax.toLocaleString()} characters in base64`;
}
