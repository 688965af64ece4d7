import type { Port } from '../../nodes/service';
import { type PointName, POINTS } from '../../test/silences';
import { CHECKS, type Subject } from './checks';
import {
  Contact,
  type Finding,
  type Settings,
  type TableInfo,
  TooManyRequestsError,
  type Values,
} from './contact';

export interface RunOptions {
  port: Port;
  /** `baseUrl`, `appId`, `appKey`, `appSecret`, `headerPrefix`. */
  credential: Values;
  /** Name of a table in which records may be created and deleted. Without it nothing is written. */
  scratchTable?: string;
  hook?: Subject['hook'];
  print(line: string): void;
}

export interface Report {
  findings: Finding[];
  settings: Settings;
  requests: number;
  /** What the run has created and could not delete. */
  left: string[];
  /** Why the run ended early. */
  problem?: string;
}

/** Finds the scratch table by its exact name, and a table to read: the scratch table, or the first one with records. */
async function findTables(
  contact: Contact,
  name?: string,
): Promise<{ table: TableInfo; scratch?: TableInfo }> {
  const tables = await contact.listTables();
  const chosen = name === undefined ? undefined : tables.filter((one) => one.name === name);
  if (chosen && chosen.length !== 1) {
    throw new Error(
      `The application has ${chosen.length} tables with the name "${name}". Create a table for this run, with two Text fields, a Number, a Date-Time, a Connection and a Name field. Its tables are: ${tables.map((one) => one.name).join(', ')}`,
    );
  }
  const scratch = chosen && (await contact.readTable(chosen[0]!));
  const others = tables.filter(({ id }) => id !== scratch?.id);
  for (const one of others.slice(0, 10)) {
    const table = { ...one, fields: [] };
    if ((await contact.list(table, { page: 1, limit: 2 })).length > 1)
      return { table: await contact.readTable(one), scratch };
  }
  const table = scratch ?? (others[0] && (await contact.readTable(others[0])));
  if (!table) throw new Error('The application has no table');
  return { table, scratch };
}

/** Names the points that no check has found out, with the reason. */
function completeFindings(findings: Finding[], hasScratch: boolean): Finding[] {
  return (Object.keys(POINTS) as PointName[]).map((id) => {
    const found = findings.find((finding) => finding.id === id);
    if (found) return found;
    const { check } = POINTS[id];
    const isNeeded = !/^Not (needed|tried)/.test(check);
    return {
      id,
      how: !isNeeded
        ? check
        : hasScratch
          ? `Not tried by this run. By hand: ${check}`
          : `Not tried without --scratch-table. By hand: ${check}`,
    };
  });
}

/** Says what a run will do, before it does anything. */
export const describePlan = (scratchTable?: string): string[] => [
  'This run finds out what the service does where its documentation is silent, or where clients met something else.',
  scratchTable === undefined
    ? 'It only reads. With --scratch-table NAME it also creates and deletes records in a table that you made for it.'
    : `It creates records in the table "${scratchTable}", and deletes those records again, by their IDs. It changes nothing else.`,
  'It sends at most 150 requests, within the limit of the key. Ctrl+C stops it; it then deletes what it has created.',
  'Keys are never stored and never shown.',
];

/**
 * Runs all checks. A check that fails does not stop the others, except for a missing key or table, the limit of requests
 * and a cancelled run. What was created is deleted in every case.
 */
export async function runFirstContact({
  port,
  credential,
  scratchTable,
  hook,
  print,
}: RunOptions): Promise<Report> {
  const contact = new Contact(port, credential);
  let problem: string | undefined;
  try {
    const { table, scratch } = await findTables(contact, scratchTable);
    for (const [index, { title, writes, run }] of CHECKS.entries()) {
      if (writes && !scratch) continue;
      if (port.signal?.aborted) break;
      print(`${index + 1} of ${CHECKS.length}: ${title} (${contact.requests} requests so far)`);
      await run({ contact, table, scratch, hook }).catch((error: unknown) => {
        if (error instanceof TooManyRequestsError || port.signal?.aborted) throw error;
        print(`  could not be found out: ${(error as Error).message}`);
      });
    }
  } catch (error) {
    problem = (error as Error).message;
  }
  const left = await contact.cleanUp();
  const findings = completeFindings(contact.findings, scratchTable !== undefined);
  return { findings, settings: contact.settings, requests: contact.requests, left, problem };
}

/** The report for people: each point, what was seen, how, and what the package does about it. */
export function formatReport({ findings, settings, requests, left, problem }: Report): string {
  const entries = (list: Finding[], format: (finding: Finding) => string) => list.map(format).join('\n\n');
  const seen = findings.filter((finding) => finding.seen !== undefined);
  const open = findings.filter((finding) => finding.seen === undefined);
  if (problem !== undefined && seen.length === 0 && left.length === 0)
    return `The run ended early: ${problem}\n`;
  return [
    `# What this service does (${requests} requests)`,
    ...(problem === undefined ? [] : [`The run ended early: ${problem}`]),
    ...(left.length > 0 ? [`Please delete by hand: ${left.join('; ')}`] : []),
    '## Settings to choose in the credential',
    settings.serviceTimeZone === undefined
      ? 'None was found out. They need --scratch-table.'
      : `- Service Time Zone: ${settings.serviceTimeZone}`,
    '## Seen',
    entries(seen, ({ id, seen: what, how }) => {
      const { question, behavior } = POINTS[id];
      return `${question}\n  Seen: ${what}\n  How: ${how}\n  The nodes: ${behavior}`;
    }),
    '## Not found out',
    entries(open, ({ id, how }) => `${POINTS[id].question}\n  ${how}`),
    '',
  ].join('\n\n');
}

/** The report as a file that can be attached to an issue: no secrets, no names, no values of records. */
export const formatJson = ({ findings, settings }: Report): string =>
  `${JSON.stringify({ silences: findings, settings }, null, 2)}\n`;
