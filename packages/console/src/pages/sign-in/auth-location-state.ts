/** State that the sign-in and sign-up pages pass to each other: the requested path and the typed e-mail address. */
import { useLocation } from 'react-router';

interface AuthLocationState {
  from?: string;
  email?: string;
}

export function useAuthLocationState(): AuthLocationState {
  const { state } = useLocation();
  return (state as AuthLocationState | null) ?? {};
}
