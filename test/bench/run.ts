/** `npm run bench`: its parts, one after the other, with the same options. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A part that takes longer hangs: the longest needs a quarter of an hour on two cores. */
const PART_LIMIT_MS = 3_600_000;

for (const part of ['main.ts', 'others.ts', 'refunded.ts']) {
  const script = fileURLToPath(new URL(part, import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], {
    stdio: 'inherit',
    timeout: PART_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  if (status !== 0) process.exit(status ?? 1);
}
