/**
 * n8n's scan of community packages, as it is run before a package is listed: on the source, and on the
 * unpacked tarball. Also checks what the tarball holds and its size.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';

/**
 * Our own limit, not n8n's: a library or a source map that got into the package by mistake exceeds it. The compiled code with
 * its comments, which reviewers read, takes 250 kB.
 */
const MAX_BYTES = 350_000;
const ALLOWED = ['LICENSE', 'README.md', 'dist', 'package.json'];

const problems = [];

const report = ({ passed, message, details }, what) => {
  console.log(`${passed ? 'ok     ' : 'failed '} ${what}`);
  if (!passed) problems.push(`${what}: ${message}\n${details ?? ''}`);
};

report(await analyzePackage(process.cwd(), SOURCE_FILE_PATTERNS), 'scan of the source');

const folder = mkdtempSync(join(tmpdir(), 'record-database-'));
try {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const tarball = join(folder, readdirSync(folder)[0]);
  execFileSync('tar', ['-xzf', tarball, '-C', folder]);
  const unpacked = join(folder, 'package');
  report(await analyzePackage(unpacked), 'scan of the tarball');

  const bytes = statSync(tarball).size;
  report(
    { passed: bytes < MAX_BYTES, message: `it has ${bytes} bytes` },
    `tarball under ${MAX_BYTES / 1000} kB (${(bytes / 1000).toFixed(0)} kB)`,
  );

  const strangers = readdirSync(unpacked).filter((name) => !ALLOWED.includes(name));
  report(
    { passed: strangers.length === 0, message: strangers.join(', ') },
    `tarball holds only ${ALLOWED.join(', ')}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

if (problems.length > 0) {
  console.error(`\n${problems.join('\n\n')}`);
  process.exit(1);
}
