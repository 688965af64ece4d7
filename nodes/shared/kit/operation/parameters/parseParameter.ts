import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { formatForError, InputError } from '../../../model/input/inputError';
import { parseBoolean } from '../../../model/input/parseBoolean';
import { parseEnum } from '../../../model/input/parseEnum';
import { parseNames, parseNamesOrAll } from '../../../model/input/parseList';
import type { ParameterDefinition, ParameterValue } from '../parameter';

/** Returns the label for error messages, without the "Name or ID" that ends the label of a dropdown. */
export const getLabel = ({ displayName }: INodeProperties): string =>
  displayName.replace(/ Names? or IDs?$/, '');

/** The value of a field and its origin. An expression that returns nothing is not the same as an empty field. */
export interface RawValue {
  value: unknown;
  isExpression: boolean;
}

/** Returns the text of a field. The text of a password field is neither trimmed nor shown in an error. */
function readPlainText(definition: ParameterDefinition, value: unknown): string {
  const isSecret = definition.typeOptions?.password === true;
  if (typeof value !== 'object' || value === null) {
    const text = String(value ?? '');
    return isSecret ? text : text.trim();
  }
  throw new InputError(
    `${getLabel(definition)} ${isSecret ? 'is not plain text' : `cannot be ${formatForError(value)}`}`,
    'Give text. An expression here may have found an object.',
  );
}

function parseTextParameter(definition: ParameterDefinition, raw: RawValue): string {
  const label = getLabel(definition);
  const text = readPlainText(definition, raw.value);
  if (text === '' && raw.isExpression && !definition.allowsEmptyExpression) {
    throw new InputError(
      `${label}: the expression has found nothing`,
      definition.required
        ? 'Nothing was sent. Give a value.'
        : 'Nothing was sent. Give a value, or leave the field empty without an expression.',
    );
  }
  if (text === '' && definition.required) {
    throw new InputError(`${label} is missing`, 'Nothing was sent. Give a value.');
  }
  return text;
}

/** Parses a number within the limits of the form. It must be whole unless the form allows decimals. @throws InputError */
function parseNumberParameter({ typeOptions = {}, ...definition }: INodeProperties, value: unknown): number {
  const { minValue = -Infinity, maxValue = Infinity, numberPrecision = 0 } = typeOptions;
  const isText = typeof value === 'string' && value.trim() !== '';
  const number = isText ? Number(value) : value;
  const isValid =
    typeof number === 'number' &&
    (numberPrecision > 0 ? Number.isFinite(number) : Number.isInteger(number)) &&
    number >= minValue &&
    number <= maxValue;
  if (isValid) return number;
  const kind = numberPrecision > 0 ? 'a number' : 'a whole number';
  const from = minValue === -Infinity ? '' : ` of at least ${minValue}`;
  const to = maxValue === Infinity ? '' : `, at most ${maxValue}`;
  throw new InputError(
    `${getLabel(definition)} cannot be ${formatForError(value)}`,
    `Give ${kind}${from}${to}. An expression may have returned nothing.`,
  );
}

/** Returns the rows of a collection that allows several, or the only row of any other collection. */
function readCollectionRows({ options = [] }: INodeProperties, value: unknown): unknown[] {
  const groups = (value ?? {}) as Record<string, unknown>;
  return (options as INodePropertyCollection[]).flatMap(({ name }) => [groups[name] ?? []].flat());
}

function parseChoice(definition: ParameterDefinition, raw: RawValue): string {
  if (definition.typeOptions?.loadOptionsMethod) return parseTextParameter(definition, raw);
  const values = (definition.options as INodePropertyOptions[]).map(({ value }) => String(value));
  return parseEnum(values, raw.value, getLabel(definition));
}

const parseNameList = (_: ParameterDefinition, { value }: RawValue): string[] => parseNames(value);

const READERS: Partial<
  Record<INodeProperties['type'], (definition: ParameterDefinition, raw: RawValue) => unknown>
> = {
  boolean: (definition, { value }) => parseBoolean(value, getLabel(definition)),
  number: (definition, { value }) => parseNumberParameter(definition, value),
  string: parseTextParameter,
  resourceLocator: parseTextParameter,
  options: parseChoice,
  multiOptions: (definition, { value }) => parseNamesOrAll(value, getLabel(definition)),
  fixedCollection: (definition, { value }) => readCollectionRows(definition, value),
};

/**
 * Checks the value of a parameter against its definition and returns it. A field without `required` may be empty.
 * An expression that returns nothing is an error unless the definition sets `allowsEmptyExpression`.
 * @throws InputError
 */
export function parseParameter<const P extends ParameterDefinition>(
  definition: P,
  raw: RawValue,
): ParameterValue<P> {
  const read = definition.listsNames ? parseNameList : READERS[definition.type];
  return (read ? read(definition, raw) : raw.value) as ParameterValue<P>;
}
