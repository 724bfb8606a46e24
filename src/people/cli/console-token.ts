/**
 * The administrator's token where no setting holds one: it is made at each start and shown to a person, never
 * to a log. What is written to standard output ends in the journal of a machine or of a cluster, where
 * others read it for as long as it is kept.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '../../base/kernel/log.ts';

/** Where a demonstration leaves its token while no person looks at a terminal. */
export const TOKEN_FILE = '.forestall/console-token';

/** The first process of a machine or of a container. */
const FIRST_PROCESS = 1;

/** What a person may be looking at. */
export interface Terminal {
  /** Both ends are a terminal: somebody can type, and reads what is written. */
  readonly isWatched: boolean;
  write(text: string): void;
}

/** The terminal of this process. Standard output belongs to the log. */
export function ownTerminal(): Terminal {
  const { stdin, stderr, pid, ppid } = process;
  // A container has a terminal too where it was asked for; what is written there is kept as its log.
  const isContainer = [pid, ppid].includes(FIRST_PROCESS);
  return {
    isWatched: stdin.isTTY === true && stderr.isTTY === true && !isContainer,
    write: (text) => void stderr.write(text),
  };
}

export function makeConsoleToken(): string {
  return randomBytes(18).toString('base64url');
}

export interface TokenToTell {
  readonly token: string;
  /** What the settings hold: the person who set it knows it. */
  readonly isSet: boolean;
  readonly log: Log;
  /** @default that of this process */
  readonly terminal?: Terminal;
}

/** Shows the token to who looks at the terminal; without one, the log says what to set. */
export function tellConsoleToken({
  token,
  isSet,
  log,
  terminal = ownTerminal(),
}: TokenToTell): void {
  if (isSet) return;
  if (terminal.isWatched) {
    terminal.write(`Console token until this process ends: ${token}\n`);
    return;
  }
  log.warn(
    'No administrator’s token is set, and none is written to a log: sign in as an operator (forestall operators add), or set FORESTALL_CONSOLE_TOKEN_FILE, or FORESTALL_CONSOLE_TOKEN, and start again.',
  );
}

/** Leaves the token of a demonstration in a file that only its owner may read; returns what takes it away. */
export async function leaveConsoleToken(
  token: string,
  file: string = TOKEN_FILE,
): Promise<() => Promise<void>> {
  await mkdir(dirname(file), { recursive: true });
  // Made again: one that is there may be open to others, or be a link.
  await rm(file, { force: true });
  await writeFile(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return async () => await rm(file, { force: true });
}
