/** The lists of the filter form: fields, operators and choices. */
import { intersectionBy, uniqBy } from 'lodash';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import {
  type Field,
  parseConnectedPath,
  getKind,
  getTable,
  toRefField,
  KIND_NAMES,
  labelFields,
  listOperatorNames,
} from '../../records';
import type { Client } from '../../service';
import { listConnectedFieldOptions } from '../columns/connectedFields';
import type { OptionsLoader } from '../lists/editorList';
import { loadFormTables } from '../lists/tablePickers';

/** Lists fields that all tables of the form have with the same kind: one filter applies to all tables. */
export const getFilterFields: OptionsLoader = async (context, client) => {
  const tables = await loadFormTables(context, client);
  const lists = tables.map(({ fields }) => toFilterOptions(fields));
  const own = lists.reduce((common, list) => intersectionBy(common, list, 'value'), lists[0] ?? []);
  // A batch update and the triggers cannot filter by fields of connected records.
  if (FILTER_USE_BY_OPERATION.has(context.getCurrentNodeParameter('operation'))) return own;
  return [...own, ...(await listConnectedFieldOptions(client, tables, toFilterOptions))];
};

/** The form needs the kind to show the right input. A run reads the kind from the table. */
export const formatFieldOption = (id: string, kind: Field['kind']): string => `${id}|${kind}`;

/** Takes a field ID without a kind too, as an expression may return it. The ID may contain "|". */
export function parseFieldOption(option: unknown): { id: string; kind?: Field['kind'] } {
  const text = String(option ?? '').trim();
  const bar = text.lastIndexOf('|');
  const kind = KIND_NAMES.find((name) => text.slice(bar) === `|${name}`);
  return kind ? { id: text.slice(0, bar).trim(), kind } : { id: text };
}

/** Lists fields and their parts. A Name or an Address is listed only by its parts, a range also as a whole. */
export function toFilterOptions(fields: Field[]): INodePropertyOptions[] {
  return labelFields(fields).flatMap(({ field, label, typedLabel }) => {
    const { parts, rangeOperators } = getKind(field);
    const whole = { name: typedLabel, value: formatFieldOption(field.slug, field.kind) };
    const partOptions = (parts ?? []).flatMap((part) => {
      const id = part.formatFilterKey(field.slug);
      return id === undefined
        ? []
        : [{ name: `${label}: ${part.label}`, value: formatFieldOption(id, part.kind) }];
    });
    return !parts || rangeOperators ? [whole, ...partOptions] : partOptions;
  });
}

/** Changes "is on or before" to "Is On or Before". */
const toTitleCase = (operator: string) =>
  operator.replace(/\b\w+/g, (word, at: number) => {
    const isSmall = /^(or|to|of|in|with|s)$/.test(word) && at + word.length < operator.length;
    return isSmall ? word : word.charAt(0).toUpperCase() + word.slice(1);
  });

/** Finds the field in each table of the form. `name`: a slug, an ID, a label, or `Customer → City`. */
async function findFields(context: ILoadOptionsFunctions, client: Client, name: string): Promise<Field[]> {
  const found = (await loadFormTables(context, client)).map(async (own) => {
    const path = parseConnectedPath(own, name);
    const table = path ? await getTable(client, path.tableId) : own;
    const ref = table.findRef(path?.rest ?? name);
    return ref ? toRefField(ref) : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * Operators that only a JSON filter can contain: those for the texts of choices, because the form lists the
 * choices, and those for the current record, which a workflow does not have.
 */
const JSON_ONLY_OPERATOR: Partial<Record<Field['kind'], RegExp>> = {
  choice: /exact|contain|with/,
  choices: /exact|with/,
  checkboxes: /exact|with/,
  connection: /current record/,
  user: /current record/,
};

/**
 * Operations whose filter has fewer operators. `symbolic`: a batch update takes only operators that are
 * written as symbols. `matcher`: a trigger, which has no operation, compares the records itself.
 */
const FILTER_USE_BY_OPERATION = new Map<unknown, 'symbolic' | 'matcher'>([
  ['batchUpdate', 'symbolic'],
  [undefined, 'matcher'],
]);

export const selectOperators = (kind: Field['kind'], operation: unknown, hasUserLogin: boolean): string[] => {
  const use = FILTER_USE_BY_OPERATION.get(operation);
  return listOperatorNames({ kind, use, hasUserLogin }).filter((one) => !JSON_ONLY_OPERATOR[kind]?.test(one));
};

/** How operators of texts compare letter case, by operator (spec: Filters, Text). */
const LETTER_CASE_DESCRIPTIONS: Record<string, string> = {
  is: 'Ignores upper and lower case',
  'is exact': 'Upper and lower case must be equal',
  'is not': 'Ignores upper and lower case',
  'is not exact': 'Upper and lower case must be equal',
};

export function toOperatorOptions(operators: string[]): INodePropertyOptions[] {
  const isText = operators.includes('is exact');
  return operators.map((name) => ({
    name: toTitleCase(name),
    value: name,
    ...(isText && name in LETTER_CASE_DESCRIPTIONS && { description: LETTER_CASE_DESCRIPTIONS[name] }),
  }));
}

/** Describes an operator such as `is not` on a field of connected records. */
const NEGATION_DESCRIPTION = 'Finds records with a connected record that has another value';

export const getFilterOperators: OptionsLoader = async (context, client) => {
  const operation = context.getCurrentNodeParameter('operation');
  const { id, ...chosen } = parseFieldOption(context.getCurrentNodeParameter('&field'));
  // If an expression returns a field without a kind, the kind comes from the table.
  const kind = chosen.kind ?? (await findFields(context, client, id))[0]?.kind ?? 'text';
  const options = toOperatorOptions(selectOperators(kind, operation, client.credential.hasUserLogin));
  if (!id.includes('→')) return options;
  return options.map((option) =>
    /^(is not|does not)\b(?! blank)/.test(String(option.value))
      ? { ...option, description: NEGATION_DESCRIPTION }
      : option,
  );
};

export const getFilterChoices: OptionsLoader = async (context, client) => {
  const { id } = parseFieldOption(context.getCurrentNodeParameter('&field'));
  const choices = (await findFields(context, client, id)).flatMap(({ options }) => options);
  return uniqBy(choices, 'value').map(({ label, value }) => ({ name: label, value }));
};
