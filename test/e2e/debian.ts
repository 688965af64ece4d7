import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { persistently } from './persistently';

/** apt-get's exit code says little; its words go to the terminal. */
const aptGet = (...args: string[]) =>
  execFileSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=600', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });

function explain(missing: string[], names: string, why: string): Error {
  return new Error(`${missing.join(' and ')} missing, and ${why}. Install by hand: apt-get install ${names}`);
}

/**
 * Installs what a test needs of the system, once. Other systems than Debian's family have the same programs
 * under other names, so there the error says what to install.
 *
 * @param programs the Debian package of each program, by the program's path: `{'/usr/bin/chromium': 'chromium'}`
 * @throws where a program is missing and apt-get is not there, may not be used or fails
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
