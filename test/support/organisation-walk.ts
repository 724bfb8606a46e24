/**
 * Whether a statement names the organisation of every row that it reads or writes: the first wall between
 * organisations. PostgreSQL's own parser reads it.
 *
 * Named is a table whose organisation equals a value, or that of another table in the same query which is named itself:
 * `organisation_id = $1`, `using (organisation_id)`, `(organisation_id, id) in (...)`. What was selected before, by the same
 * statement or in a lateral part of it, was asked there. An insert names it among its columns, and in the key of its
 * `on conflict do update`.
 */
import { loadModule, parseSync } from 'libpg-query';
import { INVENTORY } from '../../src/running/privacy/inventory.ts';

await loadModule();

/** The column that says whose a row is, by table. */
const ORGANISATION_COLUMNS: ReadonlyMap<string, string> = new Map([
  ...[...Object.keys(INVENTORY), 'roll_up_source'].map((table): [string, string] => [
    table,
    'organisation_id',
  ]),
  ['payment_evidence', 'organisation'],
]);

type Node = { readonly [key: string]: unknown };

/** A table as one query reads or writes it. */
interface Relation {
  readonly alias: string;
  readonly table: string;
  /** What says whose it is; undefined: not a table of organisations. */
  readonly column: string | undefined;
  isNamed: boolean;
  readonly equals: Set<Relation>;
}

/** The relations of a query, and the query around it. */
interface Scope {
  readonly relations: Relation[];
  readonly outer: Scope | undefined;
}

/** What is known at a place of the text. */
interface Place {
  readonly scope: Scope | undefined;
  /** Names that `with` gave. */
  readonly given: ReadonlySet<string>;
}

/** The tables of which a statement does not say whose rows it means. */
export function unnamedTables(text: string): readonly string[] {
  const all: Relation[] = [];
  walk(parseSync(text), { scope: undefined, given: new Set() }, all);
  const named = new Set<Relation>();
  const spread = (relation: Relation): void => {
    if (named.has(relation)) return;
    named.add(relation);
    for (const other of relation.equals) spread(other);
  };
  for (const relation of all) if (relation.isNamed) spread(relation);
  const unnamed = all.filter(({ column }) => column !== undefined).filter((one) => !named.has(one));
  return [...new Set(unnamed.map(({ table }) => table))];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function walk(value: unknown, place: Place, all: Relation[]): void {
  if (!isNode(value)) return;
  for (const [kind, part] of Object.entries(value)) {
    if (!isNode(part)) continue;
    // The two sides of a union have no name of their own.
    if (/^(Select|Insert|Update|Delete)Stmt$/.test(kind) || 'limitOption' in part) {
      walkQuery(part, place, all);
      continue;
    }
    if (kind === 'A_Expr') compare(part, place);
    if (kind === 'SubLink') isAmong(part, place);
    if (kind === 'JoinExpr') joinUsing(part, place);
    walk(part, place, all);
  }
}

function walkQuery(query: Node, { scope: outer, given: known }: Place, all: Relation[]): void {
  const given = new Set(known);
  for (const cte of listOf(at(query, 'withClause', 'ctes'))) {
    const name = at(cte, 'CommonTableExpr', 'ctename');
    if (typeof name === 'string') given.add(name);
  }
  const scope: Scope = { relations: [], outer };
  const place = { scope, given };
  const target = query['relation'];
  if (isNode(target)) addRelation(target, place);
  for (const item of [...listOf(query['fromClause']), ...listOf(query['usingClause'])]) {
    addFrom(item, place);
  }
  all.push(...scope.relations);
  const [written] = scope.relations;
  if (written !== undefined && 'cols' in query && !('targetList' in query)) {
    written.isNamed = isInsertNamed(query, written);
  } else if (written !== undefined && 'selectStmt' in query) {
    written.isNamed = JSON.stringify(query['selectStmt']).includes('"organisation_id"');
  }
  const { withClause, relation: _written, ...rest } = query;
  walk({ withClause }, { scope: outer, given }, all);
  walk(rest, place, all);
}

function isInsertNamed(query: Node, { column }: Relation): boolean {
  const columns = listOf(query['cols']).map((item) => at(item, 'ResTarget', 'name'));
  const conflict = at(query, 'onConflictClause');
  if (!columns.includes(column)) return false;
  if (at(conflict, 'action') !== 'ONCONFLICT_UPDATE') return true;
  // Its name, or an expression with it.
  return JSON.stringify(at(conflict, 'infer', 'indexElems')).includes(`"${column}"`);
}

function addFrom(item: Node, place: Place): void {
  const table = item['RangeVar'];
  if (isNode(table)) {
    addRelation(table, place);
    return;
  }
  const join = item['JoinExpr'];
  if (isNode(join)) {
    for (const side of ['larg', 'rarg']) {
      const inner = join[side];
      if (isNode(inner)) addFrom(inner, place);
    }
    return;
  }
  // A part of its own, or the rows of a function: asked there.
  const alias = Object.values(item).map((part) => at(part, 'alias', 'aliasname'))[0];
  if (typeof alias === 'string') addOther(alias, place);
}

function addRelation(range: Node, { scope, given }: Place): void {
  const table = String(range['relname']);
  const alias = at(range, 'alias', 'aliasname');
  const column = given.has(table) ? undefined : ORGANISATION_COLUMNS.get(table);
  scope?.relations.push({
    alias: typeof alias === 'string' ? alias : table,
    table,
    column,
    isNamed: column === undefined,
    equals: new Set(),
  });
}

function addOther(alias: string, { scope }: Place): void {
  scope?.relations.push({
    alias,
    table: alias,
    column: undefined,
    isNamed: true,
    equals: new Set(),
  });
}

/** `a = b`, `a = any (b)`, `a in (b)`; also of rows. */
function compare(expression: Node, place: Place): void {
  const kind = expression['kind'];
  const operator = at(listOf(expression['name'])[0], 'String', 'sval');
  if (operator !== '=' || !/^AEXPR_(OP|OP_ANY|IN)$/.test(String(kind))) return;
  const left = expression['lexpr'];
  const right = expression['rexpr'];
  const one = relationsOf(left, place);
  const other = relationsOf(right, place);
  for (const relation of [...one, ...other]) {
    if (one.length === 0 || other.length === 0) relation.isNamed = true;
  }
  for (const from of one) for (const to of other) link(from, to);
}

/** `(a, b) in (select ...)`: the query was asked for its organisation itself. */
function isAmong(sublink: Node, place: Place): void {
  const isEqual = sublink['operName'] === undefined;
  if (sublink['subLinkType'] !== 'ANY_SUBLINK' || !isEqual) return;
  for (const relation of relationsOf(sublink['testexpr'], place)) relation.isNamed = true;
}

function link(one: Relation, other: Relation): void {
  one.equals.add(other);
  other.equals.add(one);
}

/** The relations whose organisation stands on one side of a comparison. A row's place names it too. */
function relationsOf(side: unknown, place: Place): readonly Relation[] {
  if (!isNode(side)) return [];
  const row = listOf(at(side, 'RowExpr', 'args'));
  if (row.length > 0) return row.flatMap((item) => relationsOf(item, place));
  const fields = listOf(at(side, 'ColumnRef', 'fields')).map((item) => at(item, 'String', 'sval'));
  const column = fields.at(-1);
  const alias = fields.length > 1 ? fields.at(-2) : undefined;
  for (let { scope } = place; scope !== undefined; scope = scope.outer) {
    const found = scope.relations.filter(
      (relation) =>
        (alias === undefined || relation.alias === alias) &&
        (relation.column === column ||
          (relation.column === undefined && column === 'organisation_id') ||
          // A row found by its place was found by a query of its own.
          (relation.column !== undefined && column === 'ctid')),
    );
    if (found.length > 0) return found;
  }
  return [];
}

function joinUsing(join: Node, place: Place): void {
  const columns = listOf(join['usingClause']).map((item) => at(item, 'String', 'sval'));
  if (!columns.includes('organisation_id') || place.scope === undefined) return;
  const [first, ...others] = place.scope.relations;
  for (const other of others) if (first !== undefined) link(first, other);
}

function listOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) found = isNode(found) ? found[key] : undefined;
  return found;
}
