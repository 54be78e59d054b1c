/** Removes the argument's path from the start of an error message that is shown at the field itself. */
export function fieldMessage(field: string, message: string): string {
  if (!message.startsWith(`${field}: `)) return message;
  const rest = message.slice(field.length + 2);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
