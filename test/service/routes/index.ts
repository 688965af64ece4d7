import type { Endpoint } from '../endpoints';
import type { Route } from '../http/route';
import { auth } from './auth';
import { automations } from './automations';
import { batch } from './batch';
import { components } from './components';
import { exportRoutes } from './exports';
import { formulas } from './formulas';
import { imports } from './imports';
import { logs } from './logs';
import { pages } from './pages';
import { pdf } from './pdf';
import { records } from './records';
import { status } from './status';
import { tables } from './tables';
import { tasks } from './tasks';
import { webhooks } from './webhooks';

/** The route of each endpoint. A missing one does not compile: add it to the file of its resource. */
export const routes: Record<Endpoint, Route> = {
  ...status,
  ...records,
  ...batch,
  ...tables,
  ...tasks,
  ...automations,
  ...webhooks,
  ...formulas,
  ...auth,
  ...imports,
  ...exportRoutes,
  ...pdf,
  ...pages,
  ...components,
  ...logs,
};
