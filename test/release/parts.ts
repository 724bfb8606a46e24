/**
 * The list of parts of the package, as CycloneDX. `npm sbom --omit=dev` leaves out what development
 * dependencies need as well (seen with npm 11: pino, yaml, zod), so the list is made of a tree without them.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync, SYNC_LIMIT_MS } from '../support/child-process.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** The list, as JSON. Needs no network: every part stands in the lockfile. */
export function listParts(): string {
  const folder = mkdtempSync(join(tmpdir(), 'forestall-parts-'));
  const npm = (...args: readonly string[]): string =>
    execFileSync('npm', [...args, '--package-lock-only'], {
      cwd: folder,
      encoding: 'utf8',
      // The list of a large tree is longer than the default.
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: SYNC_LIMIT_MS,
    });
  try {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const { devDependencies: _, ...shipped } = manifest;
    writeFileSync(join(folder, 'package.json'), JSON.stringify(shipped));
    copyFileSync(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));
    npm('install', '--offline', '--ignore-scripts');
    return npm('sbom', '--sbom-format=cyclonedx');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
