import { useState } from 'react';
import { Button } from '../../../../ui/controls/button.js';
import { useControl } from './argument.js';
import type { PickedPicture } from '../draft/draft.js';
import { pictureCharsMax, readPicture } from './picture-file.js';

interface Props {
  path: string;
  help: string;
  value: PickedPicture | undefined;
  onChange(value: PickedPicture | undefined): void;
}

export function PictureControl({ path, help, value, onChange }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const control = useControl(path, help);

  async function pick(file: File): Promise<void> {
    const read = await readPicture(file);
    setProblem(typeof read === 'string' ? read : null);
    if (typeof read !== 'string') onChange(read);
  }

  return (
    <div className="picture-control">
      {value !== undefined && (
        <figure>
          <img src={`data:${value.mediaType};base64,${value.base64}`} alt={value.fileName} />
          <figcaption>
            {value.fileName}: {sizeOf(value)}
          </figcaption>
        </figure>
      )}
      <div className="row">
        <label className="file-button">
          {value === undefined ? 'Choose a picture' : 'Choose another'}
          <input
            {...control}
            className="sr-only"
            type="file"
            accept="image/png,image/jpeg"
            onChange={({ target }) => {
              const file = target.files?.[0];
              if (file !== undefined) void pick(file);
              // Reset, so that choosing the same file again triggers a change.
              target.value = '';
            }}
          />
        </label>
        {value !== undefined && (
          <Button small look="quiet" onPress={() => onChange(undefined)}>
            Remove picture
          </Button>
        )}
      </div>
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
  return `${Math.ceil(bytes / 1024).toLocaleString('en')} KB, ${base64.length.toLocaleString('en')} of ${pictureCharsMax.toLocaleString('en')} characters in base64`;
}
