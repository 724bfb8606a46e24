/** `forestall representments …`: the packs of evidence for contested disputes, as files, and what was sent. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { CapabilityCommand, CommandContext } from '../../surface/terminal/command.ts';
import { describeCommand } from '../../surface/terminal/command.ts';
import { draftHtml } from './draft-html.ts';
import { draftPdf } from './draft-pdf.ts';
import { listSentEvidence } from './filing/sent-evidence.store.ts';
import type { Outcomes } from './outcomes/outcomes.ts';
import { outcomesOf, wonWords } from './outcomes/outcomes.ts';
import type { Pack } from './pack.ts';
import { readPack } from './read-pack.ts';
import type { RepresentmentRow } from './representment-list.store.ts';
import { listRepresentments } from './representment-list.store.ts';
import { findRepresentment, noteSending } from './representment-pack.store.ts';
import { evidencePacks } from './settings.ts';

/** Representments listed at once. */
const LIST_MAX = 200;

/** Whose name is beside what was sent. */
const OPERATOR = 'cli';

const list = describeCommand({
  usage: 'representments list',
  says: 'contested disputes, the most pressing first',
  examples: ['forestall representments list'],
  run:
    () =>
    async ({ db, organisationId }) => {
      const data = await listRepresentments(db, organisationId, LIST_MAX);
      return { data, text: data.length === 0 ? 'There is none.' : data.map(line).join('\n') };
    },
});

const shown = describeCommand<{ readonly out?: string }>({
  usage: 'representments pack <id>',
  says: 'what is held and what is missing; writes the draft as files',
  options: (command) => command.option('--out <folder>', 'where the HTML and the PDF are written'),
  examples: ['forestall representments pack rep_01h8xyz --out evidence'],
  run:
    ({ out }, id = '') =>
    async (context) => {
      const { pack } = await packOf(context, id);
      const found = { data: pack, text: showPack(pack) };
      if (out === undefined) return found;
      return { ...found, onStderr: await writeFiles(pack, out, nowDate(context.clock)) };
    },
});

interface SentFlags {
  readonly through?: string;
  readonly note?: string;
}

const sent = describeCommand<SentFlags>({
  usage: 'representments sent <id> <draft>',
  says: 'notes that this draft was handed in, by its hash',
  options: (command) =>
    command
      .option('--through <where>', 'the portal or interface')
      .option('--note <text>', 'files that were added, and the like'),
  examples: ['forestall representments sent rep_01h8xyz 35c333fed4dcc3cf'],
  run:
    ({ through, note }, id = '', draft = '') =>
    async (context) => {
      const { db, clock, organisationId } = context;
      const { pack, row } = await packOf(context, id);
      if (pack.contentHash !== draft) {
        throw new ConfigError(
          `The rows say something else by now: the draft is ${pack.contentHash}. Make it again, and look at it.`,
        );
      }
      const now = nowDate(clock);
      const sending = { organisationId, pack, representment: row, through, note, now };
      const version = await noteSending(db, { ...sending, operator: OPERATOR });
      return {
        data: { version: version ?? null },
        text:
          version === undefined
            ? 'This very draft was noted before.'
            : `Noted as version ${version}.`,
      };
    },
});

const outcomes = describeCommand({
  usage: 'representments outcomes',
  says: 'won and lost of what was sent, by reason code, pack and amount, with ranges',
  examples: ['forestall representments outcomes'],
  run:
    () =>
    async ({ db, organisationId }) => {
      const data = outcomesOf(await listSentEvidence(db, organisationId));
      return { data, text: data.groups.length === 0 ? 'Nothing was sent.' : showOutcomes(data) };
    },
});

export const representmentsCommands: readonly CapabilityCommand[] = [list, shown, sent, outcomes];

function showOutcomes({ groups, byPack, differences }: Outcomes): string {
  return [
    ...byPack.map(
      (each) => `${each.reasonCode}  ${each.name}: ${each.sent} sent, ${wonWords(each)}`,
    ),
    ...groups.map(
      (each) =>
        `  ${each.reasonCode}  ${each.packRule}, ${each.band}: ${each.sent} sent, ${wonWords(each)}`,
    ),
    ...differences,
  ].join('\n');
}

function line({ id, dispute_status: status, dispute_due_by: dueBy }: RepresentmentRow): string {
  return `${id}  ${status ?? 'unknown'}  ${dueBy === null ? 'no due date told' : `due ${dueBy.toISOString()}`}`;
}

async function packOf(
  { db, organisationId, settings }: CommandContext,
  id: string,
): Promise<{ readonly pack: Pack; readonly row: RepresentmentRow }> {
  const row = await findRepresentment(db, organisationId, id);
  if (row === undefined) {
    throw new ConfigError(`No representment ${id} is known. See "forestall representments list".`);
  }
  const rules = settings.of(evidencePacks);
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

/** Returns which files it wrote. */
async function writeFiles(pack: Pack, folder: string, now: Date): Promise<string> {
  await mkdir(folder, { recursive: true });
  const name = join(folder, `${pack.representmentId}-${pack.contentHash}`);
  // Readable by their owner only: they name the customer.
  await writeFile(`${name}.html`, draftHtml(pack), { mode: 0o600 });
  await writeFile(`${name}.pdf`, await draftPdf(pack, now), { mode: 0o600 });
  return `Written: ${name}.html and ${name}.pdf`;
}
