import type { ServiceOptions } from '../options';
import { Limits } from './limits';
import type { IdGenerator, Random } from './random';
import { formatTimestamp } from './time';

const PERMISSIONS = [
  'allow_get',
  'allow_edit',
  'allow_delete',
  'allow_task',
  'allow_export',
  'allow_import',
  'allow_log',
  'allow_page',
  // Not in the spec's permission table; the logs "additionally need" it.
  'allow_api_access',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** The three values that a client sends. */
export interface Keys {
  appId: string;
  appKey: string;
  appSecret: string;
}

/** Definition of a key. Omitted permissions are given; `passwordless` is off. */
export interface KeySpec {
  permissions?: Partial<Record<Permission, boolean>>;
  /** An `Inactive` key may read its status; other calls answer `API Disabled`. */
  status?: 'Active' | 'Inactive';
  disabled?: boolean;
  /** Whether auto-login and magic links are allowed (spec: Authentication, Method 2, rule 7). */
  passwordless?: boolean;
  perMinute?: number;
  perDay?: number;
}

export interface ApiKey extends Keys {
  id: string;
  status: 'Active' | 'Inactive';
  disabled: boolean;
  passwordless: boolean;
  createdAt: string;
  permissions: Record<Permission, boolean>;
  limits: Limits;
}

/** The keys of the application. */
export class KeyStore {
  readonly appId: string;
  private readonly byKey = new Map<string, ApiKey>();

  constructor(
    private readonly options: ServiceOptions,
    private readonly random: Random,
    private readonly ids: IdGenerator,
  ) {
    this.appId = options.ids === 'met' ? ids.next() : `app${random.nextSecret(9)}`;
  }

  add(spec: KeySpec = {}): Keys {
    const { options, random } = this;
    const { permissions = {}, status = 'Active', disabled = false, passwordless = false } = spec;
    const granted = PERMISSIONS.map((name) => [name, permissions[name] ?? true] as const);
    // The recorder finds secrets in URLs by these prefixes.
    const keys: Keys = {
      appId: this.appId,
      appKey: `key_${random.nextSecret(24)}`,
      appSecret: `sec_${random.nextSecret(32)}`,
    };
    this.byKey.set(keys.appKey, {
      ...keys,
      id: this.ids.next(),
      status,
      disabled,
      passwordless,
      createdAt: formatTimestamp(options.clock.now(), options.timeZone),
      permissions: Object.fromEntries(granted) as Record<Permission, boolean>,
      limits: new Limits(options, spec),
    });
    return keys;
  }

  find(appKey: unknown, appSecret: unknown): ApiKey | undefined {
    const key = this.byKey.get(String(appKey));
    return key?.appSecret === appSecret ? key : undefined;
  }
}
