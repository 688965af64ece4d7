/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
/** Runs the embedded service in a separate process, so that it does not share a core with its clients. */
import { setTimeout } from 'node:timers/promises';
import { countBy } from 'lodash';
import { type Service, type ServiceOptions, startService, type Table } from '../test/service';
import type { BenchTarget, EventsSent, ServiceStatistics } from './remote';
import { createRow } from './rows';

const FIELDS = ['Key', 'Name', 'City', 'Note'].map((name) => ({ name, type: 'Text' }) as const);

let service: Service;
let table: Table;
/** Its events start workflows. */
let eventTable: Table;

async function startBenchService(options: Partial<ServiceOptions>, rows: number): Promise<BenchTarget> {
  service = await startService({ sample: 'empty', perMinute: 1_000_000, perDay: 100_000_000, ...options });
  const fields = [...FIELDS, { name: 'Amount', type: 'Number' } as const];
  table = service.addTable({ name: 'Bench', fields: fields });
  eventTable = service.addTable({ name: 'Events', fields: [{ name: 'Key', type: 'Text' }] });
  for (let index = 0; index < rows; index++) table.insert(createRow(index), { compute: false });
  return {
    baseUrl: service.baseUrl,
    keys: service.keys,
    tableId: table.id,
    eventTableId: eventTable.id,
    importId: service.addImport(table),
  };
}

function getStatistics(): ServiceStatistics {
  const records = [...table.records.values()];
  const times = countBy(records, 'key');
  const { requests } = service;
  return {
    requests: requests.length,
    refused: requests.filter(({ status }) => status === 429).length,
    records: table.records.size,
    duplicates: Object.values(times).filter((count) => count > 1).length,
    cities: countBy(records, 'city'),
    firstAt: requests[0]?.at ?? 0,
    lastAt: requests.at(-1)?.at ?? 0,
  };
}

/** Creates records in the table of events, and measures how long each delivery takes. */
async function sendEvents({ count, everyMs }: { count: number; everyMs: number }): Promise<EventsSent> {
  const waits: number[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < count; index++) {
    await setTimeout(Math.max(0, startedAt + (index + 1) * everyMs - performance.now()));
    const from = performance.now();
    eventTable.insert({ key: `e${index}` });
    await service.waitForDeliveries();
    waits.push(performance.now() - from);
  }
  return { waits, statuses: service.deliveries.map(({ status = 0 }) => status) };
}

const commands = {
  sendEvents,
  start: ({ options, rows }: { options: Partial<ServiceOptions>; rows: number }) =>
    startBenchService(options, rows),
  seen: async () => getStatistics(),
  stop: async () => service.stop(),
};

process.on('message', (message: { command: keyof typeof commands; data: never }) => {
  void commands[message.command](message.data).then((answer) => {
    process.send?.(answer ?? {});
    if (message.command === 'stop') process.disconnect();
  });
});

// The benchmark has ended, so no other process can stop this one.
process.on('disconnect', () => process.exit());
