import type { Application } from '../state/application';
import type { ApiKey, Permission } from '../state/keys';
import { createDeniedError, ResponseError } from './errors';
import type { Route } from './route';

type Headers = Record<string, string | string[] | undefined>;

const KEY_HEADERS = ['app-id', 'app-key', 'app-secret'] as const;
const FORMULA_HEADERS = ['queue-equation', 'update-equation', 'table-rules', 'update-table-equation'];

/** Names of the three key headers, in lower case. */
export const getKeyHeaderNames = (prefix: string) =>
  KEY_HEADERS.map((name) => `x-${prefix.toLowerCase()}-${name}`);

/** The key of a request (spec: Authentication, Method 1); undefined on a public page without keys. */
export function authenticateKey(
  headers: Headers,
  params: Record<string, string>,
  route: Route | undefined,
  app: Application,
  report: (message: string) => void,
): ApiKey | undefined {
  const names = getKeyHeaderNames(app.options.headerPrefix);
  const [appId, appKey, appSecret] = names.map((name) => headers[name]);
  const missing = names.filter((name) => headers[name] === undefined);
  if (missing.length === names.length && route?.isPublic?.(app, params)) return undefined;
  for (const name of missing) report(`missing key header ${name}`);

  if (appId !== app.keys.appId) throw new ResponseError(401, 'APP Not Found');
  const key = app.keys.find(appKey, appSecret);
  if (!key) throw new ResponseError(401, 'API Not Found');
  if (params.appId !== undefined && params.appId !== app.keys.appId)
    throw new ResponseError(401, 'APP Not Found');
  return key;
}

/** Checks that the key is enabled, the feature in the plan and the permission given (spec: Errors). */
export function authorize(key: ApiKey | undefined, route: Route, pattern: string, app: Application): void {
  const resource = pattern.replace(/^\S+ \/api\/v1(\.1\/\{appId\})?\//, '').split('/')[0] ?? '';
  if (key?.disabled || (key?.status === 'Inactive' && resource !== 'status')) {
    throw new ResponseError(401, 'API Disabled');
  }
  if (app.options.lockedFeatures.includes(resource)) {
    throw new ResponseError(412, 'Feature not available in your plan');
  }
  if (route.permission) requirePermission(key, route.permission);
}

/** Logs need two permissions (spec: API key permissions). @throws ResponseError 403 */
export function requirePermission(key: ApiKey | undefined, permission: Permission): void {
  const needed: Permission[] = permission === 'allow_log' ? ['allow_log', 'allow_api_access'] : [permission];
  if (key && !needed.every((name) => key.permissions[name])) throw createDeniedError();
}

/** The Bearer token of a request. Undocumented headers are noted. */
export function readBearerToken(
  headers: Headers,
  route: Route,
  prefix: string,
  report: (message: string) => void,
): string | undefined {
  const own = `x-${prefix.toLowerCase()}-`;
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(own) || getKeyHeaderNames(prefix).includes(name)) continue;
    const isFormula = route.formulaHeaders && FORMULA_HEADERS.includes(name.slice(own.length));
    if (!isFormula) report(`undocumented header ${name}`);
    else if (value !== '0' && value !== '1') report(`${name} is neither 0 nor 1`);
  }
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const token = /^Bearer (\S+)$/.exec(String(authorization))?.[1];
  if (token === undefined) report('an Authorization header that is not a Bearer token');
  else if (route.bearer === 'none') report('a Bearer token where the spec sends none');
  return route.bearer === 'none' ? undefined : token;
}
