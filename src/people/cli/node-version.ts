/** Whether this Node.js can run Forestall. Imports nothing, and uses nothing that an old Node.js lacks. */

/** The oldest that works, as `engines` in `package.json` says. */
export const OLDEST_NODE = [22, 20] as const;

/** What to tell somebody with this version; undefined when it is new enough. */
export function tooOldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Forestall needs Node.js ${OLDEST_NODE.join('.')} or later, and this is ${version}.\nInstall a newer one from https://nodejs.org, or run the container image.`;
}
