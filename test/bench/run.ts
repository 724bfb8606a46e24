/** `npm run bench`: both halves, one after the other, with the same options. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

for (const half of ['main.ts', 'others.ts']) {
  const script = fileURLToPath(new URL(half, import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
