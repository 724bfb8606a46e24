/** CSV, written as it is read, whatever its length. */
import { once } from 'node:events';
import type { Response } from 'express';
import type { OrganisationName } from '../../base/http/organisation-path.ts';
import type { Cell, Decimal } from '../../base/kernel/csv-cell.ts';
import { csvLine } from '../../base/kernel/csv-cell.ts';
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney } from '../../base/kernel/money.ts';

export interface CsvFile {
  /** Offered by the browser. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Whose it is, where there are several organisations: its first column, and part of its name. */
  readonly organisation?: OrganisationName | undefined;
  /** Its lines, as they are read. */
  readonly pages: AsyncIterable<readonly (readonly Cell[])[]>;
}

/** Answers with the file. A reader who goes away ends it. */
export async function sendCsv(
  response: Response,
  { name, columns, organisation, pages }: CsvFile,
): Promise<void> {
  const own = organisation === undefined ? [] : [organisation.name];
  const fileName = organisation === undefined ? name : `${organisation.path}-${name}`;
  response.status(200).set({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
  });
  response.write(csvLine([...own.map(() => 'organisation'), ...columns]));
  for await (const page of pages) {
    if (response.destroyed) return;
    if (!response.write(page.map((line) => csvLine([...own, ...line])).join(''))) {
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  }
  response.end();
}

/** The amount without its currency, which has a column of its own. */
export function decimalCell(money: Money): Decimal {
  return { decimal: formatMoney(money).split(' ')[0] ?? '' };
}
