/** What compiling a policy needs besides its nodes, and what it collects on the way. */
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import type { RateTable } from './rates.ts';
import type { Problems } from './source.ts';

/** A named list as the policy or a file holds it. */
export interface NamedList {
  readonly name: string;
  readonly texts: readonly string[];
}

export interface CompileContext {
  readonly problems: Problems;
  readonly brands: BrandTokenMap;
  readonly lists: ReadonlyMap<string, NamedList>;
  /** Null: nothing is converted. */
  readonly rates: RateTable | null;
  /** The words of the conditions met so far. */
  readonly asked: Set<string>;
}
