/**
 * `npm run pack`: writes the packages `keymgr-sdk`, `keymgr-cli` and `keymgr-local` to `dist/packages/`, for
 * `npm install -g <file>`.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildFunctions } from './build.ts'
import { buildClient } from './build-clients.ts'
import { packLocal } from './pack-local.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const { version, license, engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly license: string
  readonly engines: object
}

function writeManifest(folder: string, name: string, more: object): void {
  const manifest = { name, version, license, type: 'module', engines, ...more }
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** The command line with the verifier. */
async function packCommandLine(folder: string): Promise<object> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await buildClient('cli', folder)
  await buildClient('verifier', folder)
  cpSync(path.join(ROOT, 'clients/cli/README.md'), path.join(folder, 'README.md'))
  return {
    description: 'The command line of keymgr, and the verifier of its proofs.',
    bin: { keymgr: 'keymgr.mjs', 'keymgr-verify': 'keymgr-verify.mjs' },
  }
}

export interface Packing {
  /** folder of the packed files */
  readonly outDir: string
  /** folder of bundled functions; they are built without it */
  readonly functions?: string
}

/** @returns the packed files by the name of their package */
export async function pack({ outDir, functions }: Packing): Promise<Record<string, string>> {
  const bundles = functions ?? path.join(ROOT, 'dist/functions')
  if (functions === undefined) await buildFunctions({ outDir: bundles })
  const folderOf = (name: string): string => path.join(outDir, name)
  await buildClient('sdk', outDir) // writes its own manifest, to `sdk/`
  writeManifest(folderOf('cli'), 'keymgr-cli', await packCommandLine(folderOf('cli')))
  const local = await packLocal(folderOf('local'), bundles)
  writeManifest(folderOf('local'), 'keymgr-local', local)
  const packed = ['sdk', 'cli', 'local'].map((name) => {
    const args = ['pack', '--silent', '--pack-destination', outDir]
    const file = execFileSync('npm', args, { cwd: folderOf(name), encoding: 'utf8' }).trim()
    return [`keymgr-${name}`, path.join(outDir, file)] as const
  })
  return Object.fromEntries(packed)
}

if (import.meta.main)
  for (const file of Object.values(await pack({ outDir: path.join(ROOT, 'dist/packages') }))) console.log(file)
