/** `forestall operators list`: who may use the console, and as what. */
import { listOperators } from '../console/access/operator.store.ts';
import { listRights } from '../console/access/right.store.ts';
import type { Role } from '../console/access/role.ts';
import type { People } from './open-people.ts';

/** What `operators list --json` says of each. */
interface OperatorLine {
  readonly name: string;
  readonly role: Role | null;
  readonly has_token: boolean;
  readonly email: string | null;
  readonly created_at: string;
  readonly created_by: string;
  /** The organisation; null: the installation. */
  readonly entered_for?: string | null;
  readonly rights?: Readonly<Record<string, Role>>;
}

export async function printOperators(
  { db, home, organisations }: People,
  json = false,
): Promise<void> {
  const paths = new Map(organisations.map(({ id, path }) => [id, path]));
  const rights = await listRights(db, [...paths.keys()]);
  const rowsOf = async (of: string): Promise<OperatorLine[]> =>
    (await listOperators(db, of)).map((row) => ({
      name: row.name,
      role: row.role,
      has_token: row.token_hash !== null,
      email: row.email,
      created_at: row.created_at.toISOString(),
      created_by: row.created_by,
      ...(organisations.length === 0
        ? {}
        : {
            entered_for: paths.get(of) ?? null,
            rights: Object.fromEntries(
              rights
                .filter((right) => right.home === of && right.operatorId === row.id)
                .map(({ organisationId, role }) => [paths.get(organisationId) ?? '', role]),
            ),
          }),
    }));
  const rows = (await Promise.all([home, ...paths.keys()].map(rowsOf))).flat();
  if (json) {
    console.log(JSON.stringify({ operators: rows }, null, 2));
    return;
  }
  if (rows.length === 0) console.log('No operator yet: only the console token lets anybody in.');
  for (const row of rows) console.log(lineOf(row));
}

function lineOf(row: OperatorLine): string {
  const { name, role, has_token: hasToken, email, entered_for: enteredFor, rights = {} } = row;
  const ways = [hasToken ? 'token' : null, email].filter((way) => way !== null).join(', ');
  const given = Object.entries(rights).map(([path, own]) => `${path}: ${own}`);
  const may = [
    ...(role === null ? [] : [enteredFor === null ? `${role} of all` : role]),
    ...(enteredFor == null ? [] : [`of ${enteredFor}`]),
    ...given,
  ].join(' ');
  return `${name.padEnd(24)} ${may.padEnd(14)} ${ways}`;
}
