/** `FieldKind` describes how values of one kind of field are written, read and compared. `defineKind` adds defaults. */
import { cutName, formatForError, InputError, isBlank, joinFirstTexts } from '../../service';
import type { EncodeContext, Field, KindName, PayloadValue } from './field';
import { explainUnsendableValue } from './inputValues';
import { blankOperators, type Operator, stateOperator } from './operators';

export function defineKind(
  kind: Omit<FieldKind, KindKeyWithDefault> & Partial<Pick<FieldKind, KindKeyWithDefault>>,
): FieldKind {
  return {
    columnType: 'string',
    filterInput: 'text',
    isMatchable: true,
    encodeOperand: (value, field, context) => encodeByKind(value, field, kind, context) as string | number,
    encodeSearchText,
    ...kind,
  };
}

/** A column of the form in which a user enters a record. `n8n/columns` converts it to a column of n8n's mapper. */
export interface MapperColumn {
  /** `slug`, or `slug[part]` for a part such as the first name of a Name. */
  key: string;
  label: string;
  type: 'string' | 'number' | 'boolean' | 'dateTime' | 'time' | 'options';
  options?: Array<{ name: string; value: string }>;
}

export interface CompositePart {
  /** Name in payload keys: `first_name`. */
  payload: string;
  /** Name in filters (spec: Filters): `first`, as in `name-first`. */
  filter: string;
  label: string;
  kind: Extract<KindName, 'text' | 'rangeEnd' | 'allDay'>;
  /** The choices `Yes` and `No` of the part All Day. */
  options?: Field['options'];
  /** Whether the part has no column in a form. */
  isHidden?: true;
  /** Key of the part in payloads of this package: `slug[first_name]`, `slug__start`. */
  formatKey(slug: string): string;
  /** The name and the value of the part in form data. Not set if both are the same as in JSON. */
  formatInForm?(slug: string, value: PayloadValue, withTimes: boolean): [name: string, value: PayloadValue];
  /** Returns the `field_id` of the part in a filter, or undefined if the service cannot filter by the part. */
  formatFilterKey(slug: string): string | undefined;
}

export interface FieldKind {
  /** Matches the names of the service's field types that have this kind, in lower case and without punctuation. */
  types: RegExp;
  /** A valid value, for error messages. */
  example: string;
  parts?: CompositePart[];
  /** Keys that the service adds and that are never written, such as the latitude `lat` of an Address. */
  derivedParts?: string[];
  /** Operators of filters: those of the spec ("Operators by field kind"), `between`, `is any of` and `is within`. */
  operators: Operator[];
  /**
   * Returns the operator that means the same as `is` with this value: `is checked` for true. Set for kinds whose
   * operators in the spec take no value. These kinds also have `is`, with which a new condition of the form starts.
   */
  findOperatorForState?(value: unknown): string | undefined;
  /** The filter form's input for a value. `checked` and `filled` list what `findOperatorForState` accepts. */
  filterInput: 'text' | 'time' | 'number' | 'date' | 'choice' | 'connection' | 'user' | 'checked' | 'filled';
  /**
   * Operators for the lower and the upper end of a range, if values have an order. `encodeOperand` then returns numbers
   * or texts of fixed width, so that the ends can be compared.
   */
  rangeOperators?: readonly [from: string, to: string];
  /** Whether the service can find a record by an exact value of this kind. */
  isMatchable: boolean;
  /** The value that the service stores if a create omits the field. Not set if the service stores an empty value. */
  omittedValue?: unknown;
  /** The type of the column in a form. Not used for a composite field: each part has its own column. */
  columnType: MapperColumn['type'];
  /** Describes what to enter, for the label of the column: `names or IDs`. Not set for plain text. */
  describeColumn?(field: Field): string;
  /** The value that clears the field. Not set for a composite field, or if `encode` accepts blank values. */
  blank?: PayloadValue;
  /**
   * Converts a user's value to the value that is sent. Returns undefined for an invalid value. Not set for a composite
   * field: the kind of each part encodes the part. @throws InputError for an invalid value if it can give a reason
   */
  encode?(value: unknown, field: Field, context: EncodeContext): PayloadValue | undefined;
  /**
   * Converts a value from the service or a payload to the canonical form, the same for all spellings of a value.
   * `encode` accepts this form, except for files. Empty values become null, '', [] or an object without filled parts.
   * Returns undefined for a value that cannot be read.
   */
  normalize(value: unknown, field: Field): unknown;
  /** Compares the canonical values of the record and of the user. Not set if only identical values are equal. */
  isEqual?(stored: unknown, given: unknown): boolean;
  /** Converts a value from the service to the output of Simplify. Not set if the value is output unchanged. */
  simplify?(value: unknown, field: Field): unknown;
  /** Converts the comparison value of a filter. @throws InputError for an invalid value */
  encodeOperand(value: unknown, field: Field, context: EncodeContext): string | number;
  /** Converts the search text of operators such as `contains`. @throws InputError for an invalid value */
  encodeSearchText(value: unknown, field: Field, context: EncodeContext): string | number;
  /** Returns one key for texts that mean the same record, as "Acme " and "Acme" do. Not set if only equal texts do. */
  toLookupKey?(text: string): string;
  /** Whether the field holds one file or several. Files are sent as bytes and read as URLs. */
  holdsFiles?: 'one' | 'several';
  /** The name in the brackets of a key in form data: `link` for a Link, which is sent under `slug[link]`. */
  formPart?: string;
  /** Whether the service returns a mask such as `****` in place of the value. */
  isMasked?: true;
  /** Whether the field can label a record. `fallback`: only if the table has no field for short texts. */
  labelRole?: 'text' | 'fallback';
  /** Whether a record also contains the texts of the connected records, under `<slug>_val`. */
  hasDisplayValues?: true;
  /**
   * Returns the day (`2025-03-31`) that the value of a condition means. Returns undefined for a moment, such as a day
   * with a time. Set only for kinds whose values always have a time.
   */
  findDay?(value: unknown, timeZone: string): string | undefined;
}

/** Maps the value of `is` to the operator with the same meaning: `is filled` means `is not blank`. */
const OPERATOR_BY_STATE = new Map([
  ['filled', 'is not blank'],
  ['blank', 'is blank'],
]);

/** For files and passwords: the spec has no operator that compares a file, and the service shows no password. */
export const blankOnlyFilterSettings = {
  operators: [stateOperator, ...blankOperators],
  findOperatorForState: (value) => OPERATOR_BY_STATE.get(String(value).trim().toLowerCase()),
  filterInput: 'filled',
  isMatchable: false,
} satisfies Partial<FieldKind>;

export function createInvalidValueError(
  field: Field,
  value: unknown,
  example: string | undefined,
  reason?: string,
): InputError {
  const type = `${cutName(field.name)} (${cutName(field.slug)}) is of the type ${field.type}.`;
  const labels = field.options.map(({ label }) => label);
  const choices = labels.length > 0 && `Its choices are: ${joinFirstTexts(labels, ', ', 12)}.`;
  const valid = choices || (example !== undefined && `A valid value: ${example}.`);
  const description = [type, reason, valid].filter(Boolean).join(' ');
  return new InputError(`"${field.name}" cannot take ${formatForError(value)}`, description);
}

/** Encodes the value of one payload key. Null and '' clear the field. @throws InputError for an invalid value */
export function encodeByKind(
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
 * The label of a choice becomes its value, unless the label is the value of another choice.
 * @throws InputError for a list, an object, or a value that the service would receive changed
 */
function encodeSearchText(value: unknown, field: Field): string {
  const isValue = field.options.some((option) => option.value === value);
  const option = isValue ? undefined : field.options.find(({ label }) => label === value);
  const reason = typeof value === 'object' ? 'Give text to search for.' : explainUnsendableValue(value);
  if (reason === undefined) return option?.value ?? String(value);
  throw createInvalidValueError(field, value, '"Blue"', reason);
}

type KindKeyWithDefault = 'columnType' | 'encodeOperand' | 'encodeSearchText' | 'filterInput' | 'isMatchable';
