/** A table with its fields. `Table` finds a field by its slug, ID or name. */
import { countBy, uniq } from 'lodash';
import { cutName, formatForError, InputError, joinFirstTexts } from '../../service';
import { listPartKeys, toPartField } from './composite';
import type { Field } from './field';
import type { CompositePart } from './kind';
import { explainReadOnly, getKind, toField } from './kinds';
import { findSimilarNames, NameIndex, toLooseNameKey } from './names';

interface LabelledField {
  field: Field;
  /** The name, followed by the slug if several fields have the same name. */
  label: string;
  /** The label with the type of the field, unless label and type are the same word. */
  typedLabel: string;
}

/**
 * Adds to each field the labels that a list of fields shows.
 * @example
 * labelFields(table.fields); // [{ field, label: 'Email', typedLabel: 'Email' }, { …, label: 'Status', typedLabel: 'Status (Select)' }]
 */
export function labelFields(fields: Field[]): LabelledField[] {
  const counts = countBy(fields, 'name');
  return fields.map((field) => {
    const { name, slug, type } = field;
    const label = counts[name] === 1 ? name : `${name} [${slug}]`;
    const isSameWord = label.toLowerCase() === type.toLowerCase();
    return { field, label, typedLabel: isSameWord ? label : `${label} (${type})` };
  });
}

const MAX_FIELDS_IN_ERROR = 40;

/** Thrown for a name of no field or of several fields. If `table` is out of date, the caller reads its fields again. */
export class UnknownFieldError extends InputError {
  constructor(
    message: string,
    remedy: string,
    readonly table: Table,
  ) {
    super(message, remedy);
  }
}

function describeFields({ fields }: Table): string {
  const labels = labelFields(fields).map(({ typedLabel }) => cutName(typedLabel));
  return `The fields are: ${joinFirstTexts(labels, ', ', MAX_FIELDS_IN_ERROR)}.`;
}

/** Language models and users often write `id` in filters. Every record has an ID, but the ID is not a field. */
const RECORD_ID_REMEDY =
  'A record ID is no field. Every returned record has its ID. To read, update or delete one record, use Get, Update or Delete with its Record ID.';

/** Returns "Did you mean …?" with similar labels of fields and keys of parts, or '' if none is similar. */
function suggestNames({ fields }: Table, name: string): string {
  const labels = new Map<string, string>();
  for (const { field, label } of labelFields(fields)) {
    labels.set(field.slug, label).set(label, label);
    for (const part of getKind(field).parts ?? [])
      for (const key of listPartKeys(part, field.slug)) labels.set(key, part.formatKey(field.slug));
  }
  const similar = uniq(findSimilarNames(name, [...labels.keys()]).map((one) => labels.get(one)));
  return similar.length > 0 ? `Did you mean ${similar.map(formatForError).join(' or ')}?` : '';
}

/** The text lacks "Nothing was sent", because a write may precede the error. */
export function createUnknownFieldError(table: Table, name: string, where: string): UnknownFieldError {
  const hint = /^\s*id\s*$/i.test(name) ? RECORD_ID_REMEDY : suggestNames(table, name);
  return new UnknownFieldError(
    `${where}: the table has no field ${formatForError(name)}`,
    `${hint} ${describeFields(table)}`.trim(),
    table,
  );
}

function createAmbiguousFieldError(table: Table, name: string, refs: FieldRef[]): UnknownFieldError {
  const names = refs.map(
    (ref) => `${formatForError(formatPayloadKey(ref))} (${formatForError(ref.field.name)})`,
  );
  return new UnknownFieldError(
    `${formatForError(name)} is the name of several fields: ${joinFirstTexts(names)}`,
    `Nothing was sent. Give the slug of one of them: ${joinFirstTexts(refs.map(formatPayloadKey))}.`,
    table,
  );
}

/** Every record has this field, but the service does not list it (spec: Record). */
const CREATED_AT_FIELD = toField({
  slug: 'created_at',
  fieldId: 'created_at',
  name: 'Created At',
  type: 'Date-Time',
  description: 'When the record was created.',
});

/** A field of a table or, with `part`, a part of a field, such as the first name of a Name. */
export interface FieldRef {
  table: Table;
  field: Field;
  part?: CompositePart;
}

/** A connection that has a `tableId`. */
export interface ConnectionField {
  field: Field;
  connection: NonNullable<Field['connection']>;
}

/** Returns a part of a field as a separate field, with the kind of the part. */
export const toRefField = ({ field, part }: FieldRef): Field => (part ? toPartField(field, part) : field);

/** The service silently ignores an unknown field, so an unknown name is an error before any request. */
export class Table {
  readonly fields: Field[];
  readonly connections: ConnectionField[];
  private readonly refs = new Map<string, FieldRef>();
  private nameIndexes?: Array<NameIndex<FieldRef>>;
  private listedFieldIndex?: NameIndex<Field>;

  constructor(
    readonly id: string,
    fields: Field[],
  ) {
    this.fields = fields.some(({ slug }) => slug === 'created_at') ? fields : [...fields, CREATED_AT_FIELD];
    this.connections = this.fields.flatMap((field) => {
      const { connection } = field;
      return connection?.tableId === undefined ? [] : [{ field, connection }];
    });
    // A slug takes precedence over a field ID, and a field ID over the key of a part.
    for (const field of this.fields) this.addFieldRef(field.slug, { table: this, field });
    for (const field of this.fields) this.addFieldRef(field.fieldId, { table: this, field });
    for (const field of this.fields)
      for (const part of getKind(field).parts ?? [])
        for (const name of [field.slug, field.fieldId])
          for (const key of listPartKeys(part, name)) this.addFieldRef(key, { table: this, field, part });
  }

  private addFieldRef(name: string, ref: FieldRef): void {
    if (name !== '' && !this.refs.has(name)) this.refs.set(name, ref);
  }

  get writableFields(): Field[] {
    return this.fields.filter(({ isReadOnly }) => !isReadOnly);
  }

  hasSlug(slug: string): boolean {
    return this.refs.get(slug)?.field.slug === slug;
  }

  /**
   * Finds a field or part by slug, field ID or part key (`name[first_name]`, `name-first`, `term__start`), or else by a
   * name, which may differ in case and separators (`toLooseNameKey`). @throws InputError for a name of several fields
   */
  findRef(name: string): FieldRef | undefined {
    const ref = this.refs.get(name);
    if (ref) return ref;
    this.nameIndexes ??= indexFieldNames(this);
    const found = this.nameIndexes.map((level) => level.lookUp(name)).find(({ length }) => length > 0) ?? [];
    if (found.length > 1) throw createAmbiguousFieldError(this, name, found);
    return found[0];
  }

  /** Leaves out `created_at`, because an input item may have a value of its own under this key. */
  listFieldsByName(name: string): Field[] {
    this.listedFieldIndex ??= new NameIndex(
      this.fields.filter(({ slug }) => slug !== CREATED_AT_FIELD.slug),
      (field) => [field.slug, field.fieldId, field.name],
      toLooseNameKey,
    );
    return this.listedFieldIndex.lookUp(name);
  }

  /** Finds a field by the names that `findRef` accepts. Returns undefined for the name of a part. */
  findField(name: string): Field | undefined {
    const ref = this.findRef(name);
    return ref?.part ? undefined : ref?.field;
  }

  /** @throws InputError that suggests similar names, for an unknown name or the name of a part */
  requireField(name: string, where: string): Field {
    const field = this.findField(name);
    if (field) return field;
    throw createUnknownFieldError(this, name, where);
  }

  /** @throws InputError for an unknown name, or a part by which the service cannot filter */
  requireFilterRef(name: string, where: string): FieldRef {
    const ref = this.findRef(name);
    if (!ref) throw createUnknownFieldError(this, name, where);
    if (!ref.part || ref.part.formatFilterKey(ref.field.slug) !== undefined) return ref;
    throw new InputError(
      `${where}: the service cannot filter by "${toRefField(ref).name}"`,
      'Filter by its start or its end. Nothing was sent.',
    );
  }

  /** @throws InputError for an unknown name, or a field that cannot be written */
  requireWritableRef(key: string, where: string): FieldRef {
    const ref = this.findRef(key);
    if (ref?.field.isReadOnly) {
      throw new InputError(
        `${where}: "${ref.field.name}" cannot be written: ${explainReadOnly(ref.field)}`,
        'Leave the field out.',
      );
    }
    if (ref) return ref;
    throw createUnknownFieldError(this, key, where);
  }
}

/** Returns the `field_id` of a field or part in a filter (spec: Filters). */
export const formatFilterKey = ({ field, part }: FieldRef): string =>
  part?.formatFilterKey(field.slug) ?? field.slug;

/** Returns the key of a field or part in a payload (spec: "Field-type value formats"). */
export const formatPayloadKey = ({ field, part }: FieldRef): string =>
  part?.formatKey(field.slug) ?? field.slug;

/** Lists the names of a part with the name of its field: "Name: First", "name.first_name". */
const listPartNames = ({ slug, name }: Field, { payload, filter, label }: CompositePart): string[] =>
  [name, slug].flatMap((field) =>
    [payload, filter, label].flatMap((part) => [': ', '.'].map((sign) => `${field}${sign}${part}`)),
  );

/**
 * A name in an earlier index takes precedence. A part needs the name of its field: the word `state` alone may mean a
 * deleted field, and must not select the State of an Address.
 */
function indexFieldNames(table: Table): Array<NameIndex<FieldRef>> {
  const createIndex = (refs: FieldRef[], listNames: (ref: FieldRef) => string[]) =>
    new NameIndex(refs, listNames, toLooseNameKey);
  const fields = table.fields.map((field): FieldRef => ({ table, field }));
  const parts = table.fields.flatMap((field) =>
    (getKind(field).parts ?? []).map((part) => ({ table, field, part })),
  );
  return [
    createIndex(fields, ({ field }) => [field.slug, field.name]),
    createIndex(parts, ({ field, part }) => (part ? listPartNames(field, part) : [])),
    // Fields with equal names have these labels (`labelFields`). Items with display names have the labels as keys.
    createIndex(fields, ({ field }) => [`${field.name} [${field.slug}]`]),
  ];
}
