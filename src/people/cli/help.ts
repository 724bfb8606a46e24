/** How help reads: defaults as a person writes them, and examples under every command. */
import type { Argument, Command, Help, Option } from 'commander';

/** Shows each option with its choices and its default in plain words. */
export const HELP: Partial<Help> = { optionDescription: describe, argumentDescription: describe };

function describe(entry: Argument | Option): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = entry;
  const facts = [
    ...(argChoices === undefined ? [] : [`one of: ${argChoices.join(', ')}`]),
    ...(isShown(defaultValue)
      ? [`default: ${defaultValueDescription ?? String(defaultValue)}`]
      : []),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
}

/** A flag is off and a text empty by default: that needs no words. */
function isShown(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** What people type, by command. A test holds each to the options that exist. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  start: ['forestall start', 'forestall start --organisations 2'],
  serve: ['PORT=8080 forestall serve'],
  work: ['forestall work'],
  console: ['FORESTALL_CONSOLE_PORT=9000 forestall console'],
  migrate: ['forestall migrate'],
  sandbox: [
    'forestall sandbox --webhooks http://127.0.0.1:3000/webhooks',
    'forestall sandbox --clock 2026-11-01T00:00Z --rate 60',
    'forestall sandbox --scenario session.yaml --once',
  ],
  'sandbox init': ['forestall sandbox init'],
  orders: ['forestall orders status'],
  'orders import': [
    'forestall orders import orders.csv',
    'forestall orders import orders.ndjson --rejects rejected.csv',
  ],
  'orders lint': ['forestall orders lint orders.csv'],
  'orders status': ['forestall orders status --json'],
  'orders replay': ['forestall orders replay R-1001'],
  'orders release': ['forestall orders release R-1001'],
  'orders resume': ['forestall orders resume int_01h8xyz'],
  organisations: ['forestall organisations list'],
  'organisations list': ['forestall organisations list --json'],
  'organisations check': ['forestall organisations check --file installation.yaml'],
  'organisations add': [
    'forestall organisations add --id org_2 --name Two --key-env K --secret-env S',
  ],
  'organisations schema': ['forestall organisations schema > installation.schema.json'],
  operators: ['forestall operators list'],
  'operators add': [
    'forestall operators add kim --role reviewer',
    'forestall operators add kim --role reviewer --organisation brand-1',
    'forestall operators add shop --may orders:write --expires 2027-06-30',
  ],
  'operators list': ['forestall operators list'],
  'operators role': ['forestall operators role kim administrator'],
  'operators grant': ['forestall operators grant kim viewer --organisation brand-2'],
  'operators revoke': ['forestall operators revoke kim --organisation brand-2'],
  'operators token': ['forestall operators token kim'],
  'operators trust': [
    'forestall operators trust --console-token',
    'forestall operators trust --provider yes',
  ],
  'operators remove': ['forestall operators remove kim'],
  reconcile: ['forestall reconcile', 'forestall reconcile --since 7d --orders 100'],
  'reconcile first': ['forestall reconcile first'],
  pause: ['forestall pause --reason "a flood of alerts"'],
  resume: ['forestall resume', 'forestall resume --processor'],
  status: ['forestall status', 'forestall status --json'],
  policy: ['forestall policy check policy.yaml'],
  'policy check': ['forestall policy check policy.yaml'],
  'policy test': ['forestall policy test policy.yaml'],
  'policy schema': ['forestall policy schema'],
  'policy words': ['forestall policy words'],
  'policy explain': ['forestall policy explain netalrt_01h8xyz'],
  'policy versions': ['forestall policy versions'],
  'policy show': ['forestall policy show 3f2a9c41'],
  reviews: ['forestall reviews'],
  'reviews hand-over': ['forestall reviews hand-over netalrt_01h8xyz kim'],
  notify: ['forestall notify test'],
  'notify test': ['forestall notify test'],
  add: ['forestall add --list', 'forestall add --diff'],
  verify: ['forestall verify'],
  'verify processor': ['forestall verify processor sandbox'],
  erase: [
    'forestall erase --customer-email kim@shop.example --dry-run',
    'forestall erase --customer-email kim@shop.example --check dump.sql',
  ],
  reseal: ['forestall reseal'],
  doctor: ['forestall doctor', 'forestall doctor --json'],
  health: ['forestall health'],
};

const noted = new Map(Object.entries(OWN));

/** Those of a capability's command; the command above it shows its first one. */
export function noteExamples(path: string, examples: readonly string[]): void {
  noted.set(path, examples);
  // What is above it, like "estate rules" of "estate rules try", has the first of what is below.
  const words = path.split(' ');
  for (let length = 1; length < words.length; length += 1) {
    const above = words.slice(0, length).join(' ');
    if (!noted.has(above)) noted.set(above, examples.slice(0, 1));
  }
}

/** The examples of a command that is loaded. */
export function examplesOf(path: string): readonly string[] {
  return noted.get(path) ?? [];
}

/** The commands that have some, of those that are loaded. */
export function pathsWithExamples(): readonly string[] {
  return [...noted.keys()];
}

/** Puts the examples under every command that has some. */
export function addExamples(command: Command, path: readonly string[] = []): void {
  for (const child of command.commands) {
    const childPath = [...path, child.name()];
    const examples = examplesOf(childPath.join(' '));
    if (examples.length > 0) {
      const lines = examples.map((example) => `  $ ${example}`);
      child.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
    }
    addExamples(child, childPath);
  }
}
