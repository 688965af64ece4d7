import { randomUUID } from 'node:crypto';
import type { Table } from '../../service';
import { CREDENTIAL_NAME } from '../examplesInN8n';
import { base, type NodeJson, webhook, workflow } from './workflowJson';

export interface Tables {
  signups: Table;
  /** One record per signup. The service requires the source's id to be unique. */
  copies: Table;
  /** The same table without the unique field, so that only the sync prevents duplicates. */
  mirror: Table;
}

/** Makes the workflows of the suite for one credential. */
export class Workflows {
  constructor(
    private readonly credentialId: string,
    private readonly tables: Tables,
  ) {}

  private own(name: string, type: string, parameters: object, webhookId?: string): NodeJson {
    return {
      name,
      type: `n8n-nodes-record-database.${type}`,
      typeVersion: 1,
      parameters,
      credentials: { recordDatabaseApi: { id: this.credentialId, name: CREDENTIAL_NAME } },
      ...(webhookId && { webhookId }),
    };
  }

  /** Writes a copy of the record that the expression returns. */
  private write(operation: 'create' | 'upsert', table: Table, record: string, origin: string): NodeJson {
    return this.own('Write It', 'recordDatabase', {
      resource: 'record',
      operation,
      dataTableId: { __rl: true, mode: 'id', value: table.id },
      columns: {
        mappingMode: 'defineBelow',
        value: { source_id: `={{ ${record}.id }}`, number: `={{ ${record}.number }}`, origin },
        matchingColumns: operation === 'upsert' ? ['source_id'] : [],
        schema: [],
      },
      options: operation === 'create' ? { dedupeField: 'source_id' } : {},
    });
  }

  private readAll(name: string, table: Table, filter: object = { filterMode: 'none' }): NodeJson {
    return this.own(name, 'recordDatabase', {
      resource: 'record',
      operation: 'getAll',
      dataTableId: { __rl: true, mode: 'id', value: table.id },
      returnAll: true,
      options: {},
      ...filter,
    });
  }

  /** Copies each new record once. Its id is unique in the other table. */
  events(): object {
    return workflow(
      'Copy each signup',
      [
        this.own(
          'Signup Added',
          'recordDatabaseTrigger',
          {
            tables: [this.tables.signups.id],
            events: ['INSERT'],
            filterMode: 'none',
            output: 'event',
            options: {},
          },
          randomUUID(),
        ),
        this.write('create', this.tables.copies, '$json.record', 'event'),
      ],
      [['Signup Added', 'Write It']],
    );
  }

  /** Copies the records that no execution has copied. A schedule starts it; the webhook is for the test. */
  reconcile(): object {
    const { signups, copies } = this.tables;
    return workflow(
      'Copy what was missed',
      [
        base('Every Hour', 'scheduleTrigger', 1.2, { rule: { interval: [{ field: 'hours' }] } }),
        webhook('Now', 'reconcile'),
        this.readAll('Signups', signups),
        this.readAll('Copies', copies),
        base('Missing', 'compareDatasets', 2.3, {
          mergeByFields: { values: [{ field1: 'id', field2: 'source_id' }] },
          options: {},
        }),
        this.write('create', copies, '$json', 'reconcile'),
      ],
      [
        ...['Every Hour', 'Now'].flatMap((from) => ['Signups', 'Copies'].map((to) => [from, to])),
        ['Signups', 'Missing'],
        ['Copies', 'Missing:1'],
        ['Missing', 'Write It'],
      ],
    );
  }

  /** One range of a sync: reads the signups with the given numbers and creates or updates their copies. */
  sync(): object {
    const bound = (operator: string, name: string) => ({
      field: 'number|number',
      operator,
      numberValue: `={{ Number($json.query.${name}) }}`,
    });
    return workflow(
      'Copy a slice of signups',
      [
        webhook('Slice', 'sync'),
        this.readAll('Signups', this.tables.signups, {
          filterMode: 'manual',
          match: 'all',
          conditions: {
            items: [bound('higher than or equal to', 'from'), bound('lower than or equal to', 'to')],
          },
        }),
        this.write('upsert', this.tables.mirror, '$json', 'sync'),
      ],
      [
        ['Slice', 'Signups'],
        ['Signups', 'Write It'],
      ],
    );
  }
}
