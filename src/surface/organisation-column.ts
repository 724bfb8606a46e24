/** A column that a capability adds to the page of all organisations, and the field of its API. */
import type { Db } from '../base/db/database.ts';
import type { HtmlValue } from '../base/kernel/html.ts';
import type { OpenSettings } from '../base/kernel/setting.ts';

/** What was read of one organisation. */
export interface OrganisationCell {
  readonly json: unknown;
  /** The cell of the column; empty text: nothing is known. `addressOf`: the address of one of the pages of this organisation. */
  cell(place: { readonly now: Date; addressOf(page: string): string }): HtmlValue;
}

export interface OrganisationColumn {
  /** The column's head. */
  readonly heading: string;
  readonly field: string;
  /** `settings`: those that hold for all. Returns what is known of each. */
  read(
    db: Db,
    organisationIds: readonly string[],
    settings: OpenSettings,
  ): Promise<(organisationId: string) => OrganisationCell>;
}
