/** One plain sentence for each step of a plan. */
import { counted } from '../../../base/kernel/counted.ts';
import { formatMoney } from '../../../base/kernel/money.ts';
import {
  amountRuleParametersSchema,
  descriptorRuleParametersSchema,
} from '../../../service/wire/ruleset.ts';
import type {
  DescriptorContent,
  EnrolmentContent,
  RuleContent,
  RulesetContent,
} from './content.ts';
import { descriptorContentSchema, ruleContentSchema } from './content.ts';
import type { Drift, DriftField } from './drift.ts';
import type { Dispute } from './rdr-width.ts';
import type { Step } from './step.ts';
import { changesBetween } from './step.ts';

/** What a step does. */
export function sentenceOf(step: Step): string {
  switch (step.kind) {
    case 'create_merchant':
      return `Create merchant "${step.key}" (${step.content.name}, ${step.content.type}) in ${step.organisation}.`;
    case 'update_merchant':
      return `Change merchant "${step.key}": ${changeText(step.before, step.after)}.`;
    case 'delete_merchant':
      return `Delete merchant "${step.key}" (${step.before.name}, ${step.id}).`;
    case 'create_enrolment':
      return `Enrol ${listText(step.content.merchants)} ${programmeText(step.content)} as "${step.key}".`;
    case 'append_descriptors':
      return `Add ${descriptorText(step.descriptors)} to enrolment "${step.key}".`;
    case 'cancel_enrolment':
      return `Cancel enrolment "${step.key}", which is still PENDING.`;
    case 'create_ruleset':
      return `Create ruleset "${step.key}": ${rulesetText(step.content)}.`;
    case 'update_ruleset':
      return `Change ruleset "${step.key}": ${changeText(step.before, step.after)}.`;
    case 'create_rule':
      return `Add a rule to ruleset "${step.key}": ${ruleText(step.rule)}.`;
    case 'update_rule':
      return `Change a rule of ruleset "${step.key}" to: ${ruleText(step.rule)}.`;
    case 'delete_rule':
      return `Delete a rule of ruleset "${step.key}": ${ruleText(step.rule)}.`;
    default:
      return `Delete ruleset "${step.key}" (${step.id}): ${rulesetText(step.before)}.`;
  }
}

function changeText(before: object, after: object): string {
  return changesBetween(before, after)
    .map(
      ({ field, from, to }) =>
        `${field.replaceAll('_', ' ')} from ${valueText(from)} to ${valueText(to)}`,
    )
    .join('; ');
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return listText(value);
  if (value === null) return 'none';
  const descriptor = descriptorContentSchema.safeParse(value);
  if (descriptor.success) return descriptorName(descriptor.data);
  const rule = ruleContentSchema.safeParse(value);
  return rule.success ? `"${ruleText(rule.data)}"` : `"${String(value)}"`;
}

const CHANGE_TEXT = {
  created: 'was created elsewhere since the last apply',
  changed: 'was changed elsewhere since the last apply',
  deleted: 'was deleted elsewhere since the last apply',
  cancelled: 'was cancelled elsewhere since the last apply',
} as const;

/** What somebody else did, and what the file says about it. */
export function driftSentence({ kind, id, key, change, fields, isConflict }: Drift): string {
  const name = key === id ? id : `"${key}" (${id})`;
  const parts = fields.map((field) => {
    const said = 'file' in field ? `; the file says ${valueText(field.file)}` : '';
    return `${field.field.replaceAll('_', ' ')} ${fieldText(field)}${said}`;
  });
  const left = isConflict && fields.length === 0 ? ': the file says otherwise' : '';
  return `${kind} ${name} ${CHANGE_TEXT[change]}${left}${parts.length > 0 ? `: ${parts.join('. ')}` : ''}.`;
}

function fieldText({ applied, now }: DriftField): string {
  if (!Array.isArray(applied) || !Array.isArray(now)) {
    return `was ${valueText(applied)}, is ${valueText(now)}`;
  }
  const lists = [
    ['without', applied],
    ['with', now],
  ] as const;
  return lists
    .filter(([, list]) => list.length > 0)
    .map(([word, list]) => `now ${word} ${listText(list)}`)
    .join(', ');
}

/** More names than this are counted. */
const LISTED_MAX = 5;

function listText(values: readonly unknown[]): string {
  const shown = values.slice(0, LISTED_MAX).map(valueText);
  const more = values.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

export function programmeText({ type, descriptors, bin, caid, arns }: EnrolmentContent): string {
  if (type === 'NETA_ALERT') return `for alerts by ${descriptorText(descriptors)}`;
  if (type !== 'NETB_RDR') return `in the programme ${type}`;
  if (arns !== null) return `for RDR by ${counted(arns.length, 'acquirer reference number')}`;
  return `for RDR on BIN ${bin} with CAID ${caid}`;
}

function descriptorText(descriptors: readonly DescriptorContent[]): string {
  return `descriptor${descriptors.length === 1 ? '' : 's'} ${listText(descriptors)}`;
}

function descriptorName({ descriptor, match_type: matchType }: DescriptorContent): string {
  return matchType === 'EXACT_MATCH' ? `"${descriptor}" exactly` : `"${descriptor}…"`;
}

const OUTCOME_TEXT: Readonly<Record<string, string>> = {
  REFUND: 'refunds',
  CANCEL: 'cancels the subscription for',
  REFUND_AND_CANCEL: 'refunds, and cancels the subscription for,',
  ACCEPT_DISPUTE: 'lets through',
};

/** A ruleset in words. */
export function rulesetText({ enrolments, outcome, rules, join }: RulesetContent): string {
  const does = OUTCOME_TEXT[outcome] ?? outcome;
  const which = rules.map(ruleText).join(join === 'OR' ? ' or ' : ' and ');
  return `on ${listText(enrolments)} it ${does} ${which === '' ? 'every dispute' : `disputes ${which}`}`;
}

const OPERATOR_TEXT: Readonly<Record<string, string>> = {
  GREATER_THAN: 'above',
  GREATER_THAN_OR_EQUAL: 'of at least',
  LESS_THAN: 'below',
  LESS_THAN_OR_EQUAL: 'of at most',
  EQUAL: 'of exactly',
  NOT_EQUAL: 'of any amount but',
};

/** A rule in words. */
export function ruleText({ type, parameters }: RuleContent): string {
  const amount = amountRuleParametersSchema.safeParse(parameters);
  if (type === 'AMOUNT' && amount.success) {
    const { operator, amount_in_cents: amountMinor, currency_code: currency } = amount.data;
    return `${OPERATOR_TEXT[operator] ?? operator} ${formatMoney({ amountMinor, currency })}`;
  }
  const texts = descriptorRuleParametersSchema.safeParse(parameters);
  if (type !== 'DESCRIPTOR' || !texts.success) {
    return `by a rule of type ${type} that this version does not know`;
  }
  const { descriptors } = texts.data;
  return `with ${descriptorText(descriptors.map((descriptor) => ({ descriptor: descriptor.value, match_type: descriptor.match_type })))}`;
}

/** A dispute as an example. */
export function disputeText({ usdCents, descriptor }: Dispute): string {
  const amount =
    usdCents === null
      ? 'of an amount that is not converted'
      : `of ${formatMoney({ amountMinor: usdCents, currency: 'USD' })}`;
  return descriptor === null
    ? `${amount} without a descriptor`
    : `${amount} with the descriptor "${descriptor}"`;
}
