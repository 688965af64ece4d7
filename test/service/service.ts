import type { FastifyInstance } from 'fastify';
import type { Table, TableDefinition } from './data/table';
import { ENDPOINTS } from './endpoints';
import type { Dispatcher } from './http/dispatch';
import { Elsewhere } from './http/elsewhere';
import { Faults } from './http/faults';
import { Recorder, type RecordedRequest, type Violation } from './http/recorder';
import { createServer } from './http/server';
import { defaultOptions, type ServiceOptions } from './options';
import { fillSample } from './sample';
import { Application } from './state/application';
import type { Definition, Execution } from './state/executions';
import type { Keys, KeySpec } from './state/keys';
import { Random } from './state/random';
import { systemClock, type Clock } from './state/time';
import type { Delivery, Subscription } from './state/webhooks';

/** A running Record Database Service, seen from the test that started it. */
export class Service {
  readonly options: ServiceOptions;
  baseUrl = '';
  readonly endpoints = ENDPOINTS;
  readonly faults: Faults;
  /** The second origin of downloads; also a place to redirect to. Its requests are kept apart. */
  readonly elsewhere: Elsewhere;
  /** A key with every permission. */
  readonly keys: Keys;
  /** A sample end user for `/auth/login`. */
  readonly user: { email: string; password: string; userId: string };
  private readonly app: Application;
  private readonly recorder = new Recorder();
  private readonly server: FastifyInstance;
  private stopping?: Promise<void>;

  constructor(options: Partial<ServiceOptions>) {
    this.options = { ...defaultOptions, clock: systemClock, ...options };
    this.app = new Application(this.options);
    this.faults = new Faults(new Random(this.options.seed));
    this.keys = this.app.keys.add({ passwordless: true });
    this.elsewhere = new Elsewhere(this.app, this.recorder);
    const { email, password, id } = fillSample(this.app);
    this.user = { email, password, userId: id };
    this.recorder.passwords.push(...this.app.users.all.map((user) => user.password));
    const dispatcher: Dispatcher = { app: this.app, recorder: this.recorder, faults: this.faults };
    this.server = createServer(dispatcher);
  }

  async start(): Promise<this> {
    await this.elsewhere.start();
    this.baseUrl = await this.server.listen({ host: '127.0.0.1', port: this.options.port });
    return this;
  }

  get clock(): Clock {
    return this.options.clock;
  }

  /** Live tables, with background work brought up to date. */
  get tables(): readonly Table[] {
    this.app.jobs.advance();
    return this.app.tables;
  }

  /** By name or id. */
  table(nameOrId: string): Table {
    const found = this.tables.find(({ id, name }) => id === nameOrId || name === nameOrId);
    if (!found) throw new Error(`no table ${nameOrId}`);
    return found;
  }

  addTable(definition: TableDefinition): Table {
    return this.app.addTable(definition);
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

  /** Resolves once every webhook event so far was attempted (at most 15 s). */
  deliveriesSettled(): Promise<void> {
    return this.app.webhooks.settled();
  }

  /** The definitions behind `/tasks` and `/automations`; the latter have no endpoint that lists them. */
  get tasks(): readonly Definition[] {
    return this.app.tasks.definitions;
  }

  get automations(): readonly Definition[] {
    return this.app.automations.definitions;
  }

  /** Every run of a task or automation so far, brought up to date. */
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

  /** Closes every socket at once; a second call waits for the first. */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    // Sockets first: a response that is held back must not slip out as its timer ends.
    this.server.server.closeAllConnections();
    this.app.stop();
    await Promise.all([this.server.close(), this.elsewhere.stop()]);
  }
}
