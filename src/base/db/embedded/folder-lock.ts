/**
 * A lock on a folder, held by a process: one Forestall per embedded database.
 *
 * The lock is a file naming its holder. A holder that was killed leaves its file behind; the file is
 * taken over once that process is gone, distinguished by its start time from a stranger that has since
 * been given the same process id.
 */
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../kernel/errors.ts';

interface Holder {
  readonly pid: number;
  /** Kernel start time of the process where the system tells it, else empty. */
  readonly started: string;
}

/**
 * Takes the lock and returns the function that gives it back.
 *
 * @throws {ConfigError} naming the process that holds it
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'owner.json');
  const own = await describe(process.pid);
  for (let attempt = 0; attempt < 2; attempt++) {
    if (await create(file, own)) return async () => await rm(file, { force: true });
    const holder = await readHolder(file);
    if (holder !== undefined && (await isAlive(holder))) {
      throw new ConfigError(
        `Forestall already runs on ${folder} (process ${holder.pid}). Stop that one first, start this one in another folder, or set DATABASE_URL.`,
      );
    }
    await rm(file, { force: true });
  }
  throw new ConfigError(`Two processes started on ${folder} at once. Start one of them again.`);
}

async function create(file: string, holder: Holder): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o644);
    await handle.writeFile(JSON.stringify(holder));
    await handle.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof value !== 'object' || value === null || !('pid' in value)) return undefined;
    const started = 'started' in value ? value.started : '';
    return typeof value.pid === 'number'
      ? { pid: value.pid, started: typeof started === 'string' ? started : '' }
      : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const now = await describe(holder.pid);
  return now.started === '' || holder.started === '' || now.started === holder.started;
}

/** Field 22 of /proc/<pid>/stat is the start time; elsewhere only the id is known. */
async function describe(pid: number): Promise<Holder> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, started: fields[19] ?? '' };
  } catch {
    return { pid, started: '' };
  }
}
