import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { flagOf } from '../shared/model/flag';
import { InputError, shown } from '../shared/model/inputError';
import { labelOf } from '../shared/model/label';
import { namesIn, namesOrAll } from '../shared/model/list';
import { RECORD_EVENTS, type RecordEvent } from '../shared/model/subscription';
import type { Client } from '../shared/transport/client';
import { Hook } from './hook';

/** Both contexts in which n8n calls the trigger. */
export type TriggerContext = IHookFunctions | IWebhookFunctions;

export interface Options {
  columns?: string[] | string;
  displayNames?: boolean;
  fullRecord?: boolean;
  ignoreDuplicates?: boolean;
  maximumSize?: number;
  verify?: boolean;
}

const DEFAULT_MEGABYTES = 10;
const MEGABYTE = 1024 * 1024;

const SWITCHES = ['displayNames', 'fullRecord', 'ignoreDuplicates', 'verify'] as const;

const optionsAsGiven = (context: TriggerContext) =>
  context.getNodeParameter('options', {}) as IDataObject as Options;

/** @throws InputError for a switch that is neither on nor off */
export function optionsOf(context: TriggerContext): Options {
  const given = optionsAsGiven(context);
  const flags = SWITCHES.filter((name) => name in given).map((name) => [
    name,
    flagOf(given[name], labelOf(name)),
  ]);
  return { ...given, ...Object.fromEntries(flags) };
}

/** Fields to keep, none for all. @throws InputError where an expression found nothing */
export function columnsOf(context: TriggerContext): string[] {
  const options = optionsAsGiven(context);
  return namesOrAll('columns' in options ? options.columns : [], 'Fields to Keep');
}

/** What `read` gives, or `otherwise` where an expression in a parameter fails. */
export function safely<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Read before it is known who calls: a stranger must not make an expression fail the workflow. */
export function maxBytesOf(context: TriggerContext): number {
  const size = safely(() => Number(optionsAsGiven(context).maximumSize), 0);
  return Math.max(size || DEFAULT_MEGABYTES, 0.001) * MEGABYTE;
}

/** Tables to listen to. @throws InputError when there is none */
export function tablesOf(context: TriggerContext): string[] {
  const tables = namesIn(context.getNodeParameter('tables', []));
  if (tables.length > 0) return tables;
  throw new InputError('No table is chosen', 'Choose at least one table whose records to listen to.');
}

/** Events to listen to. @throws InputError when there is none, or one that the service does not send */
export function eventsOf(context: TriggerContext): RecordEvent[] {
  const given = namesIn(context.getNodeParameter('events', []));
  const events = RECORD_EVENTS.filter((one) => given.includes(one));
  if (events.length > 0 && events.length === given.length) return events;
  throw new InputError(
    given.length === 0 ? 'No event is chosen' : `The events cannot be ${shown(given)}`,
    `Choose Record Created, Updated or Deleted; an expression gives ${RECORD_EVENTS.join(', ')}.`,
  );
}

/** Names the node beyond this process: what its tokens and its notes are made for. */
export function nodeKey(context: TriggerContext): string {
  const { webhookId, id } = context.getNode();
  return webhookId ?? `${String(context.getWorkflow().id)}/${id}`;
}

export function hookOf(context: TriggerContext, { keys }: Client): Hook {
  if (keys.appSecret === '') {
    throw new InputError(
      'The credential has no App Secret',
      'Fill it in: the address that the service calls is protected with it.',
    );
  }
  const { baseUrl, appId, appSecret } = keys;
  return new Hook({
    instanceId: context.getInstanceId(),
    node: nodeKey(context),
    baseUrl,
    appId,
    appSecret,
  });
}
