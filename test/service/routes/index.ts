import type { Routes } from '../http/route';
import { batch } from './batch';
import { records } from './records';
import { status } from './status';
import { tables } from './tables';
import { webhooks } from './webhooks';

/** What answers each endpoint of the spec. */
export const routes: Routes = { ...status, ...records, ...batch, ...tables, ...webhooks };
