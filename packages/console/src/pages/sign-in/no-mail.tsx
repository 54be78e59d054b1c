/** Says what to do without e-mail. The command is not in `code`, whose font would be a tenth of what the sign-in page loads. */
export function NoMail() {
  return (
    <>
      This service sends no <span className="unbroken">e-mail</span>. Ask its operator for a sign-in link: <strong>perch account link</strong> creates
      one.
    </>
  );
}
