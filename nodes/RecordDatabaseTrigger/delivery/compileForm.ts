import type { Field } from '../../shared/model/fields';
import { buildFilter, type FilterGroup, type FilterItem } from '../../shared/model/filter';
import { buildMatcher, type Matcher } from '../../shared/model/filter/matcher';
import { hasConnectionNames } from '../../shared/model/records/connectionNames';
import type { FieldRef, Table } from '../../shared/model/records/table';
import { UnknownFieldError } from '../../shared/model/records/unknownField';
import type { TriggerParameters } from '../form/parameters';
import type { Delivery } from './parseDelivery';
import { hasField } from './recordFields';

/** The form's settings, resolved to the fields of one table. */
export interface CompiledForm {
  /** Undefined without a filter. */
  matches?: Matcher;
  /** Fields, or parts of fields, that the filter compares. */
  filterFields: FieldRef[];
  /** Fields that the output item must contain. */
  outputFields: FieldRef[];
  /** Slugs of Fields to Keep; empty for all fields. */
  columns: string[];
  /** Slugs of the fields of which at least one must change; empty if any change starts the workflow. */
  watchedSlugs: string[];
}

/** Whether the form names fields, so that a decision needs the fields of the table. */
export const usesFields = ({ filter, columns, changedFields, displayNames }: TriggerParameters): boolean =>
  filter !== undefined || displayNames || columns.length > 0 || changedFields.length > 0;

const collectItems = ({ items, child }: FilterGroup): FilterItem[] => [
  ...items,
  ...child.flatMap(collectItems),
];

/** @throws InputError for a filter that does not fit the table, or that only the service can evaluate */
export function compileForm(parameters: TriggerParameters, table: Table, now: Date): CompiledForm {
  const { filter, columns, changedFields, displayNames, timeZone } = parameters;
  // The matcher refuses operators for the logged-in user itself, so `userLogin` does not depend on the credential.
  const group = filter && buildFilter(filter, table, { timeZone, now, userLogin: true });
  // A name that this table does not have may be a field of another chosen table.
  const toSlug = (name: string): string => table.findField(name)?.slug ?? name;
  const slugs = columns.map(toSlug);
  // `created_at` is in every record and not a field of the table.
  const isNamed = ({ slug }: Field) =>
    slugs.includes(slug) || (displayNames && slugs.length === 0 && slug !== 'created_at');
  return {
    matches: group && buildMatcher(group, table, { timeZone, now }),
    filterFields: group
      ? collectItems(group).map(({ field_id }) => table.resolveFilterField(field_id, 'Filter'))
      : [],
    outputFields: table.fields.filter(isNamed).map((field) => ({ table, field })),
    columns: slugs,
    watchedSlugs: changedFields.map(toSlug),
  };
}

const NO_FIELDS: CompiledForm = { filterFields: [], outputFields: [], columns: [], watchedSlugs: [] };

/** The parameters, and the fields of the table if they are known. */
interface FormFacts {
  parameters: TriggerParameters;
  table?: Table;
  /** Whether the fields were read for this delivery. */
  isTableFresh?: boolean;
  now: Date;
}

/**
 * Returns the compiled form, the error if it does not fit the table, or undefined if current fields or the IDs of named
 * records must be read.
 */
export function tryCompileForm({
  parameters,
  table,
  isTableFresh,
  now,
}: FormFacts): CompiledForm | Error | undefined {
  if (!usesFields(parameters)) return NO_FIELDS;
  try {
    const { filter } = parameters;
    if (!table || (filter && hasConnectionNames(filter, table))) return undefined;
    return compileForm(parameters, table, now);
  } catch (error) {
    return error instanceof UnknownFieldError && !isTableFresh ? undefined : (error as Error);
  }
}

/** Returns the fields that deliveries need. Choices are included only for fields that the filter compares. */
export function selectNeededFields(parameters: TriggerParameters, table: Table, now: Date): Field[] {
  const { filterFields, columns, watchedSlugs } = compileForm(parameters, table, now);
  const compared = new Set(filterFields.map(({ field }) => field.slug));
  const named = new Set([...compared, ...columns, ...watchedSlugs]);
  return table.fields
    .filter(({ slug }) => parameters.displayNames || named.has(slug))
    .map((field) => (compared.has(field.slug) ? field : { ...field, options: [] }));
}

/** What the form needs of the record, beside the delivered fields. */
export interface RecordNeeds {
  canRead: boolean;
  lacksFilterFields: boolean;
  wantsWholeRecord: boolean;
}

export function findRecordNeeds(
  delivery: Delivery,
  { fullRecord }: TriggerParameters,
  form: CompiledForm,
): RecordNeeds {
  const isMissing = (ref: CompiledForm['filterFields'][number]) => !hasField(delivery.record, ref);
  return {
    canRead: delivery.event !== 'DELETE',
    lacksFilterFields: form.filterFields.some(isMissing),
    wantsWholeRecord: fullRecord || form.outputFields.some(isMissing),
  };
}
