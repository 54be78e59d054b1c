import { inThousands } from '../../values/in-thousands.js';
import { limits } from '../limits.js';
import { answers, failures } from './responses.js';

const bytes = { description: 'The bytes of the picture.' };

export const picturePaths = {
  '/v1/pictures': {
    post: {
      operationId: 'uploadPicture',
      summary: 'Upload a picture, to use it by its id.',
      description:
        `Keeps a JPEG or PNG of up to ${inThousands(limits.picture.bytesMax)} bytes for a day. Its id is accepted wherever an action takes an image, with every key of the account. ` +
        'The same picture has the same id; uploading it again keeps it for a day from then, and a request whose response was lost may be repeated. ' +
        "Beyond half of the account's quota of pictures and sounds, an upload replaces the account's oldest ones. Whether the file is whole is checked when it is drawn.",
      tags: ['pictures'],
      requestBody: {
        required: true,
        content: {
          'image/png': { schema: bytes },
          'image/jpeg': { schema: bytes },
          'application/json': {
            schema: { $ref: '#/components/schemas/PictureUploadArguments' },
            examples: { example1: { value: { image: tinyPng() } } },
          },
        },
      },
      responses: {
        '200': answers('Kept.', 'PictureUploadAnswer', true, {
          example1: {
            value: { ok: true, picture: 'p-7k2m9qx4tb7k2m9qx4tb', format: 'png', w: 1, h: 1, bytes: 70, expires_at: '2026-01-02T12:00:00.000Z' },
          },
        }),
        ...failures(true),
      },
    },
  },
};

function tinyPng(): string {
  return 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
}
