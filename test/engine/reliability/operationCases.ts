import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Engine } from '../../harness';
import type { Service } from '../../service';
import { toColumns, toLocator } from '../support/testEnvironment';

/** One operation of one node, with parameters with which it sends at least one request. */
export interface OperationCase {
  name: string;
  type: string;
  parameters: Record<string, unknown>;
}

const getOptions = (property?: INodeProperties) => (property?.options ?? []) as INodePropertyOptions[];

/** Returns a value from the sample data for a parameter whose default is empty. */
function fillParameter({ name, type, default: preset, options }: INodeProperties, service: Service): unknown {
  const table = service.getTable('Customers');
  if (name === 'dataTableId') return toLocator(table.id);
  if (name === 'recordId')
    return type === 'resourceLocator'
      ? toLocator([...table.records.keys()][0]!)
      : [...table.records.keys()][0];
  if (name === 'columns' && type === 'string') return '';
  if (name === 'columns') return toColumns({ company: 'Canary', email: 'canary@example.com' }, ['email']);
  if (name === 'email') return service.user.email;
  if (type === 'resourceLocator') return toLocator('x1');
  if (type === 'options' && preset === '')
    return (options as INodePropertyOptions[] | undefined)?.[0]?.value ?? 'x1';
  if (type === 'string' && preset === '') return 'x1';
  if (type === 'json' && name === 'filterJson') {
    return JSON.stringify({
      condition: 'AND',
      items: [{ field_id: 'company', operator: 'is', val: 'x' }],
      child: [],
    });
  }
  return preset;
}

/** Operations that refuse to run without a condition. */
const NEEDS_FILTER = ['batchUpdate', 'deleteMany'];
const FILTER = {
  filterMode: 'manual',
  conditions: { items: [{ field: 'company|text', operator: 'is', value: 'x' }] },
};

/** Every operation that the built package offers, as data for tests that must hold for all of them. */
export function listOperationCases(engine: Engine, service: Service): OperationCase[] {
  return engine.nodeTypes.listPackageNodes().flatMap((type) => {
    const { properties, inputs } = engine.nodeTypes.getByNameAndVersion(type).description;
    if (inputs.length === 0) return [];
    const isShown = (property: INodeProperties, values: Record<string, unknown>) =>
      Object.entries(property.displayOptions?.show ?? {}).every(
        ([key, wanted]) => !(key in values) || (wanted as unknown[]).includes(values[key]),
      );
    return getOptions(properties.find(({ name }) => name === 'resource')).flatMap(({ value: resource }) =>
      getOptions(properties.find((one) => one.name === 'operation' && isShown(one, { resource }))).map(
        ({ value: operation }) => {
          const own = properties.filter((one) => isShown(one, { resource, operation, '@tool': false }));
          const values = Object.fromEntries(own.map((one) => [one.name, fillParameter(one, service)]));
          return {
            name: `${type.split('.')[1]}: ${String(resource)} ${String(operation)}`,
            type,
            parameters: {
              ...values,
              ...(NEEDS_FILTER.includes(String(operation)) && { ...FILTER, dryRun: false }),
              resource,
              operation,
            },
          };
        },
      ),
    );
  });
}
