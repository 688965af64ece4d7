/** The definitions of parameters, and the reading of their values. */
import { get } from 'lodash';
import type {
  IDisplayOptions,
  INode,
  INodeProperties,
  INodePropertyCollection,
  INodePropertyOptions,
} from 'n8n-workflow';
import { asObject, findRepeatedKey, formatForError, InputError, parseList, parseNames } from '../../service';

/** The rows of a collection. A row has only the inputs that the form showed. The values are not checked. */
type RowsValue<P> = P extends {
  options: ReadonlyArray<{ values: ReadonlyArray<{ name: infer N extends string }> }>;
}
  ? Array<Partial<Record<N, unknown>>>
  : unknown[];

/** One of the listed values, or any text if the list is loaded from the service. */
type ChoiceValue<P> = P extends { options: ReadonlyArray<{ value: infer V extends string }> } ? V : string;

/** The type of a parameter's value. JSON, mappers and dates are `unknown`: the code that reads them checks them. */
export type ParameterValue<P extends ParameterDefinition> = P extends { type: 'boolean' }
  ? boolean
  : P extends { type: 'number' }
    ? number
    : P extends { type: 'string' | 'resourceLocator' }
      ? string
      : P extends { type: 'options' }
        ? ChoiceValue<P>
        : P extends { type: 'multiOptions' }
          ? string[]
          : P extends { type: 'fixedCollection' }
            ? RowsValue<P>
            : unknown;

/** A field of the form, with rules for reading its value. */
export interface ParameterDefinition extends INodeProperties {
  /** Whether an expression may return nothing. By default, that is an error. */
  allowsEmptyExpression?: boolean;
  /** `only`: shown only in a tool. `never`: hidden in a tool, for example rows, which a model cannot fill in. */
  forTools?: 'only' | 'never';
  /** Replaces these properties in the form of a tool, which for example has no input to drag or map. */
  inTools?: Partial<Pick<INodeProperties, 'hint' | 'description' | 'default' | 'options' | 'displayOptions'>>;
}

/** Keeps the literal types, from which `ParameterValue` derives the value's type. */
export const defineParameter = <const P extends ParameterDefinition>(definition: P): P => definition;

/** Keeps the literal names of the inputs, which are the keys of a row's type. */
export const defineRow = <const P extends INodeProperties[]>(...inputs: P): P => inputs;

export const showWhen = <P extends INodeProperties>(
  parameter: P,
  conditions: IDisplayOptions['show'],
): P => ({
  ...parameter,
  displayOptions: {
    ...parameter.displayOptions,
    show: { ...parameter.displayOptions?.show, ...conditions },
  },
});

/** Inputs that determine the table of a form. Each form has some of these inputs. */
export const TABLE_PICKERS = [
  'dataTableId.value',
  'componentId.value',
  'importId.value',
  'templateId.value',
  'tables',
];

/** @param loadOptionsDependsOn inputs whose change loads the list again; `&field`: `field` of the same row */
export const createLoadOptions = (loadOptionsMethod: string, loadOptionsDependsOn = TABLE_PICKERS) => ({
  loadOptionsMethod,
  loadOptionsDependsOn,
});

/** Adds the sentence that n8n's guidelines require in the description of a loaded list. */
const addExpressionHint = (description: string, what: 'an ID' | 'IDs') =>
  `${description} Choose from the list, or specify ${what} using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.`;

type LoadedParameter = Omit<ParameterDefinition, 'type' | 'default'> & { description: string };

export const defineLoadedList = <const P extends LoadedParameter>(input: P) =>
  defineParameter({
    ...input,
    type: 'multiOptions',
    default: [],
    description: addExpressionHint(input.description, 'IDs'),
  });

export const defineLoadedChoice = <const P extends LoadedParameter>(input: P) =>
  defineParameter({
    ...input,
    type: 'options',
    default: '',
    allowArbitraryValues: true,
    description: addExpressionHint(input.description, 'an ID'),
  });

/** Creates the collection Options. n8n sorts the options by their labels. */
export const createOptions = (...options: INodeProperties[]) =>
  defineParameter({
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options,
  });

/** Returns the label without "Name or ID" at its end. */
export const getLabelForErrors = ({ displayName }: INodeProperties): string =>
  displayName.replace(/ Names? or IDs?$/, '');

/** A value before its check. An expression that returns nothing is not the same as an empty field. */
interface RawValue {
  value: unknown;
  /** Whether an expression returned the value; by default not. Call this only if needed: each call copies the node. */
  isExpression?: () => boolean;
}

/** Trims a text, but not a password. An error does not show a password. */
function readParameterText(definition: ParameterDefinition, value: unknown): string {
  const isSecret = definition.typeOptions?.password === true;
  if (typeof value !== 'object' || value === null) {
    const text = String(value ?? '');
    return isSecret ? text : text.trim();
  }
  throw new InputError(
    `${getLabelForErrors(definition)} ${isSecret ? 'is not text' : `cannot be ${formatForError(value)}`}`,
    'Give text. An expression may have returned an object.',
  );
}

function parseTextParameter(definition: ParameterDefinition, raw: RawValue): string {
  const label = getLabelForErrors(definition);
  const text = readParameterText(definition, raw.value);
  if (text === '' && raw.isExpression?.() && !definition.allowsEmptyExpression) {
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

const YES_WORDS = ['true', '1', 'yes'];
const NO_WORDS = ['false', '0', 'no'];

/** Takes "yes", "no", 1 and 0 too, which expressions may return. @throws InputError for any other value */
export function parseBoolean(value: unknown, label: string): boolean {
  const word = String(value).trim().toLowerCase();
  if (YES_WORDS.includes(word) || NO_WORDS.includes(word)) return YES_WORDS.includes(word);
  throw new InputError(
    `${label} cannot be ${formatForError(value)}`,
    'Give true or false. An expression may have returned nothing.',
  );
}

/**
 * Returns an empty list, which means all, for a field that was left empty ('' or []).
 * @throws InputError for null and other values without names: an expression that found nothing must not mean all
 */
export function parseNamesOrAll(value: unknown, label: string): string[] {
  const names = parseNames(value);
  const isLeftEmpty = value !== undefined && value !== null && parseList(value).length === 0;
  if (isLeftEmpty || names.length > 0) return names;
  throw new InputError(
    `${label} cannot be ${formatForError(value)}`,
    'Choose from the list, or leave it empty. An expression may have returned nothing.',
  );
}

/** @throws InputError for a number that the form does not allow */
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
    `${getLabelForErrors(definition)} cannot be ${formatForError(value)}`,
    `Give ${kind}${from}${to}. An expression may have returned nothing.`,
  );
}

/** Returns the value unchanged. @throws InputError if the value is JSON text with a key twice in one object */
function ensureUniqueKeys(definition: INodeProperties, value: unknown): unknown {
  const repeated = typeof value === 'string' ? findRepeatedKey(value) : undefined;
  if (repeated === undefined) return value;
  throw new InputError(
    `${getLabelForErrors(definition)} has the key ${formatForError(repeated)} twice in one object`,
    'Nothing was sent. JSON would use only the last value of this key. Give the key once. In a filter, write several operators like this: {"Price": {">=": 5, "<": 10}}.',
  );
}

/** Returns a list also for a collection that does not allow several rows. */
function readCollectionRows({ options = [] }: INodeProperties, value: unknown): unknown[] {
  const groups = (value ?? {}) as Record<string, unknown>;
  return (options as INodePropertyCollection[]).flatMap(({ name }) => [groups[name] ?? []].flat());
}

/** @throws InputError for a choice that is not listed */
function requireChoice(definition: ParameterDefinition, choice: unknown): string {
  const options = definition.options as INodePropertyOptions[];
  if (options.some(({ value }) => value === choice)) return String(choice);
  throw new InputError(
    `${getLabelForErrors(definition)} cannot be ${formatForError(choice)}`,
    `Give one of: ${options.map(({ name, value }) => `${value} (${name})`).join(', ')}. An expression may have returned nothing.`,
  );
}

function parseChoices(definition: ParameterDefinition, { value }: RawValue): string[] {
  const choices = parseNamesOrAll(value, getLabelForErrors(definition));
  if (!definition.typeOptions?.loadOptionsMethod)
    for (const choice of choices) requireChoice(definition, choice);
  return choices;
}

const PARAMETER_PARSERS: Partial<
  Record<INodeProperties['type'], (definition: ParameterDefinition, raw: RawValue) => unknown>
> = {
  boolean: (definition, { value }) => parseBoolean(value, getLabelForErrors(definition)),
  number: (definition, { value }) => parseNumberParameter(definition, value),
  string: parseTextParameter,
  resourceLocator: parseTextParameter,
  options: (definition, raw) =>
    definition.typeOptions?.loadOptionsMethod
      ? parseTextParameter(definition, raw)
      : requireChoice(definition, raw.value),
  multiOptions: parseChoices,
  json: (definition, { value }) => ensureUniqueKeys(definition, value),
  fixedCollection: (definition, { value }) => readCollectionRows(definition, value),
};

/** @throws InputError for an invalid value */
export function parseParameter<const P extends ParameterDefinition>(
  definition: P,
  raw: RawValue,
): ParameterValue<P> {
  const read = PARAMETER_PARSERS[definition.type] ?? (() => raw.value);
  return read(definition, raw) as ParameterValue<P>;
}

/** Used in place of n8n's `isToolExecution`, which is false for a tool that runs as a node of the workflow. */
export const isToolNode = ({ type }: INode): boolean => String(type).endsWith('Tool');

export class ParameterReader {
  /** Each value is read once: n8n would evaluate an expression again, perhaps with another result. */
  private readonly values = new Map<ParameterDefinition, unknown>();
  private cachedOptions?: Record<string, unknown>;

  /** @param getValue returns the value before its check, or the default while the form hides the parameter */
  constructor(
    private readonly getNodeCopy: () => INode,
    private readonly getValue: (definition: ParameterDefinition) => unknown,
  ) {}

  /** Returns the default while the form hides the parameter. @throws InputError for an invalid value */
  read<const P extends ParameterDefinition>(definition: P): ParameterValue<P> {
    if (!this.values.has(definition)) this.values.set(definition, this.getValue(definition));
    return this.parse(definition, this.values.get(definition), definition.name);
  }

  /** Returns undefined if the option was not added. @throws InputError for an invalid value */
  readOption<const P extends ParameterDefinition>(definition: P): ParameterValue<P> | undefined {
    const { name } = definition;
    if (!this.hasOption(definition)) return undefined;
    return this.parse(definition, this.options[name], ['options', name]);
  }

  /** @throws InputError for an invalid value */
  readOptionOrDefault<const P extends ParameterDefinition>(definition: P): ParameterValue<P> {
    return this.readOption(definition) ?? parseParameter(definition, { value: definition.default });
  }

  private parse<const P extends ParameterDefinition>(definition: P, value: unknown, path: string | string[]) {
    return parseParameter(definition, { value, isExpression: () => this.isExpression(path) });
  }

  get isTool(): boolean {
    return isToolNode(this.getNodeCopy());
  }

  hasOption({ name }: ParameterDefinition): boolean {
    return Object.hasOwn(this.options, name);
  }

  private get options(): Record<string, unknown> {
    return (this.cachedOptions ??= asObject(this.getValue(createOptions())));
  }

  /** @param path an array if a key may contain a dot */
  isExpression(path: string | string[]): boolean {
    const given: unknown = get(this.getNodeCopy().parameters, path);
    const text = typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
    return typeof text === 'string' && text.startsWith('=');
  }
}
