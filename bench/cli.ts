import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildClient } from '../infra/build-clients.ts'
import type { Figure } from './figure.ts'
import { compare, versus, type Contestant } from './rounds.ts'
import { PASSWORD, startService } from './service.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ROUNDS = { rounds: 31, turns: 1, calls: 1 } as const
const KEYS = 20

/** The same list with only the SDK: one file, an existing token, the answer as JSON. */
const BY_SDK = `
import { createKeymgr } from './clients/sdk/client.ts'
const { KEYMGR_URL: baseUrl, KEYMGR_TOKEN } = process.env
const keymgr = createKeymgr({ baseUrl, token: () => KEYMGR_TOKEN })
const page = await keymgr.get('/v1/vault/keys2', { query: { limit: ${KEYS} } })
process.stdout.write(JSON.stringify(page, undefined, 2) + '\\n')
`

type Environment = Readonly<Record<string, string>>

/** A process from its start to its end. */
const processOf = (args: readonly string[], env: Environment): Contestant => ({
  run: async () => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  },
})

/** The programs that are compared, in a folder. */
async function programsIn(folder: string) {
  const [empty, sdk] = [path.join(folder, 'empty.mjs'), path.join(folder, 'sdk.mjs')]
  writeFileSync(empty, '')
  await build({
    stdin: { contents: BY_SDK, resolveDir: ROOT, loader: 'ts' },
    outfile: sdk,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    legalComments: 'none',
  })
  await buildClient('cli', folder)
  return { empty, sdk, keymgr: path.join(folder, 'keymgr.mjs') }
}

/** The command line against a bare Node process, and against the same call by the SDK: whole processes. */
export async function measure(): Promise<Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'keymgr-bench-cli-'))
  const service = await startService()
  try {
    const { empty, sdk, keymgr } = await programsIn(folder)
    const url = `${service.deployment.baseUrl}/api`
    const home = { HOME: folder }
    const asked = { ...home, KEYMGR_PASSWORD: PASSWORD }
    await processOf([keymgr, 'login', '--url', url, '--name', service.deployment.administrator], asked).run(1)
    for (let at = 0; at < KEYS; at++)
      await processOf([keymgr, 'vault', 'keys', 'create', '--name', `bench-${at}`, '--algorithm', 'aes'], home).run(1)
    const bare = processOf([empty], home)
    const version = await compare({ ...ROUNDS, ours: processOf([keymgr, '--version'], home), bare })
    const bySdk = { ...home, KEYMGR_URL: url, KEYMGR_TOKEN: '' }
    const list = await compare({
      ...ROUNDS,
      ours: processOf([keymgr, 'vault', 'keys', 'list', '--limit', String(KEYS)], home),
      bare: {
        ...processOf([sdk], bySdk),
        prepare: async () => {
          bySdk.KEYMGR_TOKEN = await service.administrator()
        },
      },
    })
    return [
      {
        name: 'keymgr --version / a bare Node process',
        measured: version.ratio,
        promise: { atMost: 2 },
        note: versus(version),
      },
      {
        name: 'keymgr vault keys list / the same call by the SDK alone',
        measured: list.ratio,
        promise: { atMost: 2 },
        note: versus(list),
      },
    ]
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
}
