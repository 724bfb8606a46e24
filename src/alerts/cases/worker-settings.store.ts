/** How the worker that started last is set: what the rows alone do not show. */
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import { readNamedValue, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import { WORKER_SETTINGS } from './waits-for-people.store.ts';

const settingsSchema = z.object({
  mode: z.enum(['live', 'shadow']),
  hasProcessor: z.boolean(),
  /** Ways to people, in the order in which they are tried. */
  channels: z.array(z.string()),
  pollSeconds: z.number(),
  /** Who says which policy is in force: a file, the program around the library, or people in the console. */
  policy: z.enum(['file', 'program', 'console']).optional(),
});

/** How a worker is set, as far as it matters to what works. */
export type WorkerSettings = z.infer<typeof settingsSchema>;

/** Notes how a worker that starts is set, for all who tell people what works. */
export async function writeWorkerSettings(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
  value: WorkerSettings,
): Promise<void> {
  await writeNamedValue(db, { organisationId, name: WORKER_SETTINGS, value, at: now });
}

export function workerSettingsOf(value: unknown): WorkerSettings | undefined {
  return settingsSchema.safeParse(value).data;
}

/** Undefined: no worker has started since the version that notes them. */
export async function readWorkerSettings(
  db: Db,
  organisationId: string,
): Promise<WorkerSettings | undefined> {
  return workerSettingsOf(await readNamedValue(db, organisationId, WORKER_SETTINGS));
}

/** Who says which policy is in force; undefined while no worker has said so. */
export async function readPolicyOwner(
  db: Db,
  organisationId: string,
): Promise<WorkerSettings['policy']> {
  return (await readWorkerSettings(db, organisationId))?.policy;
}
