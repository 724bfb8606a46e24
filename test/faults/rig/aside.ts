/** A second database for a process that must not meddle with the world of the other cases. */
import { forestall } from './rig.ts';
import type { Scene } from './scene.ts';
import { digits } from './scene.ts';

/** A migrated, empty database of its own. */
export interface AsideDatabase {
  readonly DATABASE_URL: string;
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** Makes it, its time that of the world. */
export async function asideDatabase({ rig }: Scene): Promise<AsideDatabase> {
  const { postgres, folder } = rig;
  const name = `aside_${digits(8)}`;
  await postgres.createDatabase(name);
  await postgres.moveClock(name, rig.aheadMs());
  const DATABASE_URL = postgres.url(name, postgres.port);
  const env = { ...rig.environment('work'), DATABASE_URL };
  const migrate = forestall(folder, { name: `migrate-${name}`, args: ['migrate'], env });
  if ((await migrate.ended).code !== 0) throw new Error(`migrate failed:\n${migrate.text()}`);
  return { DATABASE_URL, sql: (text, values) => postgres.query(name, text, values) };
}
