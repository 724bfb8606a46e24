/** The states and the moves that a search has found so far. */
import type { MoveKind } from './move.ts';
import type { World } from './world.ts';

/** Kinds are numbers in an edge: `to * 4 + kind`. */
const KINDS: readonly MoveKind[] = ['plain', 'settles', 'person'];

class EdgeList {
  #numbers = new Int32Array(1 << 16);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(to: number, kind: MoveKind): void {
    if (this.#count === this.#numbers.length) {
      const larger = new Int32Array(this.#count * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#count] = to * 4 + KINDS.indexOf(kind);
    this.#count += 1;
  }

  target(edge: number): number {
    return (this.#numbers[edge] ?? 0) >> 2;
  }

  kind(edge: number): MoveKind {
    return KINDS[(this.#numbers[edge] ?? 0) & 3] ?? 'plain';
  }
}

export class Found {
  readonly first: World;
  readonly parents = [-1];
  /** Edges of state n: from `starts[n]` to `starts[n + 1]`. */
  readonly starts: number[] = [];
  readonly edges = new EdgeList();
  readonly #texts: string[];
  readonly #indexes: Map<string, number>;

  constructor(first: World, text: string) {
    this.first = first;
    this.#texts = [text];
    this.#indexes = new Map([[text, 0]]);
  }

  get count(): number {
    return this.#texts.length;
  }

  textAt(at: number): string {
    const text = this.#texts[at];
    if (text === undefined) throw new RangeError(`No state ${at}.`);
    return text;
  }

  /** The number of a state, which is new or was found before. */
  keep(text: string, parent: number): number {
    const old = this.#indexes.get(text);
    if (old !== undefined) return old;
    const index = this.#texts.length;
    this.#indexes.set(text, index);
    this.#texts.push(text);
    this.parents.push(parent);
    return index;
  }
}
