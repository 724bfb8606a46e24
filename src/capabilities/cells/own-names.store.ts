/** Names of people at both sides of a move: a name is one person's in a whole database. */
import { ConfigError } from '../../base/kernel/errors.ts';
import type { MoveContext } from './move-context.ts';

/** Names of operators taken from two places show at most so many. */
const NAMES_SHOWN = 5;

/** Before anything is written at the target. @throws {ConfigError} when the target has somebody of the same name */
export async function requireOwnNames({
  source,
  target,
  organisationId,
}: MoveContext): Promise<void> {
  const own = await source.pool.query<{ key: string }>(
    'select name_key as key from console_operator where organisation_id = $1 and name_key is not null',
    [organisationId],
  );
  const keys = own.rows.map(({ key }) => key);
  const { rows } = await target.pool.query<{ name: string }>(
    'select name from console_operator where name_key = any ($1) and organisation_id <> $2 order by name',
    [keys, organisationId],
  );
  if (rows.length === 0) return;
  const names = rows.slice(0, NAMES_SHOWN).map(({ name }) => name);
  throw new ConfigError(
    `At the target there are operators of the same name already: ${names.join(', ')}. A name is one person's in a whole database: remove them at one side ("forestall operators remove") and add them by another name, then run this again.`,
  );
}
