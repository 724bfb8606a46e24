/**
 * Every command of `forestall`, put together. Each is a thin file beside this one.
 */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { registerAdd } from './add.ts';
import { registerDoctor } from './doctor.ts';
import { registerEconomics } from './economics.ts';
import { registerErase } from './erase.ts';
import { registerHealth } from './health.ts';
import { addExamples, HELP } from './help.ts';
import { registerNotify } from './notify.ts';
import { registerOperators } from './operators.ts';
import { registerOrdersCommands } from './orders.ts';
import { registerPause } from './pause.ts';
import { registerPolicyCommands } from './policy.ts';
import { registerReconcile } from './reconcile.ts';
import { registerReseal } from './reseal.ts';
import { registerReviews } from './reviews.ts';
import { registerRoles } from './roles.ts';
import { openRunning } from './running.ts';
import { registerSandbox } from './sandbox.ts';
import { registerShadowReport } from './shadow-report.ts';
import { registerStart } from './start.ts';
import { registerVerify } from './verify.ts';

/** Makes the program. It throws a `CommanderError` where it would end the process. */
export function createProgram(): Command {
  const program = new Command('forestall')
    .description('The merchant’s side of a chargeback prevention service.')
    .version(readVersion())
    .showHelpAfterError('See forestall --help.')
    .configureHelp(HELP)
    .exitOverride();

  registerStart(program);
  registerRoles(program);
  registerSandbox(program);
  registerOrdersCommands(program, openRunning);
  registerOperators(program, openRunning);
  registerReconcile(program, openRunning);
  registerPause(program, openRunning);
  const policy = registerPolicyCommands(program, openRunning);
  registerEconomics(policy, openRunning);
  registerShadowReport(policy, openRunning);
  registerReviews(program, openRunning);
  registerNotify(program);
  registerAdd(program);
  registerVerify(program);
  registerErase(program, openRunning);
  registerReseal(program, openRunning);
  registerDoctor(program);
  registerHealth(program);
  addExamples(program);
  program.addHelpText(
    'after',
    '\nWithout a command: start.\n\nExamples:\n  $ forestall\n  $ forestall doctor\n  $ forestall help orders',
  );
  return program;
}

/** What asks about the program itself. */
const ABOUT: ReadonlySet<string> = new Set(['-h', '--help', '-V', '--version']);

/**
 * `forestall` alone is `forestall start`. A default command of the library would also take a misspelt name for
 * an argument of its own, and suggest nothing.
 */
export function withDefaultCommand(args: readonly string[]): string[] {
  const [first] = args;
  const isCommand = first !== undefined && (ABOUT.has(first) || !first.startsWith('-'));
  return isCommand ? [...args] : ['start', ...args];
}

function readVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && 'version' in value
    ? String(value.version)
    : 'unknown';
}
