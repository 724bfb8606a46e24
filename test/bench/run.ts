/** `npm run bench`: its parts, one after the other, with the same options. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

for (const part of ['main.ts', 'others.ts', 'refunded.ts']) {
  const script = fileURLToPath(new URL(part, import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
