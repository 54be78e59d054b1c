import { Entrance } from '../sign-in/entrance.js';
import type { ConsoleSession } from '@perch/schema';

export default function SignUpPage({ session }: { session: ConsoleSession; invitation: string | undefined }) {
  return <Entrance title="Make an account">{session.sign_up}</Entrance>;
}
