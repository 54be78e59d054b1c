import { useState } from 'react';
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

  async function pick(file: File): Promise<void> {
    const read = await readPicture(file);
    setProblem(typeof read === 'string' ? read : null);
    if (typeof read !== 'string') onChange(read);
  }

  return (
    <div className="picture-control">
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
          <input
            {...control}
            className="sr-only"
            type="file"
            accept="image/*"
            onChange={({ target }) => {
              const file = target.files?.[0];
              if (file !== undefined) void pick(file);
              // Reset, so that choosing the same file again triggers a change.
              target.value = '';
            }}
          />
        </label>
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
