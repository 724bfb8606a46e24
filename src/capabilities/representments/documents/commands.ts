/** `forestall documents …`: the library of documents that evidence is made of besides the rows. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Option } from 'commander';
import { nowDate } from '../../../base/kernel/clock.ts';
import { ConfigError, messageOf } from '../../../base/kernel/errors.ts';
import { EVIDENCE_ELEMENTS } from '../../../service/wire/processor-dispute.ts';
import type { CapabilityCommand, CommandContext } from '../../../surface/terminal/command.ts';
import { describeCommand } from '../../../surface/terminal/command.ts';
import { readDay } from '../../../surface/terminal/option-values.ts';
import { read } from '../../../surface/web/query.ts';
import type { Act, ListedDocument } from './document.store.ts';
import {
  addDocument,
  endDocument,
  listDocuments,
  readDocument,
  removeDocument,
} from './document.store.ts';
import { daysWords, documentWords, notAddedWords } from './document-words.ts';
import { DOCUMENT_BYTES_MAX, readFile, tooLargeWords } from './read-file.ts';

const list = describeCommand({
  usage: 'documents list',
  says: 'the documents, versions of one beside one another, the newest first',
  examples: ['forestall documents list'],
  run:
    () =>
    async ({ db, organisationId }) => {
      const data = await listDocuments(db, organisationId);
      return { data, text: data.length === 0 ? 'There is none.' : data.map(lineOf).join('\n') };
    },
});

interface AddFlags {
  readonly element: string;
  readonly name: string;
  readonly from: string;
  readonly until?: string;
  readonly language?: string;
  readonly product?: string;
  readonly order?: string;
}

const add = describeCommand<AddFlags>({
  usage: 'documents add <file>',
  says: 'adds a PDF, PNG, JPEG or text, or a new version of one, which ends the one before',
  options: (command) =>
    command
      .addOption(
        new Option('--element <element>', 'what it shows')
          .choices(EVIDENCE_ELEMENTS)
          .makeOptionMandatory(),
      )
      .requiredOption('--name <name>', 'what it is called; versions of it have the same')
      .requiredOption('--from <day>', 'first day on which it is in force', readDay)
      .option('--until <day>', 'last one', readDay)
      .option('--language <code>', 'two or three letters, for orders in this language')
      .option('--product <name>', 'product number or name, for orders of this product')
      .option('--order <reference>', 'for this order alone; it goes with the order’s customer'),
  examples: ['forestall documents add a.pdf --element terms --name Terms --from 2026-01-01'],
  run: (flags, path = '') => {
    const content = contentOf(path);
    const words = read(documentWords, {
      element: flags.element,
      name: flags.name,
      language: flags.language ?? null,
      product: flags.product ?? null,
      orderReference: flags.order ?? null,
      validFrom: flags.from,
      validUntil: flags.until ?? null,
    });
    if (!words.ok) {
      throw new ConfigError(words.faults.map((fault) => fault.message).join(' '));
    }
    return async (context) => {
      const act = actOf(context);
      const reading = await readFile(content, { title: words.value.name, now: act.now });
      if (!reading.ok) throw new ConfigError(`${basename(path)}: ${reading.message}`);
      const { file } = reading;
      const added = await addDocument(context.db, act, { words: words.value, file });
      if (added.kind !== 'added') throw new ConfigError(notAddedWords(added));
      const { id, isSealed } = added;
      const sealed = isSealed ? '' : ' No data key is set: its bytes are stored as they are.';
      return {
        data: { id, pages: file.pages, bytes: file.body.length, sha256: file.sha256 },
        text: `Added as ${id}: ${file.pages} pages, ${file.body.length} bytes.${sealed}`,
      };
    };
  },
});

function contentOf(path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size > DOCUMENT_BYTES_MAX) {
      throw new ConfigError(tooLargeWords(path, size));
    }
    return readFileSync(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}. Check its path.`, {
      cause: error,
    });
  }
}

const show = describeCommand<{ readonly out?: string }>({
  usage: 'documents show <id>',
  says: 'what is known of a document; writes its file',
  options: (command) => command.option('--out <file>', 'where the file is written'),
  examples: ['forestall documents show doc_0123456789abcdef0123456789 --out refunds.pdf'],
  run:
    ({ out }, id = '') =>
    async ({ db, organisationId }) => {
      const document = await readDocument(db, organisationId, id);
      if (document === undefined) throw unknown(id);
      const { body, ...data } = document;
      const found = { data, text: lineOf(document) };
      if (out === undefined) return found;
      // Readable by its owner only: it may name a customer.
      writeFileSync(out, body, { mode: 0o600 });
      return { ...found, onStderr: `Written: ${out}` };
    },
});

const end = describeCommand<{ readonly on: string }>({
  usage: 'documents end <id>',
  says: 'says which day is the last on which a document is in force',
  options: (command) => command.requiredOption('--on <day>', 'its last day', readDay),
  examples: ['forestall documents end doc_0123456789abcdef0123456789 --on 2026-03-31'],
  run:
    ({ on }, id = '') =>
    async (context) => {
      if (!(await endDocument(context.db, actOf(context), { id, lastDay: on }))) {
        throw new ConfigError(
          `No document ${id} is in force after ${on}. See "forestall documents list".`,
        );
      }
      return { data: { id, lastDay: on }, text: `${on} is its last day.` };
    },
});

const remove = describeCommand({
  usage: 'documents remove <id>',
  says: 'deletes a document that should not have been added',
  examples: ['forestall documents remove doc_0123456789abcdef0123456789'],
  run:
    (_flags, id = '') =>
    async (context) => {
      if (!(await removeDocument(context.db, actOf(context), id))) throw unknown(id);
      return { data: { id }, text: 'It is deleted.' };
    },
});

export const documentsCommands: readonly CapabilityCommand[] = [list, add, show, end, remove];

function actOf({ organisationId, clock }: CommandContext): Act {
  return { organisationId, actor: 'cli', now: nowDate(clock) };
}

function unknown(id: string): ConfigError {
  return new ConfigError(`No document ${id} is known. See "forestall documents list".`);
}

function lineOf(document: ListedDocument): string {
  const { id, element, name, language, product, orderReference, pages, byteCount } = document;
  const details = [
    language,
    product === null ? null : `product ${product}`,
    orderReference === null ? null : `order ${orderReference}`,
  ].filter((each) => each !== null);
  const about = details.length === 0 ? '' : ` (${details.join(', ')})`;
  return `${id}  ${element}  “${name}”${about}  ${daysWords(document)}  ${pages} pages, ${byteCount} bytes`;
}
