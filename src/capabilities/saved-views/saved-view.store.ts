/** Saved views: searches that an operator keeps under a name. */
import type { Db } from '../../base/db/database.ts';
import type { SearchPath } from '../../surface/web/search-page.ts';
import type { SavedView } from './saved-view.table.ts';

/** Views of one operator; more would be no shortcut any more. */
const SAVED_VIEWS_MAX = 30;

export interface ViewOwner {
  readonly organisationId: string;
  readonly operator: string;
}

/** An operator's views of a page, and what others share, by name. */
export async function listViews(
  db: Db,
  owner: ViewOwner & { readonly page: SearchPath },
): Promise<SavedView[]> {
  return await db
    .selectFrom('saved_view')
    .selectAll()
    .where('organisation_id', '=', owner.organisationId)
    .where('page', '=', owner.page)
    // A name that begins with a blank is none that a person gave.
    .where('name', 'not like', ' %')
    .where((where) =>
      where.or([where('operator', '=', owner.operator), where('is_shared', '=', true)]),
    )
    .orderBy('name')
    .orderBy('id')
    .limit(2 * SAVED_VIEWS_MAX)
    .execute();
}

/** The query that an operator keeps under a name of ours; undefined before they chose one. */
export async function readKept(
  db: Db,
  owner: ViewOwner,
  name: ` ${string}`,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('saved_view')
    .select('query')
    .where('organisation_id', '=', owner.organisationId)
    .where('operator', '=', owner.operator)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.query;
}

/** Keeps a view; one of the same name is replaced. False when there are too many. */
export async function saveView(
  db: Db,
  owner: ViewOwner,
  view: {
    readonly name: string;
    readonly query: string;
    /** @default '/alerts' */
    readonly page?: SearchPath;
    /** Everybody sees it. @default false */
    readonly isShared?: boolean;
    readonly now: Date;
  },
): Promise<boolean> {
  const known = await db
    .selectFrom('saved_view')
    .select('name')
    .where('organisation_id', '=', owner.organisationId)
    .where('operator', '=', owner.operator)
    .execute();
  const own = known.filter(({ name }) => !name.startsWith(' '));
  const isNew = !view.name.startsWith(' ') && own.every(({ name }) => name !== view.name);
  if (isNew && own.length >= SAVED_VIEWS_MAX) return false;
  const values = {
    query: view.query,
    page: view.page ?? '/alerts',
    is_shared: view.isShared ?? false,
    created_at: view.now,
  };
  await db
    .insertInto('saved_view')
    .values({
      organisation_id: owner.organisationId,
      operator: owner.operator,
      name: view.name,
      ...values,
    })
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'operator', 'name']).doUpdateSet(values),
    )
    .execute();
  return true;
}

/** Forgets a view of this operator. */
export async function deleteView(db: Db, owner: ViewOwner, id: number): Promise<void> {
  await db
    .deleteFrom('saved_view')
    .where('organisation_id', '=', owner.organisationId)
    .where('operator', '=', owner.operator)
    .where('id', '=', id)
    .execute();
}
