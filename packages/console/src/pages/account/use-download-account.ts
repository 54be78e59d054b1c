import { useMutation } from '@tanstack/react-query';
import { useCaller } from '../../api/api.js';
import { CallError, failureOf } from '../../api/call-error.js';

const savedWithinMs = 60_000;

/** Downloads everything that is stored about the account, as a file of the browser. Fails as a whole: an incomplete file is not saved. */
export function useDownloadAccount() {
  const caller = useCaller();
  return useMutation<void, CallError>({
    mutationFn: async () => {
      try {
        const response = await caller.raw('/console/account/export');
        if (!response.ok) throw failureOf(response.status, await response.text(), response.headers.get('Retry-After'));
        const [, name = 'perch-account.json'] = /filename="([\w.-]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
        save(await response.blob(), name);
      } catch (cause) {
        if (cause instanceof CallError) throw cause;
        throw new CallError('unreachable', 'The download was interrupted. Check your connection and try again.', { cause });
      }
    },
  });
}

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), savedWithinMs);
}
