/** Where evaluation takes its values from: the facts of an alert, or the values an example gives. */
import type { DecisionFacts } from '../alerts/decide/facts.ts';
import type { Money } from '../base/kernel/money.ts';
import type {
  AmountField,
  DurationField,
  FlagField,
  NumberField,
  Reading,
  TextField,
  WordField,
} from './field-kinds.ts';

/** Reads one value; null when it is not known. */
export interface FactView {
  text(field: TextField): string | readonly string[] | null;
  word(field: WordField): string | null;
  /** Why the word is this one, where that is known. */
  because?(field: WordField): string | null;
  amount(field: AmountField): Money | null;
  span(field: DurationField | NumberField): number | null;
  flag(field: FlagField): boolean | null;
}

/** The facts of an alert. */
export function viewOf(facts: DecisionFacts, reading: Reading): FactView {
  return {
    text: (field) => field.read(facts, reading),
    word: (field) => field.read(facts, reading),
    because: (field) => field.because?.(facts) ?? null,
    amount: (field) => field.read(facts, reading),
    span: (field) => field.read(facts, reading),
    flag: (field) => field.read(facts, reading),
  };
}
