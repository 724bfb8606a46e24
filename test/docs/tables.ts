/**
 * The tables of the reference pages, from what the code itself goes by. Where the last column is words of
 * people, it is kept as the page has it, and a new word comes without one until somebody writes it.
 */
import { z } from 'zod';
import {
  costsFileSchema,
  DEFAULT_COSTS,
  DISPUTE_WINDOW_DAYS,
} from '../../src/alerts/costs/cost-model.ts';
import { DEFAULT_GUARDS, guardsFileSchema } from '../../src/alerts/guard/guard-settings.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../src/alerts/match/match-settings.ts';
import { matchingFileSchema } from '../../src/alerts/match/settings-file.ts';
import { formatDuration } from '../../src/base/kernel/units.ts';
import { CLAIM_COLUMNS } from '../../src/capabilities/credits/claim-csv.ts';
import { INVOICE_FIELDS } from '../../src/capabilities/credits/invoice-file.ts';
import { EVENT_KINDS } from '../../src/capabilities/event-kinds.ts';
import { eventBody } from '../../src/capabilities/events/event-body.ts';
import { EXPORT_TABLES } from '../../src/capabilities/exports/export.store.ts';
import { ALL_METRICS } from '../../src/capabilities/index.ts';
import { openProgrammes } from '../../src/capabilities/ratios/monitoring.ts';
import { REPORTED_MEASURES, reportedSchema } from '../../src/capabilities/ratios/reported.ts';
import { factsOf } from '../../src/capabilities/ratios/rule-base.ts';
import { SETTLEMENT_FIELDS } from '../../src/capabilities/settlement/settlement-file.ts';
import { orderBodySchema } from '../../src/orders/order-body.ts';
import { readSubmission } from '../../src/orders/submission.ts';
import { ALERT_COLUMNS } from '../../src/people/console/alert-csv.ts';
import { AUDIT_COLUMNS, REFUND_COLUMNS } from '../../src/people/console/pages/exports.ts';
import { BOUND_WORDS } from '../../src/policy/bounds.ts';
import { POLICY_FIELDS } from '../../src/policy/fields.ts';
import { TEXT_WORDS } from '../../src/policy/text-conditions.ts';
import { INVENTORY } from '../../src/running/privacy/inventory.ts';
import { chargesFileSchema } from '../../src/running/verify/charge-source.ts';
import { CAUTIOUS_CAPABILITIES } from '../../src/service/wire/processor.ts';
import {
  capabilitiesShape,
  chargeShape,
  eventShape,
  refundShape,
} from '../../src/service/wire/processor-contract.ts';
import { wordsOf } from './schema-words.ts';

/** A table of a page, between `<!-- table: name -->` and `<!-- end -->`. */
export interface Table {
  readonly head: readonly string[];
  /** The first cell tells rows apart. */
  readonly rows: readonly (readonly string[])[];
  /** Heading of the last column, whose words people write; undefined where everything is made. */
  readonly kept?: string;
}

const code = (word: string): string => `\`${word}\``;

/** Words of a file, what each takes, and what holds without it. */
function words(schema: Parameters<typeof wordsOf>[0], without: Without): Table {
  const rows = wordsOf(schema).map(({ word, takes, needed }) => [
    code(word),
    takes,
    needed ? 'needed' : (without[word] ?? '—'),
  ]);
  return { head: ['Word', 'Takes', 'Without it'], rows, kept: 'Meaning' };
}

type Without = Readonly<Record<string, string>>;

/** Fields of what is sent or answered. */
function fields(schema: Parameters<typeof wordsOf>[0]): Table {
  const rows = wordsOf(schema).map(({ word, takes, needed }) => [
    code(word),
    takes,
    needed ? 'yes' : 'no',
  ]);
  return { head: ['Field', 'Holds', 'Needed'], rows, kept: 'Meaning' };
}

/** Columns of orders: of a list, the first entry stands for all. */
function orderColumns(): Table {
  const [complete] = orderBodySchema.options;
  const rows = wordsOf(complete).map(({ word, takes, needed }) => [
    code(word.replaceAll('[]', '[0]')),
    takes,
    needed && !isFilledIn(word) ? 'yes' : 'no',
  ]);
  return { head: ['Column', 'Holds', 'Needed'], rows };
}

const COMPLETE = {
  type: 'COMPLETE',
  organisation_id: 'org_a',
  integration_id: 'int_a',
  reference_id: 'R-1',
  order_datetime: '2026-11-20T09:00:00Z',
  order_number: '1',
  order_subtotal_amount_in_cents: 100,
  order_currency: 'USD',
  order_total_amount_in_cents: 100,
  order_status: 'CLOSED_COMPLETE',
  transactions: [{ reference_id: 't', amount_in_cents: 100, currency: 'USD' }],
  deliveries: [{ reference_id: 'd', type: 'DIGITAL' }],
  items: [{ reference_id: 'i' }],
};

/** Whether intake takes an order without it. */
function isFilledIn(word: string): boolean {
  const order: Record<string, unknown> = structuredClone(COMPLETE);
  const [list = '', field = ''] = word.split('[].');
  if (field === '') delete order[word];
  else delete (order[list] as Record<string, unknown>[] | undefined)?.[0]?.[field];
  const isThere = JSON.stringify(order) !== JSON.stringify(COMPLETE);
  const defaults = { organisationId: 'org_a', integrationId: 'int_a' };
  return isThere && readSubmission(order, defaults).ok;
}

function columns(names: readonly string[]): Table {
  return { head: ['Column'], rows: names.map((name) => [code(name)]), kept: 'Holds' };
}

const JSON_WORDS: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number' };

interface JsonField {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly anyOf?: readonly JsonField[];
}

function holds({ type = [], format, anyOf = [] }: JsonField): string[] {
  const own = [type].flat().map((word) => JSON_WORDS[word] ?? word);
  return [...(format === 'date-time' ? ['moment'] : own), ...anyOf.flatMap(holds)];
}

/** Fields of JSON, each once: a name holds the same wherever it stands. */
function jsonFields(schemas: readonly z.ZodType[]): Table {
  const rows = new Map<string, Set<string>>();
  for (const schema of schemas) {
    const { properties = {} } = z.toJSONSchema(schema);
    for (const [name, field] of Object.entries(properties) as [string, JsonField][]) {
      rows.set(name, new Set([...(rows.get(name) ?? []), ...holds(field)]));
    }
  }
  return {
    head: ['Field', 'Holds'],
    rows: [...rows].map(([name, words]) => [
      code(name),
      [...words]
        .sort((one, other) => Number(one === 'null') - Number(other === 'null'))
        .join(' or '),
    ]),
    kept: 'Meaning',
  };
}

const breaker = DEFAULT_GUARDS.breaker;

/** Every table, by its name in the pages. */
const EXPORTED: Readonly<Record<string, string>> = {
  text: 'text',
  number: 'whole number',
  flag: 'true or false',
  moment: 'moment',
  json: 'JSON',
};

/** The columns of each table of an export. */
function exportTables(): Record<string, () => Table> {
  return Object.fromEntries(
    EXPORT_TABLES.map(({ name, columns }) => {
      const rows = Object.entries(columns).map(([column, { kind, says, isPersonal }]) => [
        code(column),
        [
          EXPORTED[kind] ?? kind,
          ...(isPersonal ? ['*personal*'] : []),
          ...(says === '' ? [] : [says]),
        ].join('; '),
      ]);
      return [`export-${name}`, () => ({ head: ['Column', 'Holds'], rows })];
    }),
  );
}

export const TABLES: Readonly<Record<string, () => Table>> = {
  ...exportTables(),
  guards: () =>
    words(guardsFileSchema, {
      'caps.customer.days': '30',
      breaker: 'as below',
      'breaker.window': formatDuration(breaker?.windowMs ?? 0),
      'breaker.usual_over': formatDuration(breaker?.usualOverMs ?? 0),
      'breaker.times': String(breaker?.times),
      'breaker.at_least': String(breaker?.atLeast),
      cancel_subscriptions: code(DEFAULT_GUARDS.cancelSubscriptions),
    }),
  matching: () =>
    words(matchingFileSchema, {
      window_days: String(DEFAULT_MATCH_SETTINGS.windowDays),
      exact_window_days: String(DEFAULT_MATCH_SETTINGS.exactWindowDays),
      apart_days: String(DEFAULT_MATCH_SETTINGS.apartDays),
      margin: String(DEFAULT_MATCH_SETTINGS.marginMin),
      automatic: [...DEFAULT_MATCH_SETTINGS.automaticTiers].map(code).join(', '),
      'foreign_currency.tolerance_percent': String(DEFAULT_MATCH_SETTINGS.foreignTolerancePercent),
    }),
  costs: () => {
    const plain = Object.entries(DEFAULT_COSTS).flatMap(([word, value]) =>
      typeof value === 'object'
        ? Object.entries(value).map(([inner, each]) => [`${word}.${inner}`, String(each)])
        : [[word, String(value)]],
    );
    return words(costsFileSchema, {
      ...Object.fromEntries(plain),
      'dispute_window.days': String(DISPUTE_WINDOW_DAYS),
      currency: '`USD`',
    });
  },
  charges: () => fields(chargesFileSchema),
  'contract-charge': () => fields(chargeShape),
  'contract-refund': () => fields(refundShape),
  'contract-capabilities': () => {
    const cautious = Object.entries(CAUTIOUS_CAPABILITIES).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      String(value),
    ]);
    return words(capabilitiesShape, Object.fromEntries(cautious));
  },
  'contract-event': () => fields(eventShape),
  metrics: () => ({
    head: ['Metric', 'Type', 'Meaning'],
    rows: Object.entries(ALL_METRICS).map(([name, { type, help }]) => [code(name), type, help]),
    kept: 'Labels',
  }),
  'condition-kinds': () => ({
    head: ['Kind', 'A condition says'],
    rows: [
      ['text', `a text, a list of texts, or ${TEXT_WORDS.map(code).join(', ')}`],
      ['amount, number, duration', BOUND_WORDS.map(code).join(', ')],
      ['flag', '`true` or `false`'],
      ['words', 'one of them, or a list of them'],
    ],
  }),
  conditions: () => ({
    head: ['Word', 'Kind', 'Meaning'],
    rows: [...POLICY_FIELDS.values()].map((field) => [
      code(field.name),
      field.kind === 'word' ? field.words.map(code).join(', ') : field.kind,
      field.about,
    ]),
  }),
  sealed: () => ({
    head: ['Table', 'Columns', 'Holds'],
    rows: Object.entries(INVENTORY)
      .filter(([, { sealed }]) => sealed.length > 0)
      .map(([table, { sealed, purpose }]) => [code(table), sealed.map(code).join(', '), purpose]),
  }),
  'csv-orders': orderColumns,
  'csv-settlement': () => columns(SETTLEMENT_FIELDS),
  'csv-invoice': () => columns(INVOICE_FIELDS),
  'csv-reported': () => columns(wordsOf(reportedSchema).map(({ word }) => word)),
  'csv-measures': () => ({
    head: ['Measure', 'Counts'],
    rows: Object.entries(REPORTED_MEASURES).map(([name, what]) => [code(name), what]),
  }),
  programmes: () => ({
    head: ['File', 'Programme', 'From', 'Until', 'Regions'],
    rows: openProgrammes().map(({ id, name, valid_from, valid_to, regions }) => [
      code(id),
      name,
      valid_from,
      valid_to ?? '—',
      regions?.join(', ') ?? 'all',
    ]),
  }),
  'programme-numbers': () => ({
    head: ['File', 'What', 'Value', 'Confidence', 'Source'],
    rows: openProgrammes().flatMap((programme) =>
      factsOf(programme).map(({ what, value, confidence, source }) => [
        code(programme.id),
        what,
        value,
        confidence ?? '—',
        source ?? '—',
      ]),
    ),
  }),
  'event-fields': () => jsonFields([z.strictObject(eventBody.shape)]),
  'event-kinds': () => ({
    head: ['Type', 'Comes', '`data` holds'],
    rows: EVENT_KINDS.map(({ type, says, data }) => [
      code(type),
      says,
      wordsOf(data)
        .map(({ word }) => code(word))
        .join(', '),
    ]),
  }),
  'event-data': () => jsonFields(EVENT_KINDS.map(({ data }) => data)),
  'csv-alerts': () => columns(Object.keys(ALERT_COLUMNS)),
  'csv-claims': () => columns(Object.keys(CLAIM_COLUMNS)),
  'csv-refunds': () => columns(REFUND_COLUMNS),
  'csv-audit': () => columns(AUDIT_COLUMNS),
};
