/**
 * The programs of the cluster, started as an ordinary user: PostgreSQL and PgBouncer refuse root. Each ends with the
 * bench, however that ends: the kernel kills what was started here, and {@link endAllIn} finds what those have
 * started themselves by the folder they work in.
 */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildProcess } from '../support/child-process.ts';
import { SYNC_LIMIT_MS, spawn, spawnSync } from '../support/child-process.ts';

/** Whom root starts them as. */
export interface OrdinaryUser {
  readonly uid: number;
  readonly gid: number;
}

/** A started program. */
export interface Program {
  readonly pid: number;
  isRunning(): boolean;
  signal(name: NodeJS.Signals): void;
  end(name: NodeJS.Signals): Promise<void>;
}

/** What to start. */
export interface ProgramOrder {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly setpriv: string;
  readonly user: OrdinaryUser | undefined;
  /** After so long it is killed, in milliseconds. */
  readonly limitMs: number;
}

/** The user `nobody`, for root; undefined for everybody else, who is ordinary already. */
export function ordinaryUser(): OrdinaryUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ask = (flag: string): number =>
    Number(spawnSync('id', [flag, 'nobody'], { timeout: SYNC_LIMIT_MS }).stdout.toString());
  return { uid: ask('-u'), gid: ask('-g') };
}

/** Starts it; what it prints goes to a file of its name in its folder. */
export function startProgram(order: ProgramOrder): Program {
  const { name, command, args, folder, setpriv, user, limitMs } = order;
  const log = openSync(join(folder, `${name}.log`), 'a');
  const as =
    user === undefined
      ? []
      : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--'];
  // The program takes the place of setpriv: the number of the process is its own.
  const child: ChildProcess = spawn(setpriv, ['--pdeathsig=KILL', ...as, command, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', log, log],
    timeout: limitMs,
  });
  closeSync(log);
  const ended = new Promise<void>((done) => {
    child.once('exit', () => done());
    child.once('error', () => done());
  });
  return {
    pid: child.pid ?? -1,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    signal: (signal) => void child.kill(signal),
    async end(signal): Promise<void> {
      child.kill(signal);
      await ended;
    },
  };
}

/** Processes that work in the folder: PostgreSQL's work in their data folder. */
export function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const place = readlinkSync(`/proc/${name}/cwd`);
        return place === folder || place.startsWith(`${folder}/`);
      } catch {
        return false;
      }
    })
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** The one among them whose title holds a word, such as `walreceiver`. */
export function processTitled(folder: string, word: string): number | undefined {
  return processesIn(folder).find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
    } catch {
      return false;
    }
  });
}

/** Sends a signal to all of them, twice, because one may start another meanwhile. */
export function signalAllIn(folder: string, signal: NodeJS.Signals): void {
  for (const pid of [...processesIn(folder), ...processesIn(folder)]) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended meanwhile.
    }
  }
}

/** Kills whatever works in the folder, and takes away what was mounted there. */
export function endAllIn(folder: string): void {
  signalAllIn(folder, 'SIGKILL');
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((place) => place.startsWith(`${folder}/`));
  for (const place of mounts) spawnSync('umount', ['--lazy', place], { timeout: SYNC_LIMIT_MS });
}
