/** What is to be done about a dispute now: hand evidence in, wait, or ask a person. Pure. */
import { needsApproval } from '../../../alerts/guard/check-movement.ts';
import type { Money } from '../../../base/kernel/money.ts';
import type { ProcessorDispute } from '../../../service/wire/processor-dispute.ts';
import type { Pack } from '../pack.ts';
import type { FilingProblem } from './compose.ts';

/** When evidence is sent without a person. */
export interface FilingSettings {
  /** `by_hand`: a person hands each in. `complete`: a pack that lacks nothing is sent without a person. */
  readonly mode: 'by_hand' | 'complete';
  /** It is with the processor this long before it is due, in milliseconds, where nothing goes wrong for hours. */
  readonly marginMs: number;
  /** Above this sum a second person must agree. Null: never. */
  readonly secondPersonAbove: Money | null;
}

/** Why a person is asked. */
export const HELD_REASONS = {
  by_hand: 'a person hands evidence in',
  incomplete: 'the pack lacks what its reason code asks for',
  not_fitting: 'it does not fit what the processor takes',
  second_person: 'a second person must agree',
  several_representments: 'more than one representment may be about it',
  sent_by_hand: 'evidence was noted as sent for its representment',
  no_charge: 'its charge is not known here',
  other_currency: 'it is in another currency than its charge',
  above_charge: 'it is about more than its charge took',
  no_due_date: 'the processor names no date until which it is due',
  refused: 'the processor refused it',
  unclear: 'its answer is missing, and the processor does not show whether it arrived',
} as const;
export type HeldReason = keyof typeof HELD_REASONS;

export type Plan =
  | { readonly kind: 'file' }
  | { readonly kind: 'wait'; readonly until: Date }
  | { readonly kind: 'hold'; readonly reason: HeldReason };

/** What people have said about it. */
export interface Said {
  /** Hands it in as it is, incomplete or not. */
  readonly askedBy: string | null;
  /** Agreed, besides the first or besides what the settings say. */
  readonly agreedBy: string | null;
}

export interface PlanInput {
  readonly dispute: Pick<ProcessorDispute, 'amountMinor' | 'currency' | 'dueBy'>;
  /** What the charge took, as we know it; undefined: no such charge. */
  readonly charge: Money | undefined;
  readonly pack: Pack | undefined;
  readonly problems: readonly FilingProblem[];
  /** Representments that may be about it. */
  readonly candidates: number;
  /** Evidence was noted as sent for its representment: where else it went is not known. */
  readonly isSentByHand: boolean;
  readonly said: Said;
  /** Why it is held until somebody asks for it again. */
  readonly stays: Extract<HeldReason, 'refused' | 'unclear'> | null;
  readonly settings: FilingSettings;
  readonly now: Date;
}

/** It goes this much earlier, so that missing answers are looked up before the margin begins, in milliseconds. */
const EARLY_MS = 6 * 3_600_000;

/** When it is sent without a person. `dueBy`: ISO 8601. */
export function goesAt(dueBy: string, { marginMs }: Pick<FilingSettings, 'marginMs'>): Date {
  return new Date(Date.parse(dueBy) - marginMs - EARLY_MS);
}

export function planFiling(input: PlanInput): Plan {
  const { dispute, said, settings, now } = input;
  const hold = (reason: HeldReason): Plan => ({ kind: 'hold', reason });
  const wrong = wrongWith(input);
  if (wrong !== undefined) return hold(wrong);
  if (input.stays !== null) return hold(input.stays);
  const isAsked = said.askedBy !== null;
  if (!isAsked && input.isSentByHand) return hold('sent_by_hand');
  if (!isAsked && isAboveCharge(input)) return hold('above_charge');
  if (needsSecond(input) && said.agreedBy === null) return hold('second_person');
  if (isAsked) return { kind: 'file' };
  if ((input.pack?.missing.length ?? 1) > 0) return hold('incomplete');
  if (settings.mode === 'by_hand') return hold('by_hand');
  if (dispute.dueBy === null) return hold('no_due_date');
  const until = goesAt(dispute.dueBy, settings);
  return until > now ? { kind: 'wait', until } : { kind: 'file' };
}

/** What no word of a person makes right. */
function wrongWith({ dispute, charge, problems, candidates }: PlanInput): HeldReason | undefined {
  if (charge === undefined) return 'no_charge';
  if (charge.currency !== dispute.currency) return 'other_currency';
  if (candidates > 1) return 'several_representments';
  return problems.length > 0 ? 'not_fitting' : undefined;
}

function isAboveCharge({ dispute, charge }: PlanInput): boolean {
  return charge !== undefined && dispute.amountMinor > charge.amountMinor;
}

/** As for a refund: a sum in a currency that was not named counts as above. */
function needsSecond({ dispute, settings: { secondPersonAbove: above } }: PlanInput): boolean {
  if (above === null) return false;
  const { amountMinor, currency } = dispute;
  const sum = { kind: 'refund', amountMinor, currency, complaintMinor: 0 } as const;
  return needsApproval(sum, { [above.currency]: above.amountMinor });
}
