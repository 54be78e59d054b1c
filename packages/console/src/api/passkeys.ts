/** Passkeys of the account, and signing in with one. The browser's part (WebAuthn) is loaded when it is first needed. */
import type {
  AddPasskeyBody,
  ConfirmedBody,
  ConsolePasskey,
  ConsoleSession,
  PasskeyAnswer,
  PasskeyOptionsAnswer,
  PasskeysAnswer,
  SignedIn,
  SignInBody,
} from '@perch/schema';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCaller } from './api.js';
import { CallError } from './call-error.js';
import { useSessionStart } from './session.js';

const passkeysKey = ['passkeys'];

/** Returns whether service and browser offer passkeys on this page. */
export function offersPasskeys({ passkey_host: host }: ConsoleSession): boolean {
  return host !== null && 'PublicKeyCredential' in window;
}

export function usePasskeys() {
  const caller = useCaller();
  return useQuery<PasskeysAnswer, CallError>({
    queryKey: passkeysKey,
    queryFn: ({ signal }) => caller.get('/console/passkeys', { signal }),
  });
}

/** The browser asks the user between the two requests. */
export function useAddPasskey() {
  const caller = useCaller();
  return useChange<PasskeyAnswer, { name: string } & ConfirmedBody>(async ({ name, ...confirmed }) => {
    const { options } = await caller.post<PasskeyOptionsAnswer>('/console/passkeys/options', confirmed);
    const { startRegistration } = await import('@simplewebauthn/browser');
    const passkey = await asked(() => startRegistration({ optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON }));
    const body: AddPasskeyBody = { ...(name === '' ? {} : { name }), passkey };
    return caller.post('/console/passkeys', body);
  });
}

export function useRenamePasskey(id: ConsolePasskey['id']) {
  const caller = useCaller();
  return useChange<PasskeyAnswer, { name: string }>((body) => caller.call('PATCH', pathOf(id), { body }));
}

export function useRemovePasskey(id: ConsolePasskey['id']) {
  const caller = useCaller();
  return useChange<unknown, ConfirmedBody>((body) => caller.post(`${pathOf(id)}/removal`, body));
}

export function usePasskeySignIn() {
  return useSessionStart<void>(async (caller) => {
    const { options } = await caller.post<PasskeyOptionsAnswer>('/console/session/options');
    const { startAuthentication } = await import('@simplewebauthn/browser');
    const passkey = await asked(() => startAuthentication({ optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON }));
    const body: SignInBody = { passkey };
    return caller.post<SignedIn>('/console/session', body);
  });
}

function useChange<Answer, Sent>(mutationFn: (sent: Sent) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation<Answer, CallError, Sent>({
    mutationFn,
    onSuccess: async () => {
      // The session says whether the account has a passkey.
      void client.invalidateQueries({ queryKey: ['session'] });
      await client.invalidateQueries({ queryKey: passkeysKey });
    },
  });
}

function pathOf(id: string): string {
  return `/console/passkeys/${encodeURIComponent(id)}`;
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new CallError('passkey_failed', sentenceOf(error), { cause: error });
  }
}

function sentenceOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'InvalidStateError') return 'This device or password manager already has a passkey for your account.';
  if (name === 'NotAllowedError' || name === 'AbortError') return 'It was cancelled, or it took too long. Try again.';
  return 'The browser could not use a passkey here. Try another browser or device.';
}
