/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SCRIPTS = join(__dirname, '..', '..', 'scripts');

/** Files that a build reads. */
export const SOURCES = [
  'nodes/node.ts',
  'nodes/service/type.ts',
  'credentials/api.ts',
  'icons/icon.svg',
  'tsconfig.json',
  'tsconfig.build.json',
  'gulpfile.js',
  'scripts/build.mjs',
];

/** Stands in for `npx tsc` and `npx gulp`: records the call, writes `dist`, and fails while a file `broken` exists. */
export const NPX = '[ ! -e broken ] || exit 2\necho "$2" >> calls\nmkdir -p dist/nodes';

/** A folder in which the project's scripts run on other files, with stand-ins for the commands that they call. */
export class ScriptFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'record-database-scripts-'));

  write(file: string, content: string, mode?: number): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), content, { mode });
  }

  /** @returns a folder with the same files */
  copy(): ScriptFolder {
    const folder = new ScriptFolder();
    cpSync(this.path, folder.path, { recursive: true, preserveTimestamps: true });
    return folder;
  }

  /** @param body shell commands; each line that they append to the file `calls` is a call */
  addCommand(name: string, body: string): void {
    this.write(`bin/${name}`, `#!/bin/sh\n${body}\n`, 0o755);
  }

  /** Runs a script of the project here. Variables of GitHub Actions are those of `env` alone. */
  run(script: string, args: string[], env: Record<string, string> = {}) {
    const calls = join(this.path, 'calls');
    rmSync(calls, { force: true });
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GITHUB_'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(SCRIPTS, script), ...args], {
      cwd: this.path,
      encoding: 'utf8',
      env: {
        ...Object.fromEntries(inherited),
        PATH: `${join(this.path, 'bin')}:${process.env.PATH}`,
        ...env,
      },
    });
    return {
      status,
      output: stdout + stderr,
      calls: existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [],
    };
  }

  remove(path = '.'): void {
    rmSync(join(this.path, path), { recursive: true, force: true });
  }
}
