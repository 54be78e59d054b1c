/**
 * The release of the service, which instances announce to each other. It is not the version of the interface (`interfaceVersion`), which
 * programs see and which changes with the interface alone. A test compares it with every package.json.
 */
export const release = '0.10.0';
