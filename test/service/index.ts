/** The embedded Record Database Service; see `README.md`. */
import type { ServiceOptions } from './options';
import { Service } from './service';

export type { Field, FieldDefinition } from './data/field';
export type { RecordEvent, StoredRecord, Table, TableDefinition } from './data/table';
export { ENDPOINTS, type Endpoint } from './endpoints';
export type { Fault, FaultRule } from './http/faults';
export type { RecordedRequest, Violation } from './http/recorder';
export type { ServiceOptions } from './options';
export { listReadings, READINGS, type ReadingName } from './readings';
export type { Definition, Execution } from './state/executions';
export type { Keys, KeySpec, Permission } from './state/keys';
export type { Clock } from './state/time';
export type { Delivery, Subscription } from './state/webhooks';
export type { Service } from './service';

/** Starts a service on a loopback port. */
export const startService = (options: Partial<ServiceOptions> = {}): Promise<Service> =>
  new Service(options).start();
