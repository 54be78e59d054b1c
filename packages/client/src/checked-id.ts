/** Returns an id as a part of a path. @throws {TypeError} it is empty, or `.` or `..`, which would lead to another path */
export function pathPart(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError(`${JSON.stringify(id)} is no id`);
  return encodeURIComponent(id);
}
