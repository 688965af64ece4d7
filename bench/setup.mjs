/**
 * Installs n8n's HTTP Request node for the benchmark. n8n-nodes-base with all of its dependencies takes 1.5 GB, so
 * this script unpacks only its tarball and installs the four packages that this node needs in addition to those of
 * the engine. A hash pins the tarball, and a lock file pins the packages.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '2.40.2';
const SHA512 = 'CBxmsUakAvAxXTdtQr5RWtFiimjDdPlA+Nxia9otZg3+8c/C/NHHYg5N6xKIb6vGTUSg3RBz6n7dZ3nE2/aVvw==';

const folder = dirname(fileURLToPath(import.meta.url));
const target = join(folder, 'node_modules', 'n8n-nodes-base');
const inFolder = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };

if (!existsSync(join(target, 'package.json'))) {
  console.log("Fetching n8n's HTTP Request node (once, about half a minute) …");
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'], inFolder);
  execFileSync('npm', ['pack', '--silent', `n8n-nodes-base@${VERSION}`], inFolder);
  const tarball = join(folder, `n8n-nodes-base-${VERSION}.tgz`);
  const hash = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  if (hash !== SHA512) throw new Error(`n8n-nodes-base ${VERSION} has another hash than expected: ${hash}`);
  mkdirSync(target, { recursive: true });
  const wanted = ['package/package.json', 'package/dist/nodes/HttpRequest', 'package/dist/utils'];
  execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1', ...wanted], inFolder);
  rmSync(tarball);
}
