/**
 * The result for one order of an intake.
 */
import type { OrderState } from './order-state.ts';
import type { Problem } from './submission.ts';

/** What is known of every order that was handed in. */
export interface Known {
  readonly referenceId: string;
  readonly integrationId: string;
  readonly state: OrderState;
}

export type IntakeResult =
  /** Stored, or stored in place of a version that the service does not hold. */
  | (Known & {
      readonly kind: 'accepted' | 'corrected' | 'unchanged';
      /** Why it is held or was refused by the service. */
      readonly reason: string | null;
      readonly warnings: readonly string[];
    })
  /** The service holds it already: what is new is sent to it as an update. */
  | (Known & { readonly kind: 'changed'; readonly parts: readonly string[] })
  /** The reference was used before with another content, of which `fields` cannot be changed at the service. */
  | (Known & {
      readonly kind: 'differs';
      readonly fields: readonly string[];
      /** What is sent as an update anyway; empty where other payments make it another order. */
      readonly parts: readonly string[];
    })
  /** No order, or one that may not be stored. */
  | {
      readonly kind: 'refused';
      readonly referenceId: string | null;
      readonly problems: readonly Problem[];
    };

/** Whether the order is stored as it was handed in. */
export function isStored(result: IntakeResult): boolean {
  return result.kind !== 'differs' && result.kind !== 'refused';
}

/** The result as a person reads it: what, why, and the next step. */
export function describeResult(result: IntakeResult): string {
  switch (result.kind) {
    case 'accepted':
    case 'corrected':
    case 'unchanged':
      return result.state === 'HELD'
        ? `held: ${result.reason ?? ''}. Correct it by sending it again, or release it with "forestall orders release ${result.referenceId} --anyway".`
        : result.kind;
    case 'changed':
      return `changed: ${result.parts.join(', ')}`;
    case 'differs':
      return `differs from what was sent before in ${result.fields.join(', ')}, which the service cannot change. ${result.parts.length === 0 ? 'Nothing was changed' : `Changed: ${result.parts.join(', ')}`}. A reference stands for one order: give another order another reference.`;
    case 'refused':
      return `refused: ${result.problems.map(({ field, problem }) => `${field} ${problem}`).join('; ')}`;
    default:
      return result satisfies never;
  }
}
