/**
 * The release of the service, which instances announce to each other. The version of the interface (`interfaceVersion`), which programs see,
 * changes only with the interface. A test compares the release with every package.json.
 */
export const release = '0.10.0';
