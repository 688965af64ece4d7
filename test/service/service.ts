import type { FastifyInstance } from 'fastify';
import type { Table, TableDefinition } from './data/table';
import type { Dispatcher } from './http/dispatch';
import { Faults } from './http/faults';
import { type RecordedRequest, Recorder, type Violation } from './http/recorder';
import { SecondOrigin } from './http/secondOrigin';
import { createServer } from './http/server';
import { defaultOptions, type ServiceOptions } from './options';
import { chosenProfile, PROFILES } from './profiles';
import { fillSample } from './sample';
import { Application } from './state/application';
import type { Definition, Execution } from './state/executions';
import type { Keys, KeySpec } from './state/keys';
import { Random } from './state/random';
import { systemClock } from './state/time';
import type { User } from './state/users';
import type { Delivery, Subscription } from './state/webhooks';

/** A running Record Database Service, as the test that started it uses it. */
export class Service {
  readonly options: ServiceOptions;
  baseUrl = '';
  readonly faults: Faults;
  /** Host of the downloads and a target of redirects. It records its requests separately. */
  readonly secondOrigin: SecondOrigin;
  /** A key with every permission. */
  readonly keys: Keys;
  /** A sample end user for `/auth/login`. */
  readonly user: { email: string; password: string; userId: string };
  private readonly app: Application;
  private readonly recorder = new Recorder();
  private readonly server: FastifyInstance;
  private stopping?: Promise<void>;

  constructor(options: Partial<ServiceOptions>) {
    const { profile = chosenProfile } = options;
    this.options = {
      ...structuredClone(defaultOptions),
      clock: systemClock,
      ...structuredClone(PROFILES[profile]),
      ...options,
      profile,
    };
    this.app = new Application(this.options);
    this.faults = new Faults(new Random(this.options.seed));
    this.keys = this.app.keys.add({ passwordless: true });
    this.secondOrigin = new SecondOrigin(this.app, this.recorder);
    const { email, password, id } = fillSample(this.app);
    this.user = { email, password, userId: id };
    this.recorder.passwords.push(...this.app.users.all.map((user) => user.password));
    const dispatcher: Dispatcher = { app: this.app, recorder: this.recorder, faults: this.faults };
    this.server = createServer(dispatcher);
  }

  async start(): Promise<this> {
    await this.secondOrigin.start();
    this.baseUrl = await this.server.listen({ host: '127.0.0.1', port: this.options.port });
    return this;
  }

  /** Host and port of the downloads. */
  get fileHost(): string {
    return new URL(this.secondOrigin.baseUrl).host;
  }

  /** All end users, `user` among them. */
  get users(): readonly User[] {
    return this.app.users.all;
  }

  /** Live tables, after all background work that is due. */
  get tables(): readonly Table[] {
    this.app.jobs.advance();
    return this.app.tables;
  }

  /** By name or id. @throws Error when there is no such table */
  getTable(nameOrId: string): Table {
    const found = this.tables.find(({ id, name }) => id === nameOrId || name === nameOrId);
    if (!found) throw new Error(`no table ${nameOrId}`);
    return found;
  }

  addTable(definition: TableDefinition): Table {
    return this.app.addTable(definition);
  }

  /** Adds a template that imports CSV files into a table. @returns its ID */
  addImport(table: Table): string {
    return this.app.imports.addTemplate(table).id;
  }

  /** Adds entries to a log, such as `emails`. */
  addLogEntries(...args: Parameters<Application['logs']['add']>): void {
    this.app.logs.add(...args);
  }

  addKey(spec: KeySpec = {}): Keys {
    return this.app.keys.add(spec);
  }

  get subscriptions(): Subscription[] {
    return this.app.webhooks.subscriptions;
  }

  get deliveries(): Delivery[] {
    return this.app.webhooks.deliveries;
  }

  /** Resolves when every webhook event so far was attempted, at the latest after 5 minutes. */
  waitForDeliveries(): Promise<void> {
    return this.app.webhooks.waitForDeliveries();
  }

  /** The definitions behind `/tasks` and `/automations`. No endpoint lists automations. */
  get tasks(): readonly Definition[] {
    return this.app.tasks.definitions;
  }

  get automations(): readonly Definition[] {
    return this.app.automations.definitions;
  }

  /** Every execution of a task or automation, after all background work that is due. */
  get executions(): readonly Execution[] {
    this.app.jobs.advance();
    return [...this.app.tasks.executions, ...this.app.automations.executions];
  }

  get requests(): RecordedRequest[] {
    return this.recorder.requests;
  }

  get violations(): Violation[] {
    return this.recorder.violations;
  }

  /** Closes every socket. A second call waits for the first. */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    // Sockets first: ending the timers releases the responses that a fault or the latency holds back.
    this.server.server.closeAllConnections();
    this.app.stop();
    await Promise.all([this.server.close(), this.secondOrigin.stop()]);
  }
}
