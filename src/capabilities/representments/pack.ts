/** The pack of one representment: what its reason code asks for, what we hold, and the draft for the bank. Pure. */
import { createHash } from 'node:crypto';
import { toInstant } from '../../base/kernel/instant.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import type { RowRef, Sentence } from './claim.ts';
import { known, momentWords } from './claim.ts';
import type { KeptDocument } from './documents/in-force.ts';
import { sentencesOf } from './elements.ts';
import type { PackFacts } from './pack-facts.ts';
import type { ElementName, PackRule, PackRules } from './pack-rules.ts';
import { ruleNameOf, ruleOf, rulesFor } from './pack-rules.ts';
import { toldBackMinor } from './payment-claims.ts';

export interface PackElement {
  readonly name: ElementName;
  readonly label: string;
  readonly isRequired: boolean;
  /** Empty: not held. */
  readonly sentences: readonly Sentence[];
  /** How it can be had. */
  readonly get: string;
}

export interface DraftSection {
  readonly heading: string;
  readonly sentences: readonly Sentence[];
}

export interface Pack {
  readonly representmentId: string;
  readonly reasonCode: string | null;
  readonly rule: PackRule;
  /** Names the entry and the version of the file it comes from. */
  readonly ruleName: string;
  readonly elements: readonly PackElement[];
  readonly missing: readonly ElementName[];
  readonly title: string;
  readonly sections: readonly DraftSection[];
  /** Each row once, in the order in which the draft cites it. */
  readonly cited: readonly RowRef[];
  /** Documents that the draft cites. */
  readonly documents: readonly KeptDocument[];
  /** Names what the draft says and which documents it cites: another word, row or file, another hash. */
  readonly contentHash: string;
}

/** Characters of the hash: what files and forms carry. */
const HASH_LENGTH = 16;

/** @param recorded the pack by which something was sent for it before */
export function buildPack(
  facts: PackFacts,
  allRules: PackRules,
  recorded: string | null = null,
): Pack {
  const { representment } = facts;
  const rules = rulesFor(allRules, { customer: customerOf(facts), recorded });
  const code = representment.snapshot['dispute_reason_code'];
  const reasonCode = typeof code === 'string' && code !== '' ? code : null;
  const rule = underRefund(ruleOf(rules, reasonCode), facts);
  const elementOf = (name: ElementName, isRequired: boolean): PackElement => {
    const { label = name, get = '' } = rules.elements[name] ?? {};
    return { name, label, isRequired, sentences: sentencesOf(name, facts), get };
  };
  const elements = [
    ...rule.required.map((name) => elementOf(name, true)),
    ...rule.helpful.map((name) => elementOf(name, false)),
  ];
  const sections = [
    { heading: 'The dispute', sentences: tellDispute(facts, reasonCode) },
    ...elements
      .filter(({ sentences }) => sentences.length > 0)
      .map(({ label, sentences }) => ({ heading: label, sentences })),
  ];
  const cited = citedBy(sections);
  const documents = facts.documents.filter(({ id }) => cited.some((row) => row.id === id));
  const title = `Response to dispute ${disputeName(facts)}`;
  return {
    representmentId: representment.id,
    reasonCode,
    rule,
    ruleName: ruleNameOf(rule, rules),
    elements,
    missing: elements.flatMap(({ isRequired, sentences, name }) =>
      isRequired && sentences.length === 0 ? [name] : [],
    ),
    title,
    sections,
    cited,
    documents,
    contentHash: hashOf({ title, sections }, documents),
  };
}

/** Everybody who is known of the payment, so that nobody changes sides as long as they are known. */
function customerOf({ representment, charge, order }: PackFacts): string {
  const account = known(order?.customerAccountId);
  const email = known(order?.customerEmail)?.toLowerCase();
  return account ?? email ?? charge?.reference ?? representment.id;
}

/**
 * Where all that is disputed went back before, the refund is the defence, whatever the code: it and the payment are required,
 * and what the code asks for helps.
 */
function underRefund(rule: PackRule, facts: PackFacts): PackRule {
  const { amount_minor: disputed, currency } = facts.representment;
  if (disputed === null || disputed <= 0 || currency === null) return rule;
  if (toldBackMinor(facts, currency) < disputed) return rule;
  const required = ['payment', 'refund'] as const;
  const asked = [...rule.required, ...rule.helpful];
  return {
    ...rule,
    name: `${rule.name}, refunded`,
    required: [...required],
    helpful: asked.filter((name) => !required.some((each) => each === name)),
  };
}

function disputeName({ representment: { id, snapshot } }: PackFacts): string {
  const reference = snapshot['dispute_reference_id'];
  return typeof reference === 'string' && reference !== '' ? reference : id;
}

function tellDispute(facts: PackFacts, code: string | null): readonly Sentence[] {
  const { id, amount_minor: amountMinor, currency, snapshot } = facts.representment;
  const sum =
    amountMinor === null || currency === null
      ? 'an amount'
      : formatMoney({ amountMinor, currency });
  const begun = snapshot['disputed_at'];
  const isMoment = typeof begun === 'string' && toInstant(begun) !== null;
  const when = isMoment ? ` on ${momentWords(begun)}` : '';
  const why = code === null ? '' : ` with reason code ${code}`;
  const text = `The cardholder disputed ${sum}${when}${why}.`;
  return [{ text, cites: [{ table: 'representment', id }] }];
}

function citedBy(sections: readonly DraftSection[]): readonly RowRef[] {
  const rows = new Map<string, RowRef>();
  for (const { sentences } of sections) {
    for (const { cites } of sentences) for (const row of cites) rows.set(keyOf(row), row);
  }
  return [...rows.values()];
}

/** A row in one word: `order_record order-1`. */
export function keyOf({ table, id }: RowRef): string {
  return `${table} ${id}`;
}

const ROW_WORDS: Partial<Record<RowRef['table'], string>> = {
  order_record: 'order',
  evidence_document: 'document',
  charge_account: 'the processor’s word on charge',
};

/** The same for people. */
export function rowWords({ table, id }: RowRef): string {
  return `${ROW_WORDS[table] ?? table} ${id}`;
}

/** The numbers under which the draft cites the rows of a sentence. */
export function numbersOf({ cited }: Pick<Pack, 'cited'>, { cites }: Sentence): number[] {
  const keys = cited.map(keyOf);
  return cites.map((row) => keys.indexOf(keyOf(row)) + 1);
}

function hashOf(
  content: Pick<Pack, 'title' | 'sections'>,
  documents: readonly KeptDocument[],
): string {
  const files = documents.map(({ sha256 }) => sha256);
  const all = files.length === 0 ? content : { ...content, files };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, HASH_LENGTH);
}
