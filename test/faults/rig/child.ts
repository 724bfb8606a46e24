/**
 * One program started by the fault runner: what it prints is kept, in memory and in a file, so that a
 * failing case can show it and the last case can search it for secrets.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** How a program ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What to start. */
export interface ChildOptions {
  /** Names it in logs and messages, for example `work-1`. */
  readonly name: string;
  readonly args: readonly string[];
  /** The whole environment besides PATH, HOME and Node's cache: no setting of the machine reaches the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Everything printed is appended here. */
  readonly logFile: string;
  /** What the program is started through, for example a shell that sets limits; it ends in `exec`. */
  readonly through?: readonly string[] | undefined;
}

/** A started program. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly ended: Promise<Ending>;
  isRunning(): boolean;
  /** Everything printed so far. */
  text(): string;
  /** Resolves with the match once `pattern` was printed; fails when the program ends before. */
  printed(pattern: RegExp, limitMs?: number): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
  /** Sends a signal and waits for the end. */
  end(name: NodeJS.Signals): Promise<Ending>;
}

/** What Node made of our sources, kept between starts and runs: a run starts over a hundred programs. */
const COMPILE_CACHE = fileURLToPath(new URL('../../../.forestall/compile-cache/', import.meta.url));

/** A start on a busy machine. */
const PRINT_LIMIT_MS = 90_000;

const alive = new Set<ChildProcess>();

/** Starts the program on the pinned Node. */
export function startChild(options: ChildOptions): Child {
  const { name, args, env, folder, logFile, through = [] } = options;
  const [program = process.execPath, ...rest] = [...through, process.execPath, ...args];
  const child = spawn(program, rest, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  let text = '';
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer): void => {
    text += chunk.toString('utf8');
    appendFileSync(logFile, chunk);
    for (const look of [...listeners]) look();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = once(child, 'close').then(([code, signal]): Ending => {
    alive.delete(child);
    for (const look of [...listeners]) look();
    return { code, signal };
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    name,
    pid: child.pid ?? -1,
    ended,
    isRunning,
    text: () => text,
    async printed(pattern, limitMs = PRINT_LIMIT_MS): Promise<RegExpExecArray> {
      return await new Promise((done, fail) => {
        const stop = (): void => {
          clearTimeout(timer);
          listeners.delete(look);
        };
        const look = (): void => {
          const match = pattern.exec(text);
          if (match !== null) {
            stop();
            done(match);
          } else if (!alive.has(child)) {
            stop();
            fail(new Error(`${name} ended before printing ${pattern}:\n${text.slice(-2_000)}`));
          }
        };
        const timer = setTimeout(() => {
          stop();
          fail(new Error(`${name} did not print ${pattern}:\n${text.slice(-2_000)}`));
        }, limitMs);
        listeners.add(look);
        look();
      });
    },
    signal(signalName): void {
      child.kill(signalName);
    },
    async end(signalName): Promise<Ending> {
      child.kill(signalName);
      return await ended;
    },
  };
}

/** Ends whatever is left; the runner calls it last and when it is interrupted. */
export function killAll(): void {
  for (const child of alive) child.kill('SIGKILL');
}
