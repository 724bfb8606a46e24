/** What a capability knows of several organisations: a column of the page of all of them, and a field of its API. */
import type { Db } from '../base/db/database.ts';
import type { HtmlValue } from '../base/kernel/html.ts';
import type { OpenSettings } from '../base/kernel/setting.ts';

/** What was read of one organisation. */
export interface KnownAtGlance {
  readonly json: unknown;
  /** What stands in the column; empty text: nothing is known. `addressOf`: of one of the organisation's own pages. */
  cell(place: { readonly now: Date; addressOf(page: string): string }): HtmlValue;
}

export interface GlancePart {
  /** The column's head. */
  readonly heading: string;
  readonly field: string;
  /** `settings`: those that hold for all. Returns what is known of each. */
  read(
    db: Db,
    organisationIds: readonly string[],
    settings: OpenSettings,
  ): Promise<(organisationId: string) => KnownAtGlance>;
}
