/**
 * What a console with a database role of its own is believed, when it says who changes rights. Tokens of operators the database
 * compares itself. The console token, and whether the word of the identity provider suffices, are said by the tables' owner.
 */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { sayingRights } from './people-change.ts';
import { hashSecret } from './secret.ts';

export interface Trust {
  /** @default as before */
  readonly consoleToken?: string | undefined;
  /** @default as before; at first it does not */
  readonly provider?: boolean | undefined;
}

/**
 * Says it for those who are entered for an organisation, or for the installation. Only the tables' owner may.
 *
 * @throws {RightsError} this database user may not
 */
export async function trustConsole(
  db: Db,
  home: string,
  { consoleToken, provider }: Trust,
): Promise<void> {
  const hash = consoleToken === undefined ? null : hashSecret(consoleToken);
  const said = sql`select trust_console(${home}, ${hash}, ${provider ?? null})`;
  await sayingRights(() => said.execute(db));
}
