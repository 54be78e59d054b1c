/** What a person can do who forgot the password where this Perch sends no e-mail. */
export function NoMail() {
  return (
    <>
      This Perch sends no e-mail. Ask the operator of this service for a sign-in link: <code>perch account link</code> creates one.
    </>
  );
}
