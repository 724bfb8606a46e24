/**
 * Keeps the processors of a virtual machine from falling asleep while the bench measures.
 *
 * A processor without work gives itself back to the host, and on a busy host it waits to get it again.
 * What is then measured is the host's queue: it hits whatever hands work between processes (a commit),
 * and hardly what keeps one busy (the ceiling), so ratios fall with the neighbours' work. One process
 * for each core that runs only when nobody else wants to (`SCHED_IDLE`) keeps them.
 *
 * Not where Linux groups processes by session (autogroups): there each session gets an equal share before
 * policies are compared. A keeper then takes half of a processor from PostgreSQL, whose processes have sessions
 * of their own, and each of their wake-ups waits for a tick: a commit took 4 ms instead of 0.4.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

/** The processes that keep the processors. */
export interface Keepers {
  /** Empty where sessions are grouped, and where the system has no `chrt`: then nothing is kept. */
  readonly pids: readonly number[];
  stop(): void;
}

const SPIN = 'for (;;);';

/** Whether Linux shares processors between sessions; systems that do not say so have no such groups. */
async function areSessionsGrouped(): Promise<boolean> {
  const path = '/proc/sys/kernel/sched_autogroup_enabled';
  return (await readFile(path, 'utf8').catch(() => '0')).trim() === '1';
}

/** Starts the keepers. They end with {@link Keepers.stop}, and with this process. */
export async function keepAwake(): Promise<Keepers> {
  const children: ChildProcess[] = [];
  if (await areSessionsGrouped()) return { pids: [], stop: () => undefined };
  for (let core = 0; core < availableParallelism(); core++) {
    const child = spawn('chrt', ['--idle', '0', process.execPath, '--eval', SPIN], {
      stdio: 'ignore',
    });
    const hasStarted = await new Promise<boolean>((done) => {
      child.once('spawn', () => done(true));
      child.once('error', () => done(false));
    });
    if (hasStarted) children.push(child);
  }
  const stop = (): void => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', stop);
  return { pids: children.map((child) => child.pid ?? 0), stop };
}
