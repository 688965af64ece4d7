/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import './environment';
import { inspect } from 'node:util';

interface LogLine {
  level: 'error' | 'warn' | 'info' | 'debug';
  text: string;
}

const KEPT_LINES = 5_000;

/**
 * In place of n8n's logger: it prints nothing and keeps every line with its metadata, so that a test can
 * show that no secret is logged.
 */
export class RecordingLogger {
  private readonly lines: LogLine[] = [];
  private forgotten = 0;

  error = (message: string, metadata?: object) => this.record('error', message, metadata);
  warn = (message: string, metadata?: object) => this.record('warn', message, metadata);
  info = (message: string, metadata?: object) => this.record('info', message, metadata);
  debug = (message: string, metadata?: object) => this.record('debug', message, metadata);

  /** Number of lines so far; `readSince` takes it to return the later ones. */
  get count() {
    return this.forgotten + this.lines.length;
  }

  readSince(count: number): LogLine[] {
    return this.lines.slice(Math.max(0, count - this.forgotten));
  }

  scoped() {
    return this;
  }

  private record(level: LogLine['level'], message: string, metadata?: object) {
    const details = metadata === undefined ? '' : ` ${inspect(metadata, { depth: 8 })}`;
    this.lines.push({ level, text: `${message}${details}` });
    if (this.lines.length > KEPT_LINES) {
      this.lines.shift();
      this.forgotten += 1;
    }
  }
}
