/** What must hold before a release is published. Each check names what is wrong; nothing found is good. */

/** A release as its heading in the changelog says. */
interface Heading {
  readonly version: string;
  /** ISO 8601; undefined while it is not released. */
  readonly day: string | undefined;
}

function headingsOf(changelog: string): Heading[] {
  return [...changelog.matchAll(/^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d|unreleased)\)$/gm)].map(
    ([, version = '', day]) => ({ version, day: day === 'unreleased' ? undefined : day }),
  );
}

/** The newest heading is the package's version; with a tag, both are the tag's, and the heading has its day. */
export function versionFaults(
  changelog: string,
  { version, tag }: { readonly version: string; readonly tag?: string | undefined },
): string[] {
  const [newest] = headingsOf(changelog);
  if (newest?.version !== version) {
    return [`CHANGELOG.md begins with ${newest?.version}, package.json says ${version}.`];
  }
  if (tag === undefined) return [];
  if (tag !== `v${version}`) return [`The tag ${tag} is not v${version}. Tag the commit again.`];
  if (newest.day !== undefined) return [];
  return [`CHANGELOG.md says that ${version} is unreleased. Write its day there, and tag that.`];
}

/** A database of each released version is upgraded by a test. */
export function upgradeFaults(changelog: string, dumps: readonly string[]): string[] {
  return headingsOf(changelog)
    .filter(({ version, day }) => day !== undefined && !dumps.includes(`${version}.sql.gz`))
    .map(({ version }) => `test/upgrade/${version}.sql.gz is missing: nobody tries that upgrade.`);
}

/** A tag can be moved to other code by whoever owns the action; a commit cannot. */
export function actionFaults(file: string, workflow: string): string[] {
  return [...workflow.matchAll(/\buses: *(\S+)(.*)$/gm)]
    .filter(([, action = '', comment = '']) => {
      return !/@[0-9a-f]{40}$/.test(action) || !/# v\d+\.\d+\.\d+$/.test(comment);
    })
    .map(
      ([, action]) => `${file}: ${action} is not pinned to a commit with its version beside it.`,
    );
}

/** Relative links of a text lead to files that exist. `folder`: of the text, from the project's root. */
export function linkFaults(
  file: string,
  text: string,
  exists: (path: string) => boolean,
): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
    .filter((target) => !exists(new URL(target, `file:///${file}`).pathname.slice(1)))
    .map((target) => `${file}: there is no ${target}.`);
}

/** What npm's list of parts must hold: everything that a merchant installs with the package. */
export function partFaults(
  sbom: { readonly components: readonly { readonly name: string; readonly version: string }[] },
  dependencies: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(dependencies)
    .filter(([name, version]) => {
      return !sbom.components.some((part) => part.name === name && part.version === version);
    })
    .map(([name, version]) => `The list of parts lacks ${name} ${version}.`);
}
