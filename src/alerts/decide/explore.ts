/** What a trial is: what a policy asks for, and the part that a decision has in it. How it is decided: `trial.ts`. */
import type { Money } from '../../base/kernel/money.ts';

/** What a policy asks for. */
export interface Explore {
  /** Another name is another draw, with a budget of its own. */
  readonly name: string;
  /** Of the eligible cases, those that are accepted: above 0, at most 0.1. */
  readonly share: number;
  /** No larger amount is accepted for the trial, and none in another currency. */
  readonly largest: Money;
  /** Amounts accepted for the trial in a calendar month (UTC), together. */
  readonly budget: Money;
  /** Cases accepted for the trial in a calendar month: each counts as the dispute that it may become. */
  readonly disputes: number;
  /** Nothing is accepted for the trial that would leave less room until the next line of a programme. */
  readonly headroomMin: number;
}

export type Arm = 'accept' | 'refund';

/** The part a decision had in a trial. */
export interface Trial {
  readonly experiment: string;
  readonly arm: Arm;
  /** How likely this arm was. */
  readonly propensity: number;
}
