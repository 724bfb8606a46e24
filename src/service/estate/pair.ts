/** An entry of the file and what the service holds for it. */
import type { Enrolment } from '../wire/enrolment.ts';
import type { Merchant } from '../wire/merchant.ts';
import type { Ruleset } from '../wire/ruleset.ts';
import type { EnrolmentContent, MerchantContent, RulesetContent } from './content.ts';
import type { EnrolmentEntry, MerchantEntry, RulesetEntry, Written } from './estate.ts';
import type { EstateProblem } from './estate-problem.ts';

/** An entry with what the service holds for it; `remote` is absent for what is to be created. */
export interface Pair<Entry, Content, Remote> {
  readonly entry: Written<Entry>;
  readonly wanted: Content;
  readonly remote?: Remote;
  /** Of `remote`. */
  readonly held?: Content;
}

export type MerchantPair = Pair<MerchantEntry, MerchantContent, Merchant>;
export type EnrolmentPair = Pair<EnrolmentEntry, EnrolmentContent, Enrolment>;
export type RulesetPair = Pair<RulesetEntry, RulesetContent, Ruleset>;

/** An id in the file that the service does not show. */
export function missing(
  entry: Written<{ readonly key: string; readonly id?: string | undefined }>,
  what: string,
): EstateProblem {
  return {
    ...entry.at,
    message: `${what} "${entry.key}" names ${entry.id}, and the service does not show it to this key. Remove the id to create a new one, or check the organisation and the key.`,
  };
}
