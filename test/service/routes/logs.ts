import { formatTotals } from '../data/list';
import { defineRoute, type Routes } from '../http/route';
import { LOG_NAMES, type LogName } from '../state/logs';
import { createSuccess, pageQuery } from './common';

const PAGE_SIZE = 50;

type LogRoutes = { [Name in LogName as `GET /api/v1/logs/${Name}`]: ReturnType<typeof createLogRoute> };

/** All logs share one shape and one page size (spec: Logs). */
export const logs = Object.fromEntries(
  LOG_NAMES.map((name) => [`GET /api/v1/logs/${name}`, createLogRoute(name)]),
) as LogRoutes satisfies Routes;

function createLogRoute(name: LogName) {
  return defineRoute({
    permission: 'allow_log',
    query: { page: pageQuery },
    handle: ({ app, query: { page } }) => {
      const all = app.logs.list(name);
      const items = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
      return createSuccess({ page, items, ...formatTotals(all.length, PAGE_SIZE) });
    },
  });
}
