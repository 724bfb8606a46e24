/**
 * A limit of memory for one process: by the system where its control groups can be written, so that the
 * kernel kills what exceeds it, and by Node's own heap limit elsewhere.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Aside } from './rig.ts';

/** How a process is started under the limit, and how it ends when it meets it. */
export interface MemoryLimit {
  readonly how: Aside;
  readonly by: string;
  readonly signal: NodeJS.Signals;
  /** Takes the limit away, when its process has ended. */
  remove(): void;
}

const V1 = '/sys/fs/cgroup/memory';
const V2 = '/sys/fs/cgroup';

/** Makes the limit. */
export function limitMemory(megabytes: number): MemoryLimit {
  return (
    (existsSync(V1)
      ? controlGroup(V1, 'memory.limit_in_bytes', megabytes)
      : controlGroup(V2, 'memory.max', megabytes)) ?? {
      how: { node: [`--max-old-space-size=${megabytes}`] },
      by: 'the heap limit of Node: no control group can be made here',
      signal: 'SIGABRT',
      remove: () => undefined,
    }
  );
}

function controlGroup(root: string, file: string, megabytes: number): MemoryLimit | undefined {
  const folder = join(root, `forestall-faults-${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), String(megabytes * 1024 * 1024));
  } catch {
    return undefined;
  }
  return {
    how: {
      through: ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')}; exec "$@"`, 'sh'],
      node: [`--max-old-space-size=${4 * megabytes}`],
    },
    by: 'the kernel, in a control group',
    signal: 'SIGKILL',
    remove(): void {
      try {
        rmdirSync(folder);
      } catch {
        // Its process is still ending: the folder goes with the machine.
      }
    },
  };
}
