/**
 * What is handed in for a dispute: the pack's sentences in the fields that the processor has for them, and the whole of it
 * as one file. Pure.
 *
 * Nothing is ever cut. What does not fit is a problem that says what to shorten, and nothing is handed in.
 */
import type {
  EvidenceElement,
  EvidenceFileType,
  EvidenceWanted,
} from '../../../service/wire/processor-dispute.ts';
import type { Pack } from '../pack.ts';

export interface ComposedFile {
  readonly slot: string;
  readonly name: string;
  readonly type: EvidenceFileType;
  readonly content: Uint8Array;
}

/** Why it cannot be handed in as it is. */
export type FilingProblem =
  | {
      readonly kind: 'text_too_long';
      readonly field: string;
      readonly chars: number;
      readonly charsMax: number;
    }
  | {
      readonly kind: 'field_empty';
      readonly field: string;
      readonly holds: readonly EvidenceElement[];
    }
  | {
      readonly kind: 'file_missing';
      readonly slot: string;
      readonly holds: readonly EvidenceElement[];
    }
  | {
      readonly kind: 'file_too_large';
      readonly file: string;
      readonly bytes: number;
      readonly bytesMax: number;
    }
  | { readonly kind: 'wrong_format'; readonly file: string; readonly types: readonly string[] }
  /** The dispute takes neither a text nor a file that there is. */
  | { readonly kind: 'no_place' };

export interface Composition {
  /** By the processor's own name of the field. */
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly ComposedFile[];
  readonly problems: readonly FilingProblem[];
}

export interface ComposeInput {
  readonly pack: Pack;
  /** The whole pack as one PDF. */
  readonly draft: Uint8Array;
  readonly wants: EvidenceWanted;
}

export function compose({ pack, draft, wants }: ComposeInput): Composition {
  const texts = fieldsOf(pack, wants);
  const placed = filesOf(draft, wants);
  const isEmpty = Object.keys(texts.fields).length === 0 && placed.files.length === 0;
  return {
    fields: texts.fields,
    files: placed.files,
    problems: [
      ...texts.problems,
      ...placed.problems,
      ...sizesOf(placed.files, wants),
      ...(isEmpty ? [{ kind: 'no_place' } as const] : []),
    ],
  };
}

function fieldsOf(
  pack: Pack,
  { fields: wanted }: EvidenceWanted,
): Pick<Composition, 'fields' | 'problems'> {
  const fields: Record<string, string> = {};
  const problems: FilingProblem[] = [];
  for (const { name, holds, charsMax, isRequired } of wanted) {
    const text = holds
      .flatMap((element) => pack.elements.find((each) => each.name === element)?.sentences ?? [])
      .map((sentence) => sentence.text)
      .join('\n');
    const chars = [...text].length;
    if (chars > charsMax) problems.push({ kind: 'text_too_long', field: name, chars, charsMax });
    else if (chars > 0) fields[name] = text;
    else if (isRequired) problems.push({ kind: 'field_empty', field: name, holds });
  }
  return { fields, problems };
}

type PlacedFiles = Pick<Composition, 'files' | 'problems'>;

function filesOf(draft: Uint8Array, { slots, filesMax }: EvidenceWanted): PlacedFiles {
  const general = filesMax === 0 ? undefined : slots.find(({ holds }) => holds.length === 0);
  const files: readonly ComposedFile[] =
    general === undefined
      ? []
      : [{ slot: general.name, name: 'response.pdf', type: 'application/pdf', content: draft }];
  const problems = slots
    .filter(({ name, isRequired }) => isRequired && name !== general?.name)
    .map(({ name, holds }) => ({ kind: 'file_missing', slot: name, holds }) as const);
  return { files, problems };
}

function sizesOf(files: readonly ComposedFile[], wants: EvidenceWanted): FilingProblem[] {
  const bytesMax = Math.min(wants.fileBytesMax, wants.allBytesMax);
  return files.flatMap(({ name, type, content: { length: bytes } }): FilingProblem[] => {
    if (!wants.fileTypes.includes(type)) {
      return [{ kind: 'wrong_format', file: name, types: wants.fileTypes }];
    }
    return bytes > bytesMax ? [{ kind: 'file_too_large', file: name, bytes, bytesMax }] : [];
  });
}

/** For people, with what to do. */
export function problemWords(problem: FilingProblem): string {
  switch (problem.kind) {
    case 'text_too_long':
      return `The text for ${problem.field} has ${problem.chars} characters of ${problem.charsMax}. Shorten what the order says, or hand the evidence in yourself.`;
    case 'field_empty':
      return `${problem.field} must be given, and the rows hold none of ${problem.holds.join(', ')}. Send it with the order.`;
    case 'file_missing':
      return `A file for ${problem.slot} must be given. It is not in the rows: hand the evidence in yourself.`;
    case 'file_too_large':
      return `${problem.file} has ${problem.bytes} bytes of ${problem.bytesMax}. Shorten what the order says, or hand the evidence in yourself.`;
    case 'wrong_format':
      return `${problem.file} is none of ${problem.types.join(', ')}. Hand the evidence in yourself.`;
    case 'no_place':
      return 'The dispute takes nothing of what there is. Hand the evidence in yourself.';
    default:
      return problem satisfies never;
  }
}
