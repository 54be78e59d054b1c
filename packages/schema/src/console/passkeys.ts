/** Passkeys on the web page: what it sends, and the service's answers. Only types reach the page. */
import { Type, type Static } from 'typebox';
import { argsObject } from '../definition/action.js';
import { compile } from '../validation/ajv.js';
import { nameCharsMax } from '../base/plain-text.js';
import { problemError } from '../base/open-object.js';
import { checked, trimmedName } from './checked-body.js';

export interface ConsolePasskey {
  id: string;
  name: string;
  /** Host name of the page that it was added on, and signs in at. */
  host: string;
  /** Whether its provider copies it to the user's other devices. */
  synced: boolean;
  created_at: string;
  /** RFC 3339; null: not since it was added. */
  last_used: string | null;
}

/** GET /console/passkeys, oldest first. */
export interface PasskeysAnswer {
  ok: true;
  passkeys: ConsolePasskey[];
}

/** POST /console/passkeys/options and POST /console/passkeys/{passkey}/removal. `current` is required if the account has a password. */
export interface ConfirmedBody {
  current?: string;
}

/** Answer to POST /console/passkeys/options, for `navigator.credentials.create()`, and of POST /console/session/options, for `get()`. Valid for 5 minutes. */
export interface PasskeyOptionsAnswer {
  ok: true;
  /** In the JSON form of WebAuthn Level 3. */
  options: Readonly<Record<string, unknown>>;
}

/** POST /console/passkeys. */
export interface AddPasskeyBody {
  /** Default: browser and system. */
  name?: string;
  passkey: NewPasskeyResponse;
}

/** Answer to POST /console/passkeys and PATCH /console/passkeys/{passkey}, whose body is `{name}`. */
export interface PasskeyAnswer {
  ok: true;
  passkey: ConsolePasskey;
}

const base64url = (charsMax: number) => Type.String({ minLength: 1, maxLength: charsMax, pattern: '^[A-Za-z0-9_-]+$' });

/** Browsers send more fields, and may send others in future: those that the service does not read are ignored. */
const credential = {
  /** A credential id has at most 1,023 bytes. */
  id: base64url(1364),
  type: Type.Literal('public-key'),
};
const clientDataJSON = base64url(4096);

const newPasskey = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON,
    attestationObject: base64url(12_288),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
});
const usedPasskey = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON,
    authenticatorData: base64url(4096),
    signature: base64url(4096),
    userHandle: Type.Optional(Type.Union([base64url(128), Type.Null()])),
  }),
});

export type NewPasskeyResponse = Static<typeof newPasskey>;
export type UsedPasskeyResponse = Static<typeof usedPasskey>;

const name = () => Type.String({ maxLength: nameCharsMax });
const fitsAdd = compile<AddPasskeyBody>(argsObject({ name: Type.Optional(name()), passkey: newPasskey }));
const fitsSignIn = compile<{ passkey: UsedPasskeyResponse }>(argsObject({ passkey: usedPasskey }));
const fitsName = compile<{ name: string }>(argsObject({ name: name() }));

/** @returns '' for no name @throws {ApiError} bad_argument with `field`, as the others */
export function validateAddPasskey(body: unknown): Required<AddPasskeyBody> {
  const { name: given = '', passkey } = checked(fitsAdd, body, 'a passkey to be added');
  return { name: trimmedName(given), passkey };
}

export function validatePasskeySignIn(body: unknown): UsedPasskeyResponse {
  return checked(fitsSignIn, body, 'a sign-in with a passkey').passkey;
}

export function validatePasskeyName(body: unknown): string {
  const given = trimmedName(checked(fitsName, body, 'a passkey').name);
  if (given === '') throw problemError({ field: 'name', message: 'required, so that you can recognise the passkey later' });
  return given;
}
