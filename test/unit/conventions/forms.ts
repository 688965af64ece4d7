import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { LIST_SOURCES, type ListName } from '../../../nodes/n8n/lists/listPicker';
import { properties as pollingForm } from '../../../nodes/RecordDatabasePollingTrigger/form';
import { properties as triggerForm } from '../../../nodes/RecordDatabaseTrigger/form';
import type { Endpoint } from '../../../nodes/service';
import { readCalledEndpoints } from '../../calledEndpoints';
import { loadActionNodes } from '../../operations';

/** The fields that are shown after the selection of resource and operation, in order. */
export interface Form {
  at: string;
  fields: INodeProperties[];
  /** What the operation calls. */
  endpoints: Endpoint[];
}

/** Where a node is chosen and explained. */
const CHOICES = ['resource', 'operation', 'toolNotice'];

const called = readCalledEndpoints();

export const forms: Form[] = [
  { at: 'RecordDatabasePollingTrigger', fields: pollingForm, endpoints: [] },
  { at: 'RecordDatabaseTrigger', fields: triggerForm, endpoints: [] },
  ...loadActionNodes().flatMap(({ folder, properties, resources }) =>
    resources.flatMap((resource) =>
      resource.operations.map((operation) => {
        const { name } = operation;
        const fields = properties.filter(({ name: field, displayOptions: { show = {} } = {} }) => {
          const isShown = (key: string, value: string) => show[key]?.includes(value) ?? true;
          return !CHOICES.includes(field) && isShown('resource', resource.name) && isShown('operation', name);
        });
        return { at: `${folder} ${resource.name} ${name}`, fields, endpoints: called.get(operation)! };
      }),
    ),
  ),
];

/** Rows of fields inside a field. The options of a collection are one row: one of them may be shown for another one. */
export const getRows = ({ type, options = [] }: INodeProperties): INodeProperties[][] => {
  if (type === 'fixedCollection') return (options as INodePropertyCollection[]).map(({ values }) => values);
  return type === 'collection' ? [options as INodeProperties[]] : [];
};

/** `&field` is in the same row; `dataTableId.value` is the value picked in `dataTableId`. */
const parseReferenceName = (reference: string) => reference.replace(/^[&/]/, '').split('.')[0]!;

/** The fields that decide whether this one is shown. */
export const findVisibilityFields = ({ displayOptions: { show, hide } = {} }: INodeProperties): string[] =>
  Object.keys({ ...show, ...hide })
    .filter((name) => !CHOICES.includes(name) && name !== '@tool')
    .map(parseReferenceName);

/** The fields that its list depends on. One of them is enough, because a list may serve several forms. */
export function findFollowedFields({ typeOptions, modes = [] }: INodeProperties): string[] {
  const methods = [
    typeOptions?.loadOptionsMethod,
    ...modes.map((mode) => mode.typeOptions?.searchListMethod),
  ];
  const within = methods.flatMap((method = '') => {
    const source = LIST_SOURCES[method.replace(/^(get|search)/, '') as ListName];
    return source && 'parentPickers' in source ? source.parentPickers : [];
  });
  return [...(typeOptions?.loadOptionsDependsOn ?? []).flat().map(parseReferenceName), ...within];
}

/** Every field that a field and its rows depend on, except fields of the same row. */
export function findNeededFields(field: INodeProperties): string[] {
  const inRows = getRows(field).flatMap((row) => {
    const siblings = new Set(row.map(({ name }) => name));
    return row.flatMap(findNeededFields).filter((name) => !siblings.has(name));
  });
  return [...findVisibilityFields(field), ...findFollowedFields(field), ...inRows];
}
