/** Writes what the service holds as an estate file that plans to nothing. */
import { stringify } from 'yaml';
import { formatMoney } from '../../../base/kernel/money.ts';
import type { Enrolment } from '../../../service/wire/enrolment.ts';
import { CREATABLE_ENROLMENT_TYPES } from '../../../service/wire/enrolment.ts';
import type { Merchant } from '../../../service/wire/merchant.ts';
import type { Ruleset } from '../../../service/wire/ruleset.ts';
import {
  amountRuleParametersSchema,
  descriptorRuleParametersSchema,
} from '../../../service/wire/ruleset.ts';
import { rulesetOfService } from './content.ts';
import { unknownPart } from './known-ruleset.ts';
import type { RemoteEstate } from './remote-estate.ts';

/** Turns the service's objects into the text of a file. The first organisation is the file's. */
export function importEstate(
  remote: RemoteEstate,
  organisations: readonly string[],
): { readonly text: string; readonly leftOut: readonly string[] } {
  const [organisation = ''] = organisations;
  const leftOut: string[] = [];
  const merchantKeys = keysFor(
    remote.merchants,
    (merchant) => merchant.external_id ?? merchant.name,
  );
  const enrolments = remote.enrolments.filter((enrolment) =>
    isWritable(enrolment, merchantKeys, leftOut),
  );
  const enrolmentKeys = keysFor(enrolments, (enrolment) => enrolmentName(enrolment, merchantKeys));
  const rulesets = remote.rulesets.filter((ruleset) => isKnown(ruleset, enrolmentKeys, leftOut));
  const rulesetKeys = keysFor(
    rulesets,
    ({ outcome, enrolment_ids: [first = ''] }) =>
      `${outcome.toLowerCase().replaceAll('_', '-')}-${enrolmentKeys.get(first) ?? first}`,
  );
  const document = {
    organisation,
    unlisted: 'keep',
    merchants: remote.merchants.map((merchant) =>
      merchantEntry(merchant, merchantKeys, organisation),
    ),
    enrolments: enrolments.map((enrolment) =>
      enrolmentEntry(enrolment, enrolmentKeys, merchantKeys),
    ),
    rulesets: rulesets.map((ruleset) => rulesetEntry(ruleset, rulesetKeys, enrolmentKeys)),
  };
  return { text: HEAD + stringify(document, { lineWidth: 100 }), leftOut };
}

const HEAD = `# What the chargeback prevention service holds. "forestall estate plan" compares it again.
# Editor help: forestall estate schema > estate.schema.json
# yaml-language-server: $schema=./estate.schema.json
`;

type Keys = ReadonlyMap<string, string>;

/** One key for each object, made of a name, distinguished by numbers. */
function keysFor<Item extends { readonly id: string }>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): Map<string, string> {
  const used = new Set<string>();
  const keys = new Map<string, string>();
  for (const item of items) {
    const base = nameOf(item).trim().replaceAll(/\s+/g, '-').slice(0, KEY_LENGTH_MAX) || item.id;
    let key = base;
    for (let number = 2; used.has(key); number++) key = `${base}-${number}`;
    used.add(key);
    keys.set(item.id, key);
  }
  return keys;
}

/** Leaves room for a number. */
const KEY_LENGTH_MAX = 240;

function isWritable(enrolment: Enrolment, merchants: Keys, leftOut: string[]): boolean {
  const { id, type, status } = enrolment;
  if (status === 'CANCELLED') return false;
  const isOurs = CREATABLE_ENROLMENT_TYPES.some((known) => known === type);
  const isSeen = (enrolment.merchant_ids ?? []).every((id) => merchants.has(id));
  if (isOurs && isSeen) return true;
  leftOut.push(
    isOurs
      ? `enrolment ${id}: it has merchants that this key does not see`
      : `enrolment ${id}: the service does not take enrolments of type ${type} through the interface`,
  );
  return false;
}

function isKnown(ruleset: Ruleset, enrolments: Keys, leftOut: string[]): boolean {
  const isSeen = ruleset.enrolment_ids.every((id) => enrolments.has(id));
  const part = unknownPart(rulesetOfService(ruleset, (id) => id));
  if (isSeen && part === undefined) return true;
  leftOut.push(
    `ruleset ${ruleset.id}: ${isSeen ? `it has ${part} that this version does not know` : 'it names enrolments that are cancelled or not seen'}`,
  );
  return false;
}

function enrolmentName(
  { type, merchant_ids: ids, netb_rdr: rdr }: Enrolment,
  merchants: Keys,
): string {
  const [first = ''] = ids ?? [];
  const place = rdr?.bin === undefined || rdr.bin === null ? '' : `-${rdr.bin}`;
  return `${merchants.get(first) ?? first}-${type === 'NETB_RDR' ? 'rdr' : 'alerts'}${place}`;
}

function merchantEntry(merchant: Merchant, keys: Keys, organisation: string): object {
  const { id, name, type, organisation_id: own, external_id: externalId } = merchant;
  const key = keys.get(id);
  const service = merchant.default_representment_service_type ?? null;
  return {
    key,
    id,
    ...(own === organisation ? {} : { organisation: own }),
    name,
    type,
    ...(externalId === key ? {} : { external_id: externalId ?? null }),
    ...(service === null ? {} : { default_representment_service_type: service }),
  };
}

function enrolmentEntry(enrolment: Enrolment, keys: Keys, merchants: Keys): object {
  const { id, type, neta_alert: alerts, netb_rdr: rdr } = enrolment;
  const head = {
    key: keys.get(id),
    id,
    type,
    merchants: (enrolment.merchant_ids ?? []).map((id) => merchants.get(id) ?? id),
  };
  if (type === 'NETA_ALERT') {
    const descriptors = (alerts?.descriptors ?? []).map(
      ({ descriptor, match_type: matchType }) => ({ descriptor, match_type: matchType }),
    );
    return { ...head, descriptors };
  }
  const { bin, caid, arns } = rdr ?? {};
  return { ...head, ...(arns ? { arns } : { bin, caid }) };
}

function rulesetEntry(ruleset: Ruleset, keys: Keys, enrolments: Keys): object {
  const content = rulesetOfService(ruleset, (id) => enrolments.get(id) ?? id);
  const parts = content.rules.map(({ type, parameters }) => {
    if (type !== 'AMOUNT') return descriptorRuleParametersSchema.parse(parameters);
    const {
      operator,
      amount_in_cents: amountMinor,
      currency_code: currency,
    } = amountRuleParametersSchema.parse(parameters);
    return { amount: { operator, value: formatMoney({ amountMinor, currency }) } };
  });
  return {
    key: keys.get(ruleset.id),
    id: ruleset.id,
    enrolments: content.enrolments,
    outcome: content.outcome,
    ...(content.join === null ? {} : { join: content.join }),
    ...Object.assign({}, ...parts),
  };
}
