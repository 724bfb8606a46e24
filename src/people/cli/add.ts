/** `forestall add`: lists templates, shows what adding one would change, and copies it. */
import { cwd } from 'node:process';
import type { Command } from 'commander';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { AddPlan, ComparedFile, PlannedFile } from '../../running/kit/add-template.ts';
import { carryOut, compareCopies, conflictsOf, planAdd } from '../../running/kit/add-template.ts';
import { readManifest } from '../../running/kit/template-manifest.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { printJson, say } from '../../surface/terminal/print.ts';
import { runCommand } from './lifecycle.ts';

interface AddFlags {
  readonly list?: boolean;
  readonly diff?: boolean;
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
  readonly json?: boolean;
  readonly to?: string;
}

export function registerAdd(program: Command): void {
  program
    .command('add')
    .argument('[name]', 'for example receivers/express')
    .option('--list', 'shows every template')
    .option('--diff', 'shows how what is here differs from this version; without a name, all of it')
    .option('--dry-run', 'says what would be written; changes nothing')
    .option('--overwrite', 'replaces files that you have edited')
    .option('--to <folder>', 'where templates go (default: forestall, or where they were moved to)')
    .option('--json', 'prints data instead of text')
    .action(async (name: string | undefined, flags: AddFlags) => {
      await runCommand(async () => {
        if (flags.list === true) list(flags);
        else if (name === undefined && flags.diff === true) {
          showDiff(await compareCopies(cwd()), flags);
        } else if (name === undefined) {
          throw new ConfigError(
            'Name a template, for example "forestall add receivers/express", or use --list.',
          );
        } else await add(name, flags);
      });
    });
}

function list({ json }: AddFlags): void {
  const manifest = readManifest();
  if (json === true) {
    printJson(manifest);
    return;
  }
  const width = Math.max(...manifest.map(({ name }) => name.length));
  for (const { name, title } of manifest) say(`${name.padEnd(width)}  ${title}`);
}

async function add(name: string, flags: AddFlags): Promise<void> {
  const folder = flags.to === undefined ? {} : { folder: flags.to };
  const plan = await planAdd(name, { root: cwd(), ...folder });
  if (flags.diff === true) return showDiff(plan.files, flags);
  const overwrite = flags.overwrite === true;
  const conflicts = overwrite ? [] : conflictsOf(plan);
  const written = flags.dryRun === true ? [] : await carryOut(plan, { root: cwd(), overwrite });
  if (conflicts.length > 0) process.exitCode = EXIT.wrong;
  if (flags.json === true) {
    const files = plan.files.map(({ path, fate }) => ({ path, fate }));
    const paths = written.map(({ path }) => path);
    printJson({ ...plan, files, written: paths });
    return;
  }
  for (const file of plan.files) console.log(`  ${wordFor(file, overwrite)}  ${file.path}`);
  if (conflicts.length > 0) {
    console.error(
      `Nothing was written: ${conflicts.length} of these are yours by now. See "forestall add ${name} --diff", then use --overwrite, or merge by hand.`,
    );
    return;
  }
  showNext(plan);
}

const WORDS = {
  new: 'new      ',
  same: 'unchanged',
  update: 'update   ',
  edited: 'edited   ',
  foreign: 'not ours ',
} as const;

function wordFor({ fate }: PlannedFile, overwrite: boolean): string {
  const isReplaced = overwrite && (fate === 'edited' || fate === 'foreign');
  return isReplaced ? 'replaced ' : WORDS[fate];
}

function showNext({ packages, settings, next, ending, isCommonJs }: AddPlan): void {
  const wanted = Object.entries(packages).map(([name, range]) => `"${name}@${range}"`);
  if (wanted.length > 0) console.log(`\nInstall: npm install ${wanted.join(' ')}`);
  const named = Object.entries(settings);
  if (named.length > 0) console.log('\nSettings:');
  for (const [name, meaning] of named) say(`  ${name}  ${meaning}`);
  if (next.length > 0) console.log('\nNext:');
  for (const step of next) say(`  ${step}`);
  if (!next.some((step) => step.startsWith('node '))) return;
  if (ending !== '.ts') {
    say('  (As your tsconfig.json has it, node runs what your build makes of these files.)');
  } else if (isCommonJs) {
    say(
      '  (Your package.json says "type": "commonjs", with which node does not run these files. First: npm pkg set type=module)',
    );
  }
}

function showDiff(files: readonly ComparedFile[], { json }: AddFlags): void {
  if (json === true) {
    const shown = files.map(({ path, fate, diff }) => ({ path, fate, diff }));
    printJson(shown);
    return;
  }
  const differing = files.filter(({ fate }) => fate !== 'same');
  if (differing.length === 0) console.log('Everything is as this version ships it.');
  for (const { path, fate, diff } of differing) {
    console.log(`${path}: ${DIFFERENCES[fate]}`);
    for (const line of diff) console.log(line);
  }
}

const DIFFERENCES: Readonly<Record<ComparedFile['fate'], string>> = {
  new: 'not here yet',
  same: 'as this version ships it',
  update: 'not edited; "forestall add" brings it up to date',
  edited: 'edited; merge by hand',
  foreign: 'not copied from a template',
  gone: 'this version ships it no more',
};
