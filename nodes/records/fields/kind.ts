/**
 * `FieldKind`: everything that depends on the kind of a field, such as how a value is written, read and compared.
 * `defineKind` adds the defaults that most kinds share.
 */
import { cutName, formatForError, InputError, isBlank } from '../../service';
import type { EncodeContext, Field, KindName, PayloadValue } from './field';
import { explainUnsendableValue } from './inputValues';
import { blankOperators, type Operator, stateOperator } from './operators';

export function defineKind(
  kind: Omit<FieldKind, KindDefaults> & Partial<Pick<FieldKind, KindDefaults>>,
): FieldKind {
  return {
    columnType: 'string',
    filterInput: 'text',
    isMatchable: true,
    encodeOperand: (value, field, context) => encodePlain(value, field, kind, context) as string | number,
    encodeSearchText,
    ...kind,
  };
}

/** A column of the form in which a user enters the values of a record. `n8n/columns` converts it for n8n's mapper. */
export interface MapperColumn {
  /** `slug`, or `slug[part]` for a part of a composite field. */
  key: string;
  label: string;
  type: 'string' | 'number' | 'boolean' | 'dateTime' | 'time' | 'options';
  options?: Array<{ name: string; value: string }>;
}

/** A part of a composite field, such as the first name of a Name. */
export interface CompositePart {
  /** Name in payload keys: `first_name`. */
  payload: string;
  /** Suffix in filters (spec: Filters): `first`. */
  filter: string;
  label: string;
  /** Kind of the part's value. */
  kind: Extract<KindName, 'text' | 'rangeEnd' | 'allDay'>;
  /** The choices of a part of the kind `allDay`. */
  options?: Field['options'];
  /** Whether a form has no column for the part. */
  isHidden?: true;
  /** Key of the part in payloads of this package: `slug[first_name]`, `slug__start`. */
  formatKey(slug: string): string;
  /** Returns the name and the value of the part in a form-data body, where they differ from those in JSON. */
  formatInForm?(slug: string, value: PayloadValue, withTimes: boolean): [name: string, value: PayloadValue];
  /** `field_id` of the part in a filter. Undefined if the service cannot filter by the part. */
  formatFilterId(slug: string): string | undefined;
}

/** How the values of one kind of field are written, read, compared and shown. `kinds.ts` lists all kinds. */
export interface FieldKind {
  /** Matches the service's field types of this kind, in lower case and without punctuation. */
  types: RegExp;
  /** A valid value, for error messages. */
  example: string;
  parts?: CompositePart[];
  /** Lower-case keys of values that the service derives from a composite: `lat`. They are read and not written. */
  derivedParts?: string[];
  /** Operators of filters: those of the spec ("Operators by field kind"), and those that this package adds. */
  operators: Operator[];
  /**
   * Finds the operator without a value that means the same as `is` with a value: `is true` means `is checked`.
   * Undefined if no operator means the same. Only for kinds whose operators in the spec take no value. Such a kind has
   * `is` too, because a new condition of the filter form starts with `is`.
   */
  findState?(value: unknown): string | undefined;
  /**
   * The input of the filter form for the comparison value. `checked` and `filled` are lists of two states for
   * `findState`.
   */
  filterInput: 'text' | 'time' | 'number' | 'date' | 'choice' | 'connection' | 'user' | 'checked' | 'filled';
  /**
   * The operators for the lower and the upper end of a range. Undefined if values have no order. If a kind has range
   * operators, its `encodeOperand` returns numbers, or texts of fixed width, so that the two ends can be compared.
   */
  rangeOperators?: readonly [from: string, to: string];
  /** Whether the service can find a record by an exact value of this kind. */
  isMatchable: boolean;
  /** Value that the service stores if a payload omits the field. Not set if that is an empty value. */
  omittedValue?: unknown;
  /** The type of the column in a form. Not used for a composite field, whose parts have columns of their own. */
  columnType: MapperColumn['type'];
  /** Describes what to enter, for the label of the column: `names or IDs`. Only for values that are not plain text. */
  describeColumn?(field: Field): string;
  /** What is sent to clear the field. Not set if `encode` takes blank values too, and for a composite field. */
  blank?: PayloadValue;
  /**
   * Converts a value to the value of the payload. Undefined for an invalid value. A composite field has no `encode`:
   * the kind of each part has one.
   * @throws InputError for an invalid value, if the error can give a reason
   */
  encode?(value: unknown, field: Field, context: EncodeContext): PayloadValue | undefined;
  /**
   * Converts a value from the service or a payload to the canonical form of the kind, which `encode` accepts, except
   * for files. An empty value becomes null, '', [] or an object without filled parts. Undefined for a value that cannot
   * be read. The canonical form keeps the spelling of a text.
   */
  read(value: unknown, field: Field): unknown;
  /**
   * Whether two canonical values mean the same. Not set if only identical values do.
   * @param stored the value from the service
   */
  isEqual?(stored: unknown, given: unknown): boolean;
  /** Converts a value from the service to the form that Simplify outputs. Not set if the value is output unchanged. */
  simplify?(value: unknown, field: Field): unknown;
  /** Converts the comparison value of a filter. @throws InputError for an invalid value */
  encodeOperand(value: unknown, field: Field, context: EncodeContext): string | number;
  /** Converts the search text of operators such as `contains`. @throws InputError for an invalid value */
  encodeSearchText(value: unknown, field: Field, context: EncodeContext): string | number;
  /**
   * Converts a text to the key that identifies a record: equal keys mean the same record. By default, the key is the text
   * itself.
   */
  key?(text: string): string;
  /** Whether values are files, one or several: written as bytes, read as addresses. */
  holdsFiles?: 'one' | 'several';
  /** The name in brackets after the slug, with which a form-data body names the value: `slug[link]`. */
  formPart?: string;
  /** Whether the service returns a mask in place of the written value, so that the two cannot be compared. */
  isMasked?: true;
  /**
   * Role of the value in the label of a record: `text` identifies the record; `fallback` is used if there is no text.
   */
  labelRole?: 'text' | 'fallback';
  /** Whether a record has display values beside the IDs, under `<slug>_val`. */
  hasDisplayValues?: true;
  /**
   * Finds the day (`2025-03-31`) that a comparison value means. Undefined for a moment. Only for kinds whose values
   * have a time too.
   */
  findDay?(value: unknown, timeZone: string): string | undefined;
}

/** The operator that `is` means, by the value of the condition: `is filled` means `is not blank`. */
const FILLED_STATES = new Map([
  ['filled', 'is not blank'],
  ['blank', 'is blank'],
]);

/**
 * The properties that kinds have in common if a filter can only compare whether their value is blank: the spec has no
 * operator that compares a file, and the service shows no password.
 */
export const blankFilterProperties = {
  operators: [stateOperator, ...blankOperators],
  findState: (value) => FILLED_STATES.get(String(value).trim().toLowerCase()),
  filterInput: 'filled',
  isMatchable: false,
} satisfies Partial<FieldKind>;

/** Creates an error that names the field, its type, the invalid value and an example of a valid value. */
export function createInvalidValueError(
  field: Field,
  value: unknown,
  example: string | undefined,
  reason?: string,
): InputError {
  const type = `${cutName(field.name)} (${cutName(field.slug)}) is of the type ${field.type}.`;
  const valid = example !== undefined && `A valid value: ${example}.`;
  const description = [type, reason, valid].filter(Boolean).join(' ');
  return new InputError(`"${field.name}" cannot take ${formatForError(value)}`, description);
}

/** Encodes the value of one payload key. Null and '' clear it. @throws InputError for an invalid value */
export function encodePlain(
  value: unknown,
  field: Field,
  { blank, encode, example }: Pick<FieldKind, 'blank' | 'encode' | 'example'>,
  context: EncodeContext,
): PayloadValue {
  const encoded = blank !== undefined && isBlank(value) ? blank : encode?.(value, field, context);
  if (encoded !== undefined) return encoded;
  throw createInvalidValueError(field, value, example);
}

/**
 * Converts a search text. The label of an option becomes the value of the option, unless the label is the value of another
 * option. @throws InputError for a list, an object, and a text or number that would not arrive unchanged
 */
function encodeSearchText(value: unknown, field: Field): string {
  const isValue = field.options.some((option) => option.value === value);
  const option = isValue ? undefined : field.options.find(({ label }) => label === value);
  const reason = typeof value === 'object' ? 'Give text to search for.' : explainUnsendableValue(value);
  if (reason === undefined) return option?.value ?? String(value);
  throw createInvalidValueError(field, value, '"Blue"', reason);
}

/** The properties of a kind that have a default in `defineKind`. */
type KindDefaults = 'columnType' | 'encodeOperand' | 'encodeSearchText' | 'filterInput' | 'isMatchable';
