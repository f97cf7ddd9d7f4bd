/** `npm run build`: the files for callers, in `dist/`. */
import { rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'
import { namesOf } from '../shared/base/fields.ts'
import { CLI_BUNDLES, packCli } from './pack-cli.ts'
import { modulesIn, noticesOf } from './notices.ts'
import { packSdk } from './pack-sdk.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A client: bundles without dependencies, and further files. */
interface ClientRow {
  /** below the folder of all clients */
  readonly folder: string
  /** name of each bundle, without `.mjs`, and its entry module */
  readonly bundles: Readonly<Record<string, string>>
  readonly minify: boolean
  readonly more?: BuildOptions
  /** removed before the build, because names of chunks change with their content */
  readonly pieces?: string
  readonly pack?: (folder: string) => Promise<void>
}

/** Every client. */
const CLIENTS = {
  // Verifies audit exports and passports.
  verifier: { folder: '.', bundles: { 'keymgr-verify': 'clients/verify/main.ts' }, minify: true },
  // A package, whose callers read its stack traces.
  sdk: {
    folder: 'sdk',
    bundles: { index: 'clients/sdk/index.ts', node: 'clients/sdk/node.ts' },
    minify: false,
    pack: packSdk,
  },
  // The command line, which loads what a command needs.
  cli: {
    folder: '.',
    bundles: { keymgr: 'clients/cli/main.ts' },
    minify: true,
    more: CLI_BUNDLES,
    pieces: 'keymgr',
    pack: packCli,
  },
} as const satisfies Record<string, ClientRow>

export type ClientName = keyof typeof CLIENTS

/** @returns the folder with the bundles of this client, executable modules */
export async function buildClient(name: ClientName, outDir = path.join(ROOT, 'dist')): Promise<string> {
  const { folder, bundles, minify, more, pieces, pack }: ClientRow = CLIENTS[name]
  const outdir = path.join(outDir, folder)
  if (pieces !== undefined) rmSync(path.join(outdir, pieces), { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.entries(bundles).map(([out, entry]) => ({ in: entry, out })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify,
    legalComments: 'none', // all notices go into one file
    ...more,
    metafile: true,
  })
  const notices = noticesOf(modulesIn(metafile))
  if (notices !== '') writeFileSync(path.join(outdir, `${Object.keys(bundles)[0]}-licenses.txt`), `${notices}\n`)
  await pack?.(outdir)
  return outdir
}

if (process.argv[1] === import.meta.filename) for (const name of namesOf(CLIENTS)) await buildClient(name)
