/** `forestall representments …`: the packs of evidence for contested disputes, as files, and what was sent. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { RepresentmentRow } from '../../books/insights/entity-list.store.ts';
import { listRepresentments } from '../../books/insights/entity-list.store.ts';
import { runOn } from '../../people/cli/lifecycle.ts';
import type { OpenOrdersContext, OrdersContext } from '../../people/cli/orders.ts';
import { readCommandSettings } from '../../running/config.ts';
import { print, say } from '../../surface/terminal/print.ts';
import { draftHtml } from './draft-html.ts';
import { draftPdf } from './draft-pdf.ts';
import type { Pack } from './pack.ts';
import { openPackRules } from './pack-rules.ts';
import { readPack } from './read-pack.ts';
import { findRepresentment, noteSending } from './representment-pack.store.ts';

/** Representments listed at once. */
const LIST_MAX = 200;

/** Whose name stands beside what was sent. */
const OPERATOR = 'cli';

export function registerRepresentments(program: Command, openContext: OpenOrdersContext): void {
  const representments = program.command('representments');
  representments
    .command('list')
    .description('contested disputes, the most pressing first')
    .option('--json', 'print JSON')
    .action(async (flags: { readonly json?: boolean }) => {
      await runOn(openContext, async ({ db, organisationId }) => {
        const rows = await listRepresentments(db, organisationId, LIST_MAX);
        print(flags, rows, rows.length === 0 ? 'There is none.' : rows.map(line).join('\n'));
      });
    });
  representments
    .command('pack <id>')
    .description('what is held and what is missing; writes the draft as files')
    .option('--out <folder>', 'where the HTML and the PDF are written')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: { readonly out?: string; readonly json?: boolean }) => {
      await runOn(openContext, async (context) => {
        const { pack } = await packOf(context, id);
        print(flags, pack, showPack(pack));
        if (flags.out !== undefined) await writeFiles(pack, flags.out, nowDate(context.clock));
      });
    });
  representments
    .command('sent <id> <draft>')
    .description('notes that this draft was handed in, by its hash')
    .option('--through <where>', 'the portal or interface')
    .option('--note <text>', 'files that were added, and the like')
    .action(async (id: string, draft: string, flags: SentFlags) => {
      await runOn(openContext, (context) => noteSent(context, { id, draft, ...flags }));
    });
}

interface SentFlags {
  readonly through?: string;
  readonly note?: string;
}

function line({ id, dispute_status: status, dispute_due_by: dueBy }: RepresentmentRow): string {
  return `${id}  ${status ?? 'unknown'}  ${dueBy === null ? 'no due date told' : `due ${dueBy.toISOString()}`}`;
}

async function packOf(
  { db, organisationId }: OrdersContext,
  id: string,
): Promise<{ readonly pack: Pack; readonly row: RepresentmentRow }> {
  const row = await findRepresentment(db, organisationId, id);
  if (row === undefined) {
    throw new ConfigError(`No representment ${id} is known. See "forestall representments list".`);
  }
  const rules = openPackRules(readCommandSettings().console.evidencePacksPath);
  return { row, pack: await readPack(db, { organisationId, representment: row, rules }) };
}

function showPack({ representmentId, reasonCode, ruleName, elements, contentHash }: Pack): string {
  return [
    `${representmentId}: reason code ${reasonCode ?? 'not told'}, pack ${ruleName}, draft ${contentHash}`,
    ...elements.map(({ label, isRequired, sentences, get }) => {
      const kind = isRequired ? 'required' : 'helpful';
      if (sentences.length === 0) return `  missing  ${kind}  ${label}: ${get}`;
      return [`  held     ${kind}  ${label}`, ...sentences.map(({ text }) => `    ${text}`)].join(
        '\n',
      );
    }),
  ].join('\n');
}

async function writeFiles(pack: Pack, folder: string, now: Date): Promise<void> {
  await mkdir(folder, { recursive: true });
  const name = join(folder, `${pack.representmentId}-${pack.contentHash}`);
  // Readable by their owner only: they name the customer.
  await writeFile(`${name}.html`, draftHtml(pack), { mode: 0o600 });
  await writeFile(`${name}.pdf`, await draftPdf(pack, now), { mode: 0o600 });
  console.error(`Written: ${name}.html and ${name}.pdf`);
}

async function noteSent(
  context: OrdersContext,
  { id, draft, through, note }: SentFlags & { readonly id: string; readonly draft: string },
): Promise<void> {
  const { db, clock, organisationId } = context;
  const { pack, row } = await packOf(context, id);
  if (pack.contentHash !== draft) {
    throw new ConfigError(
      `The rows say something else by now: the draft is ${pack.contentHash}. Make it again, and look at it.`,
    );
  }
  const version = await noteSending(db, {
    organisationId,
    pack,
    representment: row,
    through,
    note,
    operator: OPERATOR,
    now: nowDate(clock),
  });
  say(version === undefined ? 'This very draft was noted before.' : `Noted as version ${version}.`);
}
