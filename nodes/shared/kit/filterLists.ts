import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { KINDS, partFilterId, partsOf, type Field, type FieldKind } from '../model/fields';
import { operatorsOf } from '../model/filter';
import { tableFields } from '../transport/schema';
import { fieldIdOf } from './filterInput';
import { lookUp, pickedTable } from './pickers';

/** Fields as the filter's dropdown shows them, each with its kind behind a bar: Name and Address by part. */
export function filterOptions(field: Field): INodePropertyOptions[] {
  const parts = field.kind === 'calendar' ? [] : (partsOf(field) ?? []);
  if (parts.length === 0)
    return [{ name: `${field.name} (${field.type})`, value: `${field.slug}|${field.kind}` }];
  return parts.map((part) => ({
    name: `${field.name}: ${part.label} (${field.type})`,
    value: `${partFilterId(field, part)}|text`,
  }));
}

async function fieldsOf(context: ILoadOptionsFunctions): Promise<Field[]> {
  const tableId = await pickedTable(context);
  if (!tableId) return [];
  return (await lookUp(context, (client) => tableFields(client, tableId))).fields;
}

export async function getFilterFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return (await fieldsOf(this)).flatMap(filterOptions);
}

/** `Is On or Before`: the service's words as n8n writes titles. */
const title = (operator: string) =>
  operator.replace(/\b\w+/g, (word, at: number) => {
    const isSmall = /^(or|than|to|of|in|with|s)$/.test(word) && at + word.length < operator.length;
    return isSmall ? word : word.charAt(0).toUpperCase() + word.slice(1);
  });

async function kindOf(context: ILoadOptionsFunctions, name: string): Promise<FieldKind> {
  const field = (await fieldsOf(context)).find(({ slug, fieldId }) => slug === name || fieldId === name);
  return field?.kind ?? 'text';
}

export async function getFilterOperators(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const chosen = String(this.getCurrentNodeParameter('&field') ?? '');
  // An expression stands here as it is written, and a field may be named by its ID alone.
  const kind = KINDS.find((one) => chosen.endsWith(`|${one}`)) ?? (await kindOf(this, chosen));
  return operatorsOf(kind).map(({ name, needsUser }) => ({
    name: title(name),
    value: name,
    ...(needsUser && { description: 'Needs "Act as a User" in the credential' }),
  }));
}

export async function getFilterChoices(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const slug = fieldIdOf(this.getCurrentNodeParameter('&field'));
  const field = (await fieldsOf(this)).find((one) => one.slug === slug);
  return (field?.options ?? []).map(({ label, value }) => ({ name: label, value }));
}
