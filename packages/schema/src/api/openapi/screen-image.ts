import type { OpenAPIV3_1 } from 'openapi-types';
import { actionByName } from '../../actions/index.js';
import { previewedActions, type PreviewedAction } from '../screen-image.js';
import { answers, failures } from './responses.js';

type Operation = OpenAPIV3_1.OperationObject;

const twoForms = 'The response is a PNG; with `Accept: application/json` it is an object with the PNG in base64, and what was cut or changed in it.';

const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';

export const screenImagePaths: Record<string, { parameters: OpenAPIV3_1.ReferenceObject[]; get?: Operation; post?: Operation }> = {
  '/v1/robots/{robot}/screen': { parameters: [{ $ref: '#/components/parameters/robot' }], get: readScreen() },
  ...Object.fromEntries(
    previewedActions.map((name) => [
      `/v1/robots/{robot}/preview/${name}`,
      { parameters: [{ $ref: '#/components/parameters/robot' }], post: preview(name) },
    ]),
  ),
};

function readScreen(): Operation {
  return {
    operationId: 'readScreen',
    summary: 'What the screen shows now, as a picture.',
    description:
      'The question, card or picture that the robot is showing, for as long as it shows; otherwise its face with emotion and speech bubble, or its readings, as the service draws them: a robot may draw its own screen differently. ' +
      `404 not_found if the robot shows a picture that the service no longer has. ${twoForms}`,
    tags: ['screen'],
    responses: { '200': picture('The screen.'), ...failures(false) },
  };
}

function preview(name: PreviewedAction): Operation {
  const schemaName = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  const { examples } = actionByName.get(name)!;
  return {
    operationId: `preview${schemaName}`,
    summary: `Draw what ${name} would show, without showing it.`,
    description:
      `Takes the arguments of \`${name}\` and refuses what it refuses; also works while the robot is offline. ` +
      `${name === 'say' ? 'The picture is the face with the speech bubble. ' : ''}${twoForms}`,
    tags: ['screen'],
    requestBody: {
      required: true,
      description: 'A JSON object of arguments.',
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${schemaName}Arguments` },
          examples: Object.fromEntries(examples.map(({ args }, index) => [`example${index + 1}`, { value: args }])),
        },
      },
    },
    responses: { '200': picture('Drawn.'), ...failures(true) },
  };
}

function picture(description: string): OpenAPIV3_1.ResponseObject {
  const response = answers(description, 'ScreenImageAnswer', true, { example1: { value: { ok: true, image } } });
  return { ...response, content: { 'image/png': { schema: {} }, ...response.content } };
}
