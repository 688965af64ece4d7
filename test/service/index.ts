/** The embedded Record Database Service; see `README.md`. */
import type { ServiceOptions } from './options';
import { Service } from './service';

export type { Field, FieldDefinition } from './data/field';
export type { RecordEvent, StoredRecord, Table, TableDefinition } from './data/table';
export { ENDPOINTS, type Endpoint } from './endpoints';
export type { AnswerForm } from './http/answers';
export type { Fault, FaultRule } from './http/faults';
export type { RecordedRequest, Violation } from './http/recorder';
export type { ServiceOptions } from './options';
export { parseProfile, PROFILE_NAMES, type ProfileName } from './profiles';
export { listReadings, READINGS, type ReadingName } from './readings';
export type { Definition, Execution } from './state/executions';
export type { Keys, KeySpec, Permission } from './state/keys';
export type { Clock } from './state/time';
export type { Delivery, Subscription } from './state/webhooks';
export type { Service } from './service';

/** The addresses that this process has used. */
const usedAddresses = new Set<string>();

/**
 * Starts a service on a loopback port, with an address that no service had before. Its clients remember by the address
 * what a service does and when its limits reset, and the system assigns the port of a stopped service again.
 */
export async function startService(options: Partial<ServiceOptions> = {}): Promise<Service> {
  const service = await new Service(options).start();
  const isNew = options.port !== undefined || !usedAddresses.has(service.baseUrl);
  usedAddresses.add(service.baseUrl);
  if (isNew) return service;
  await service.stop();
  return startService(options);
}
