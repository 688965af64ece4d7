/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { persistently } from './persistently';

/** Prints apt-get's output to the terminal, because its exit code does not show the cause of a failure. */
const aptGet = (...args: string[]) =>
  execFileSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=600', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });

function explain(missing: string[], names: string, why: string): Error {
  return new Error(`${missing.join(' and ')} missing, and ${why}. Install by hand: apt-get install ${names}`);
}

/**
 * Installs the system programs that a test needs, once. Systems outside the Debian family name the packages
 * differently; on them the error lists the programs to install.
 *
 * @param programs the Debian package of each program, by the program's path: `{'/usr/bin/chromium': 'chromium'}`
 * @throws if a program is missing and apt-get does not exist, is not permitted or fails
 */
export function installDebian(programs: Record<string, string>): void {
  const missing = Object.keys(programs).filter((path) => !existsSync(path));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((path) => programs[path] as string))];
  const names = packages.join(' ');
  if (!existsSync('/usr/bin/apt-get')) throw explain(missing, names, 'there is no apt-get here');
  if (process.getuid?.() !== 0) throw explain(missing, names, 'only root can install it');
  console.log(`Installing ${names} (once) …`);
  try {
    persistently('apt-get', () => {
      aptGet('update');
      aptGet('install', '-y', '--no-install-recommends', ...packages);
    });
  } catch (error) {
    throw explain(missing, names, `apt-get failed: ${(error as Error).message}`);
  }
  const still = missing.filter((path) => !existsSync(path));
  if (still.length > 0) throw explain(still, names, 'still is after the installation');
}
