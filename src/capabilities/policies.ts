/** What all capabilities answer programs about policies: properties of `forestall.policies`. */
import { answersOf } from '../surface/answers-of.ts';
import type { PolicyQuestions, ProgramsPolicies } from '../surface/policy-questions.ts';
import type { BacktestQuestions } from './backtests/questions.ts';
import { backtestQuestions } from './backtests/questions.ts';
import type { CostQuestions } from './measured-cost/questions.ts';
import { costQuestions } from './measured-cost/questions.ts';

export type CapabilityPolicies = object & BacktestQuestions & CostQuestions;

const QUESTIONS: readonly PolicyQuestions[] = [backtestQuestions, costQuestions];

export function policiesOf(asked: ProgramsPolicies): CapabilityPolicies {
  return answersOf(QUESTIONS, asked);
}
