/** Bundles the verifier of audit exports into one file without dependencies: `dist/keymgr-verify.mjs`. */
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** @param outfile an executable module */
export async function buildVerifier(outfile = path.join(ROOT, 'dist/keymgr-verify.mjs')): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['clients/verify/main.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    legalComments: 'none',
  })
}

if (process.argv[1] === import.meta.filename) await buildVerifier()
