/** Rows of the last look at an estate. */
import type { RowOf } from '../../base/db/described-table.ts';
import { describeTable, json, moment, text } from '../../base/db/described-table.ts';
import type { EstatePicture } from './estate-picture.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    estate_look: RowOf<typeof estateLook>;
  }
}

export const estateLook = describeTable({
  name: 'estate_look',
  purpose: 'the last look at the estate of the file, for the console',
  keep: 'current',
  columns: {
    file: text().personal,
    digest: text(),
    tried_at: moment(),
    looked_at: moment().nullable,
    picture: json<EstatePicture>().personal.nullable,
    problem: text().personal.nullable,
  },
});
