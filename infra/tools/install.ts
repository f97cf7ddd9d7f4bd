/**
 * `npm run tools`: installs the packages of this folder, or of the folder that is named, unless they are installed as
 * their lock file states.
 */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'

const FOLDER = path.resolve(process.argv[2] ?? import.meta.dirname)
const LOCK = path.join(FOLDER, 'package-lock.json')
/** A copy of the lock file that the installed packages came from. */
const INSTALLED = path.join(FOLDER, 'node_modules/.installed-lock.json')

const isInstalled = (): boolean =>
  fs.existsSync(INSTALLED) && fs.readFileSync(INSTALLED, 'utf8') === fs.readFileSync(LOCK, 'utf8')

if (!isInstalled()) {
  process.stderr.write(`Installing tools in ${path.relative('.', FOLDER)} ...\n`)
  const { status } = spawnSync('npm', ['ci', '--loglevel', 'error'], { cwd: FOLDER, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
  fs.copyFileSync(LOCK, INSTALLED)
}
