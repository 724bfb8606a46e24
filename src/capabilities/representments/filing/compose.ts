/**
 * What is handed in for a dispute: the pack's sentences in the fields that the processor has for them, the whole of it as one
 * file, and a person's documents. Pure.
 *
 * Nothing is ever cut. What does not fit is a problem that says what to shorten, and nothing is handed in.
 */
import type {
  EvidenceElement,
  EvidenceFileType,
  EvidenceWanted,
} from '../../../service/wire/processor-dispute.ts';
import type { Pack } from '../pack.ts';

/** A document of the merchant's own that is handed in, such as a refund policy. */
export interface AttachedDocument {
  readonly element: EvidenceElement;
  readonly name: string;
  readonly type: EvidenceFileType;
  readonly content: Uint8Array;
}

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
  | { readonly kind: 'files_too_large'; readonly bytes: number; readonly bytesMax: number }
  | { readonly kind: 'too_many_files'; readonly files: number; readonly filesMax: number }
  | { readonly kind: 'wrong_format'; readonly file: string; readonly types: readonly string[] }
  | { readonly kind: 'no_place'; readonly file: string };

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
  readonly documents: readonly AttachedDocument[];
  readonly wants: EvidenceWanted;
}

export function compose({ pack, draft, documents, wants }: ComposeInput): Composition {
  const texts = fieldsOf(pack, wants);
  const placed = filesOf({ draft, documents, wants });
  return {
    fields: texts.fields,
    files: placed.files,
    problems: [...texts.problems, ...placed.problems, ...sizesOf(placed.files, wants)],
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

function filesOf({
  draft,
  documents,
  wants: { slots, filesMax },
}: Pick<ComposeInput, 'draft' | 'documents' | 'wants'>): PlacedFiles {
  const files: ComposedFile[] = [];
  const problems: FilingProblem[] = [];
  const general = slots.find(({ holds }) => holds.length === 0);
  if (general !== undefined && filesMax > 0) {
    files.push({
      slot: general.name,
      name: 'response.pdf',
      type: 'application/pdf',
      content: draft,
    });
  }
  for (const { element, ...document } of documents) {
    const slot = slots.find(({ holds }) => holds.includes(element)) ?? general;
    if (slot === undefined) problems.push({ kind: 'no_place', file: document.name });
    else files.push({ slot: slot.name, ...document });
  }
  for (const { name, holds, isRequired } of slots) {
    if (isRequired && !files.some(({ slot }) => slot === name)) {
      problems.push({ kind: 'file_missing', slot: name, holds });
    }
  }
  return { files, problems };
}

/** How files of each type begin. */
const BEGINNINGS: Readonly<Record<EvidenceFileType, string>> = {
  'application/pdf': '255044462d',
  'image/png': '89504e470d0a1a0a',
  'image/jpeg': 'ffd8ff',
};

/** Whether its bytes are what its type says. */
export function isOfType({ type, content }: Pick<ComposedFile, 'type' | 'content'>): boolean {
  return Buffer.from(content.subarray(0, 8)).toString('hex').startsWith(BEGINNINGS[type]);
}

function sizesOf(files: readonly ComposedFile[], wants: EvidenceWanted): FilingProblem[] {
  const { fileTypes, fileBytesMax, allBytesMax, filesMax } = wants;
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  return [
    ...files.flatMap((file): FilingProblem[] => {
      if (!(fileTypes.includes(file.type) && isOfType(file))) {
        return [{ kind: 'wrong_format', file: file.name, types: fileTypes }];
      }
      const { length } = file.content;
      return length > fileBytesMax
        ? [{ kind: 'file_too_large', file: file.name, bytes: length, bytesMax: fileBytesMax }]
        : [];
    }),
    ...(bytes > allBytesMax
      ? [{ kind: 'files_too_large', bytes, bytesMax: allBytesMax } as const]
      : []),
    ...(files.length > filesMax
      ? [{ kind: 'too_many_files', files: files.length, filesMax } as const]
      : []),
  ];
}

/** For people, with what to do. */
export function problemWords(problem: FilingProblem): string {
  switch (problem.kind) {
    case 'text_too_long':
      return `The text for ${problem.field} has ${problem.chars} characters of ${problem.charsMax}. Shorten what the order says, or hand the evidence in yourself.`;
    case 'field_empty':
      return `${problem.field} must be given, and the rows hold none of ${problem.holds.join(', ')}. Send it with the order.`;
    case 'file_missing':
      return `A file for ${problem.slot} must be given. Add a document${problem.holds.length === 0 ? '' : ` of ${problem.holds.join(', ')}`}.`;
    case 'file_too_large':
      return `${problem.file} has ${problem.bytes} bytes of ${problem.bytesMax}. Make it smaller.`;
    case 'files_too_large':
      return `The files have ${problem.bytes} bytes of ${problem.bytesMax} together. Take one out, or make them smaller.`;
    case 'too_many_files':
      return `There are ${problem.files} files, and ${problem.filesMax} are taken. Take one out.`;
    case 'wrong_format':
      return `${problem.file} is none of ${problem.types.join(', ')}. Give it in one of these.`;
    case 'no_place':
      return `The processor takes no file like ${problem.file} for this dispute. Take it out.`;
    default:
      return problem satisfies never;
  }
}
