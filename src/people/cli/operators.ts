/**
 * `forestall operators`: who may use the console, as what.
 *
 * Needs the database only, so that somebody can be let in, or locked out, while everything else is down.
 */
import type { Command } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { OperatorChange } from '../console/access/operator.store.ts';
import {
  addOperator,
  listOperators,
  OPERATOR_FAULTS,
  removeOperator,
  renewToken,
  setRole,
} from '../console/access/operator.store.ts';
import type { Role } from '../console/access/role.ts';
import { ROLE_WORDS, ROLES } from '../console/access/role.ts';
import { EXIT } from './exit.ts';
import type { OpenOrdersContext, OrdersContext } from './orders.ts';
import { withContext } from './orders.ts';

/** Whose name stands in the audit log. */
const OPERATOR = 'cli';

type Work = (context: OrdersContext) => Promise<void>;

/** Adds the command to the program. */
export function registerOperators(program: Command, openContext: OpenOrdersContext): void {
  const run = (work: Work): Promise<void> => withContext(openContext, work);
  const operators = program.command('operators');
  operators
    .command('add <name>')
    .description('adds an operator and prints the token, once')
    .requiredOption('--role <role>', ROLES.map((role) => `${role}: ${ROLE_WORDS[role]}`).join('; '))
    .option('--email <address>', 'the address that the identity provider knows')
    .option('--no-token', 'signs in at the identity provider only')
    .action(async (name: string, options: AddOptions) => await run((of) => add(of, name, options)));
  operators
    .command('list')
    .description('every operator')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }) => await run((of) => list(of, json)));
  operators
    .command('role <name> <role>')
    .description('gives an operator another role and ends their sessions')
    .action(async (name: string, role: string) => await run((of) => change(of, name, role)));
  operators
    .command('token <name>')
    .description('gives an operator a new token; the old one ends')
    .action(async (name: string) => await run((of) => renew(of, name)));
  operators
    .command('remove <name>')
    .description('removes an operator with token and sessions')
    .action(async (name: string) => await run((of) => remove(of, name)));
}

interface AddOptions {
  readonly role: string;
  readonly email?: string;
  /** Commander: false after `--no-token`. */
  readonly token: boolean;
}

function changeOf({ clock, organisationId }: OrdersContext, name: string): OperatorChange {
  return { organisationId, name, by: OPERATOR, now: nowDate(clock) };
}

function roleOf(word: string): Role {
  const role = ROLES.find((one) => one === word);
  if (role === undefined) throw new ConfigError(`The role must be one of ${ROLES.join(', ')}.`);
  return role;
}

async function add(context: OrdersContext, name: string, options: AddOptions): Promise<void> {
  const { email, token: withToken } = options;
  const role = roleOf(options.role);
  if (!withToken && email === undefined) {
    throw new ConfigError('Without a token an operator needs --email.');
  }
  const added = await addOperator(context.db, {
    ...changeOf(context, name),
    role,
    email,
    withToken,
  });
  if (!added.ok) return refuse(OPERATOR_FAULTS[added.reason]);
  const { token } = added;
  console.log(token === undefined ? `${name} may sign in at the identity provider.` : token);
}

async function list({ db, organisationId }: OrdersContext, json = false): Promise<void> {
  const rows = (await listOperators(db, organisationId)).map((row) => ({
    name: row.name,
    role: row.role,
    has_token: row.token_hash !== null,
    email: row.email,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
  }));
  if (json) {
    console.log(JSON.stringify({ operators: rows }, null, 2));
    return;
  }
  if (rows.length === 0) console.log('No operator yet: only the console token lets anybody in.');
  for (const { name, role, has_token: hasToken, email } of rows) {
    const ways = [hasToken ? 'token' : null, email].filter((way) => way !== null).join(', ');
    console.log(`${name.padEnd(24)} ${role.padEnd(14)} ${ways}`);
  }
}

async function change(context: OrdersContext, name: string, word: string): Promise<void> {
  const role = roleOf(word);
  const isDone = await setRole(context.db, { ...changeOf(context, name), role });
  report(isDone, `${name} is ${role} now; their sessions ended.`);
}

async function renew(context: OrdersContext, name: string): Promise<void> {
  const token = await renewToken(context.db, changeOf(context, name));
  report(token !== undefined, token ?? '');
}

async function remove(context: OrdersContext, name: string): Promise<void> {
  const isDone = await removeOperator(context.db, changeOf(context, name));
  report(isDone, `${name} is no operator any more.`);
}

function report(isDone: boolean, text: string): void {
  if (isDone) console.log(text);
  else refuse(OPERATOR_FAULTS.not_found);
}

function refuse(reason: string): void {
  console.error(reason);
  process.exitCode = EXIT.wrong;
}
