import { presentRecord } from '../data/present';
import {
  type Change,
  type RecordEvent,
  type StoredRecord,
  Table,
  type TableDefinition,
  type TableHost,
} from '../data/table';
import type { ServiceOptions } from '../options';
import { formatDelivery } from './deliveryBody';
import { ExecutionRunner } from './executions';
import { Exports } from './exports';
import { Files } from './files';
import { Imports } from './imports';
import { Jobs } from './jobs';
import { KeyStore } from './keys';
import { Limits } from './limits';
import { Logs } from './logs';
import type { PdfTemplate } from './pdf';
import { IdGenerator, Random } from './random';
import { Site } from './site';
import { Timers } from './time';
import { Users } from './users';
import { Webhooks } from './webhooks';

/** Spec: Role. */
export interface Role {
  id: string;
  name: string;
  description: string;
  enable_stripe: 'Yes' | 'No';
}

/** The state behind the API: one application with its tables, keys and users. */
export class Application implements TableHost {
  readonly timers = new Timers();
  readonly random: Random;
  readonly ids: IdGenerator;
  readonly keys: KeyStore;
  readonly users: Users;
  /** Limits of requests without a valid key. */
  readonly anonymous: Limits;
  readonly jobs: Jobs;
  readonly webhooks: Webhooks;
  readonly files: Files;
  readonly tables: Table[] = [];
  readonly roles: Role[] = [];
  readonly tasks = new ExecutionRunner(this, 'Task');
  readonly automations = new ExecutionRunner(this, 'Automation');
  readonly imports = new Imports(this);
  readonly exports = new Exports(this);
  readonly pdfPages: PdfTemplate[] = [];
  readonly pdfForms: PdfTemplate[] = [];
  readonly site = new Site();
  readonly logs = new Logs(this);
  private fieldCount = 0;

  constructor(readonly options: ServiceOptions) {
    this.random = new Random(options.seed);
    this.ids = new IdGenerator(options);
    this.keys = new KeyStore(options, this.random, this.ids);
    this.users = new Users(options, this.random);
    this.anonymous = new Limits(options);
    this.jobs = new Jobs(options);
    this.webhooks = new Webhooks(options, this.timers);
    this.files = new Files(this.ids);
  }

  addTable(definition: TableDefinition): Table {
    const table = new Table(definition, this);
    this.tables.push(table);
    return table;
  }

  /** By name or id. */
  findTable(nameOrId: string): Table | undefined {
    return this.tables.find(({ id, name }) => id === nameOrId || name === nameOrId);
  }

  /** The slug and the ID of a new field (`ServiceOptions.slugs` and `ids`). @param keepsKey whether the key is the slug */
  nameField(key: string, keepsKey = false): { slug: string; fieldId: string } {
    const { slugs, ids } = this.options;
    const number = `field_${++this.fieldCount}`;
    const isEncoded = slugs === 'numbered' || ids === 'met';
    return {
      slug: slugs === 'numbered' && !keepsKey ? number : key,
      fieldId: isEncoded ? this.ids.next() : number,
    };
  }

  notifyChange(event: RecordEvent, table: Table, record: StoredRecord, change: Change): void {
    if (!this.webhooks.hasSubscriber(table.id, event)) return;
    const { deliveryFields, deliveryForm } = this.options;
    const columns = { all: undefined, touched: change.touched, saved: change.saved }[deliveryFields];
    const body = {
      event_type: event,
      table_id: table.id,
      table_name: table.name,
      record: presentRecord(record, table, this, { place: 'delivery', columns }),
      timestamp: new Date(this.options.clock.now()).toISOString(),
    };
    this.webhooks.send(body, formatDelivery(body, table.fields, deliveryForm));
  }

  stop(): void {
    this.timers.stop();
    this.webhooks.stop();
  }
}
