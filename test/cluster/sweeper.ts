/**
 * Waits for the end of the bench, or of its time, and clears its folder: `node sweeper.ts FOLDER PID LIMIT_MS`. A bench that was
 * killed leaves nothing behind.
 */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { endAllIn } from './programs.ts';

const LOOK_EVERY_MS = 2_000;

const [folder = '', pid = '', limitMs = ''] = process.argv.slice(2);
const endMs = Date.now() + Number(limitMs);

function isThere(): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}

while (isThere() && Date.now() < endMs) await sleep(LOOK_EVERY_MS);
if (isThere()) process.kill(Number(pid), 'SIGKILL');
endAllIn(folder);
rmSync(folder, { recursive: true, force: true });
