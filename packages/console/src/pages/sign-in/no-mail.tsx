/** Says what to do without e-mail. The command is not in `code`, whose font would be a tenth of what the sign-in page loads. */
export function NoMail() {
  return (
    <>
      This Perch sends no <span className="unbroken">e-mail</span>. Ask the operator of this service for a sign-in link:{' '}
      <strong>perch account link</strong> creates one.
    </>
  );
}
