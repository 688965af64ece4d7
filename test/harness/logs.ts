import './environment';
import { inspect } from 'node:util';

export interface LogLine {
  level: 'error' | 'warn' | 'info' | 'debug';
  text: string;
}

const KEPT_LINES = 5_000;

/**
 * Stands in for n8n's logger: prints nothing and keeps what was said, metadata included, so that a test
 * can show that no secret reached a log.
 */
export class RecordingLogger {
  private readonly lines: LogLine[] = [];
  private forgotten = 0;

  error = (message: string, metadata?: object) => this.record('error', message, metadata);
  warn = (message: string, metadata?: object) => this.record('warn', message, metadata);
  info = (message: string, metadata?: object) => this.record('info', message, metadata);
  debug = (message: string, metadata?: object) => this.record('debug', message, metadata);

  /** How many lines there were so far; pass it to `since` to get the later ones. */
  get count() {
    return this.forgotten + this.lines.length;
  }

  since(count: number): LogLine[] {
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
