/**
 * `npm run release:check`: a dry run of everything that publishing a release relies on. With `--tag v0.2.0`,
 * also that the tag is the version and that the changelog has its day. `--parts` prints the list of parts.
 *
 * What takes minutes comes last: the documentation site, and the stranger's way from the packed tarball to a
 * restore. `--quick` leaves it out.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { actionFaults, linkFaults, partFaults, upgradeFaults, versionFaults } from './checks.ts';
import { listParts } from './parts.ts';

/** The stranger's way takes some minutes; one that takes an hour hangs. */
const LONG_LIMIT_MS = 3_600_000;
const { values } = parseArgs({
  options: {
    tag: { type: 'string' },
    parts: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});
const ROOT = new URL('../../', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const list = (path: string): string[] => readdirSync(join(ROOT, path));

const manifest = JSON.parse(read('package.json')) as {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};
const changelog = read('CHANGELOG.md');
const parts = listParts();
const sbom = JSON.parse(parts) as Parameters<typeof partFaults>[0];
const guides = readdirSync(join(ROOT, 'templates/guides'), { recursive: true, encoding: 'utf8' });
const texts = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'src/README.md'],
  ...guides.filter((name) => name.endsWith('.md')).map((name) => `templates/guides/${name}`),
];
const faults = [
  ...versionFaults(changelog, { version: manifest.version, tag: values.tag }),
  ...upgradeFaults(changelog, list('test/upgrade')),
  ...list('.github/workflows').flatMap((name) =>
    actionFaults(name, read(`.github/workflows/${name}`)),
  ),
  ...texts.flatMap((file) => linkFaults(file, read(file), (path) => existsSync(join(ROOT, path)))),
  ...partFaults(sbom, manifest.dependencies),
];
if (faults.length === 0 && !values.parts && !values.quick) faults.push(...longFaults());
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
else if (values.parts) process.stdout.write(parts);
else
  process.stdout.write(`${manifest.version} can be released: ${sbom.components.length} parts.\n`);

/** Tests that every run of the suite would be too slow for. */
function longFaults(): string[] {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [
    'run',
    '--config',
    'test/vitest.config.ts',
    'test/docs/site',
    'test/release/stranger',
  ];
  const env = { ...process.env, FORESTALL_TEST_RELEASE: '1' };
  const { status } = spawnSync(process.execPath, [vitest, ...args], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
    timeout: LONG_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  return status === 0 ? [] : ['The documentation or the stranger’s way fails: see above.'];
}
