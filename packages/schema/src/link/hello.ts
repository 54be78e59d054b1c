import { Type } from 'typebox';
import type { Static } from 'typebox';
import { limits } from '../base/limits.js';
import { oneOf, openObject } from '../base/open-object.js';
import { replaceUnsafe } from '../base/plain-text.js';
import type { PictureFormat } from '../values/picture-format.js';
import { count, linkMessage, shortText, streamNumber, logText } from './fields.js';

/** Any class other than `program` counts as `system`. */
export const DeclaredCommandSchema = Type.Object({
  name: shortText(),
  description: Type.Optional(Type.String()),
  class: Type.Optional(Type.String({ description: 'program or system; any value other than program counts as system.' })),
  args: Type.Optional(openObject('JSON Schema of the arguments. Without one, the command takes no arguments.')),
});
export type DeclaredCommand = Static<typeof DeclaredCommandSchema>;

export const bootCauses = ['power_on', 'reset', 'watchdog', 'crash', 'brownout', 'update', 'wake', 'other'] as const;
export type BootCause = (typeof bootCauses)[number];

const layer = () => Type.Union([Type.String({ maxLength: limits.link.layerIdCharsMax }), Type.Null()]);

export const HelloSchema = linkMessage(
  'hello',
  {
    v: Type.Array(Type.Integer(), { minItems: 1, maxItems: 32, description: 'Versions of the link that the robot supports.' }),
    model: shortText(),
    firmware: shortText(),
    boot_id: Type.String({ minLength: 1, maxLength: 64, description: 'Changes at every boot.' }),
    dial: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Counts the connections of this boot.' }),
    reason: oneOf(['start', 'restart', 'reconnect']),
    screen: Type.Optional(
      Type.Object({
        w: Type.Integer({ minimum: 1, maximum: 4096 }),
        h: Type.Integer({ minimum: 1, maximum: 4096 }),
        formats: Type.Array(Type.String(), {
          maxItems: 16,
          description:
            'In order of preference: jpeg, png, png8 (a PNG, and PNGs with a palette too). Unknown ones are ignored; if none is known, both are sent.',
        }),
        max_bytes: Type.Integer({ minimum: 1024, maximum: 16_777_216 }),
      }),
    ),
    audio: Type.Optional(
      Type.Object({
        formats: Type.Array(Type.String(), { maxItems: 16 }),
        rates: Type.Array(Type.Integer({ minimum: 8000, maximum: 48_000 }), { maxItems: 16 }),
        buffer_bytes: Type.Integer({ minimum: 1024, maximum: 16_777_216 }),
        max_part_bytes: Type.Integer({ minimum: 256, maximum: 65_536, description: 'Maximum payload of one binary frame, for pictures too.' }),
      }),
    ),
    boot: Type.Optional(
      Type.Object(
        {
          cause: Type.String({ maxLength: 64, description: `${bootCauses.join(', ')}; any other counts as other.` }),
          error: Type.Optional(
            Type.String({
              description: `What went wrong before the start, in readable text: the first ${limits.link.logTextCharsMax} characters are kept.`,
            }),
          ),
        },
        { description: 'Why the robot started; shown to its owner on the web page.' },
      ),
    ),
    leds: Type.Optional(Type.Object({ count: Type.Integer({ minimum: 0, maximum: 1024 }) })),
    features: Type.Array(Type.String(), { maxItems: 64, description: 'Unknown ones are ignored.' }),
    showing: Type.Optional(
      Type.Object(
        {
          card: Type.Optional(layer()),
          question: Type.Optional(layer()),
          emotion: Type.Optional(Type.String({ maxLength: 64 })),
          view: Type.Optional(Type.String({ maxLength: 64 })),
        },
        { description: 'Ids of the pictures on the layers, or null. A robot without a screen or a face omits the fields it does not have.' },
      ),
    ),
    playing: Type.Optional(
      Type.Object(
        { stream: streamNumber(), id: Type.String({ maxLength: 64 }), received: count() },
        { description: 'The sound that is playing; absent if there is none.' },
      ),
    ),
    commands: Type.Optional(Type.Array(DeclaredCommandSchema, { maxItems: limits.link.commandsMax })),
  },
  'The first message of the robot, within 10 s.',
);
type SentHello = Static<typeof HelloSchema>;
export interface Boot {
  cause: BootCause;
  error: string | null;
}
/** Ids of the pictures on the layers, and the robot's own screen beneath them. */
export interface ScreenState {
  card: string | null;
  question: string | null;
  emotion: string;
  view: string;
}

/** `palette`: the robot reads PNGs with a palette of up to 256 colours. */
export type RobotScreen = Omit<NonNullable<SentHello['screen']>, 'formats'> & { formats: PictureFormat[]; palette?: true };
export type Hello = Omit<SentHello, 'showing' | 'commands' | 'boot' | 'screen'> & {
  showing: ScreenState;
  commands: DeclaredCommand[];
  boot: Boot | null;
  screen?: RobotScreen;
};

/** Fills in omitted fields, and replaces unsafe characters: rejecting the hello would keep the robot offline for ever. */
export function completeHello(sent: SentHello): Hello {
  const { card = null, question = null, emotion = 'neutral', view = 'face' } = sent.showing ?? {};
  const { screen, ...rest } = sent;
  return {
    ...rest,
    ...(screen && { screen: robotScreen(screen) }),
    model: replaceUnsafe(sent.model),
    firmware: replaceUnsafe(sent.firmware),
    showing: { card, question, emotion, view },
    commands: sent.commands ?? [],
    boot: sent.boot === undefined ? null : bootOf(sent.boot),
  };
}

/** Keeps the formats that the service can send, in the robot's order. */
export function robotScreen({ formats, ...screen }: NonNullable<SentHello['screen']>): RobotScreen {
  const known = formats.map((format) => (format === 'png8' ? 'png' : format)).filter((format) => format === 'png' || format === 'jpeg');
  return { ...screen, formats: known.length === 0 ? ['png', 'jpeg'] : [...new Set(known)], ...(formats.includes('png8') && { palette: true }) };
}

function bootOf({ cause, error }: NonNullable<SentHello['boot']>): Boot {
  const known = bootCauses.find((each) => each === cause) ?? 'other';
  return { cause: known, error: error === undefined ? null : logText(error) };
}

export const ProgramOfferSchema = Type.Object(
  {
    version: shortText(),
    url: Type.String({ pattern: '^/', description: 'Path on the host of the link.' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    size: Type.Integer({ minimum: 1, description: 'Bytes.' }),
    lowest: Type.Optional(Type.String({ description: 'Lowest version that it may replace. This and the three that follow: of a signed one.' })),
    highest: Type.Optional(Type.String({ description: 'Highest version that it may replace.' })),
    key: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Public Ed25519 key of the signer.' })),
    signature: Type.Optional(Type.String({ pattern: '^[0-9a-f]{128}$', description: 'Ed25519 signature of sha256 and versions.' })),
  },
  { description: 'Another version of the robot program, which the robot installs when it gets the command update. Absent: none is offered.' },
);
export type ProgramOffer = Static<typeof ProgramOfferSchema>;

export const WelcomeSchema = linkMessage(
  'welcome',
  {
    v: Type.Integer({ minimum: 1 }),
    session: Type.String(),
    time_ms: Type.Number(),
    sensors_ms: Type.Integer({ minimum: 1 }),
    ping_ms: Type.Integer({ minimum: 1 }),
    in_ack: Type.Integer({ minimum: 0, description: 'Highest input number of this boot that the service has stored.' }),
    update: Type.Optional(ProgramOfferSchema),
  },
  'The reply to hello; the session is open.',
);
export type Welcome = Static<typeof WelcomeSchema>;
