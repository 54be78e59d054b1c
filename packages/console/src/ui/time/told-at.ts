/** The service's sentences begin with the argument's path, which a field of its own says already. */
export function toldAt(field: string, message: string): string {
  if (!message.startsWith(`${field}: `)) return message;
  const rest = message.slice(field.length + 2);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
