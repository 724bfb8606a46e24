/**
 * Every command of `forestall`: its name, what it is for, and the file beside this one that holds it.
 *
 * A file is loaded when its command is called: most of them load all of Forestall, and `--help` and
 * `--version` need none of it.
 */
import { readFileSync } from 'node:fs';
import { Command, Help } from 'commander';
import { CAPABILITY_COMMANDS } from '../../capabilities/commands.ts';
import type { ListedCommands } from '../../surface/terminal/command.ts';
import { addExamples, HELP } from './help.ts';
import type { OpenOrdersContext } from './orders.ts';

interface CommandFile {
  /** What each is for, by name. */
  readonly commands: Readonly<Record<string, string>>;
  readonly register: (program: Command) => Promise<void>;
}

const FILES: readonly CommandFile[] = [
  {
    commands: { start: 'runs everything in one process; with no settings, against the sandbox' },
    register: async (program) => (await import('./start.ts')).registerStart(program),
  },
  {
    commands: {
      serve: 'takes in webhooks; any number of replicas',
      work: 'does the work; any number of replicas',
      console: 'pages for people and the JSON API',
      migrate: 'brings the database up to date; safe to run from many replicas at once',
    },
    register: async (program) => (await import('./roles.ts')).registerRoles(program),
  },
  {
    commands: { sandbox: 'runs the service’s interface on this machine, in memory' },
    register: async (program) => (await import('./sandbox.ts')).registerSandbox(program),
  },
  {
    commands: { orders: 'the order feed' },
    register: onRunning(async () => (await import('./orders.ts')).registerOrdersCommands),
  },
  {
    commands: { organisations: 'the organisations of this installation' },
    register: async (program) => {
      (await import('./organisations.ts')).registerOrganisations(program);
      await registerUnder(program, 'organisations');
    },
  },
  {
    commands: { operators: 'who may use the console, as what' },
    register: async (program) => {
      const { registerOperators } = await import('./operators.ts');
      const { openPeople } = await import('./open-people.ts');
      registerOperators(program, openPeople);
    },
  },
  {
    commands: {
      reconcile: 'polls everything, compares service, processor and our rows, and reports',
    },
    register: async (program) => {
      const { registerReconcile } = await import('./reconcile.ts');
      registerReconcile(program, await loadOpenRunning());
      await registerUnder(program, 'reconcile');
    },
  },
  ...CAPABILITY_COMMANDS.filter(({ under }) => under === undefined).map(
    (listed): CommandFile => ({
      commands: listed.commands,
      register: async (program) =>
        await (await import('./capability-commands.ts')).registerListed(program, listed),
    }),
  ),
  {
    commands: {
      pause:
        'stops all refunds at once; alerts that need one wait for people, and fallbacks that accept still follow at their moment',
      resume: 'lets refunds go again; what the pause held continues',
      status: 'whether each part works, what was sent lately, and what waits for people',
    },
    register: onRunning(async () => (await import('./pause.ts')).registerPause),
  },
  { commands: { policy: 'the refund policy: check it, try it' }, register: registerPolicy },
  {
    commands: { reviews: 'alerts that wait for a person, least time left first' },
    register: onRunning(async () => (await import('./reviews.ts')).registerReviews),
  },
  {
    commands: { notify: 'messages to people' },
    register: async (program) => (await import('./notify.ts')).registerNotify(program),
  },
  {
    commands: { add: 'copies a template into this project: yours to change from then on' },
    register: async (program) => (await import('./add.ts')).registerAdd(program),
  },
  {
    commands: {
      verify:
        'plays situations in which money was lost before, on the sandbox with your configuration',
    },
    register: async (program) => (await import('./verify.ts')).registerVerify(program),
  },
  {
    commands: {
      erase:
        'erases a customer from everything but the books; connect as a forestall_app or forestall_owner',
    },
    register: onRunning(async () => (await import('./erase.ts')).registerErase),
  },
  {
    commands: { reseal: 'seals stored bodies and orders under the first of FORESTALL_DATA_KEYS' },
    register: onRunning(async () => (await import('./reseal.ts')).registerReseal),
  },
  {
    commands: {
      doctor: 'checks settings, database, service, keys, endpoint, processor, policy and orders',
    },
    register: async (program) => (await import('./doctor.ts')).registerDoctor(program),
  },
  {
    commands: { health: 'asks the local webhook listener whether it is alive' },
    register: async (program) => (await import('./health.ts')).registerHealth(program),
  },
];

export const COMMAND_NAMES: readonly string[] = FILES.flatMap(({ commands }) =>
  Object.keys(commands),
);

/**
 * Creates the program for these arguments: the command that they name is loaded, of the others it knows what
 * they are for. It throws a `CommanderError` where it would end the process.
 */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const [called] = args.filter((arg) => !arg.startsWith('-') && arg !== 'help');
  return await makeProgram((names) => called !== undefined && Object.hasOwn(names, called));
}

/** Creates the program with every command loaded. */
export async function createWholeProgram(): Promise<Command> {
  return await makeProgram(() => true);
}

async function makeProgram(
  isLoaded: (names: CommandFile['commands']) => boolean,
): Promise<Command> {
  const program = new Command('forestall')
    .description('The merchant’s side of a chargeback prevention service.')
    .version(readVersion())
    .showHelpAfterError('See forestall --help.')
    .configureHelp({ ...HELP, subcommandTerm })
    .exitOverride();
  for (const { commands, register } of FILES) {
    if (isLoaded(commands)) await register(program);
    else for (const name of Object.keys(commands)) program.command(name);
    for (const command of program.commands) {
      const summary = commands[command.name()];
      if (summary !== undefined) command.description(summary);
    }
  }
  for (const command of program.commands) {
    refuseUnknownWords(command);
    nameOwnHelp(command, `forestall ${command.name()}`);
  }
  addExamples(program);
  program.addHelpText(
    'after',
    '\nWithout a command: start.\n\nExamples:\n  $ forestall\n  $ forestall doctor\n  $ forestall help orders',
  );
  return program;
}

/** A command that does something by itself takes a misspelt subcommand for an argument too many: it says what was meant. */
function refuseUnknownWords(command: Command): void {
  const names = command.commands.map((each) => each.name());
  if (names.length === 0 || command.registeredArguments.length > 0) return;
  command.allowExcessArguments().hook('preAction', async (own, called) => {
    const [word] = called.args;
    if (called !== own || word === undefined) return;
    const { nearestWord } = await import('../../base/kernel/nearest-word.ts');
    const meant = nearestWord(word, names);
    const hint = meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
    own.error(`error: unknown command '${word}'${hint}`, { code: 'commander.unknownCommand' });
  });
}

/** After a mistake, the help of the command that it was made in is named. */
function nameOwnHelp(command: Command, path: string): void {
  command.showHelpAfterError(`See ${path} --help.`);
  for (const child of command.commands) nameOwnHelp(child, `${path} ${child.name()}`);
}

/** Options and arguments of the program's own commands are known only once they are loaded: `forestall NAME --help` shows them. */
function subcommandTerm(command: Command): string {
  return command.parent?.parent === null ? command.name() : new Help().subcommandTerm(command);
}

async function registerPolicy(program: Command): Promise<void> {
  const { registerPolicyCommands } = await import('./policy.ts');
  const openRunning = await loadOpenRunning();
  registerPolicyCommands(program, openRunning);
  await registerUnder(program, 'policy');
}

/** Those of capabilities that are subcommands of another one. */
async function registerUnder(program: Command, name: ListedCommands['under']): Promise<void> {
  const { registerListed } = await import('./capability-commands.ts');
  for (const listed of CAPABILITY_COMMANDS.filter(({ under }) => under === name))
    await registerListed(program, listed);
}

/** Registers commands that work on the database of a running installation. */
function onRunning(
  load: () => Promise<(program: Command, open: OpenOrdersContext) => unknown>,
): CommandFile['register'] {
  return async (program) => {
    const register = await load();
    register(program, await loadOpenRunning());
  };
}

async function loadOpenRunning(): Promise<OpenOrdersContext> {
  return (await import('./running.ts')).openRunning;
}

/** What asks about the program itself. */
const ABOUT: ReadonlySet<string> = new Set(['-h', '--help', '-V', '--version']);

/**
 * `forestall` alone is `forestall start`. A default command of the library would also take a misspelt name for
 * an argument of its own, and suggest nothing.
 */
export function withDefaultCommand(args: readonly string[]): string[] {
  const [first] = args;
  // The library shows the help of one level only: `help orders import` would be that of `orders`.
  if (first === 'help' && args.length > 1) return [...args.slice(1), '--help'];
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
