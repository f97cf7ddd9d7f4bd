import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildClient } from '../../../infra/build-clients.ts'
import { useClients } from '../../functions/auth/clients.ts'
import { ADMIN_PASSWORD } from '../../support/service.ts'

/** Runs the README's program in a folder where the package is installed as by `npm install`. */
const ROOT = path.join(import.meta.dirname, '../../..')
const all = useClients()
const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-sdk-'))
const file = (name: string, text: string): void => fs.writeFileSync(path.join(folder, name), text)
const run = promisify(execFile)

beforeAll(async () => {
  const packed = await buildClient('sdk', folder)
  fs.mkdirSync(path.join(folder, 'node_modules/@types'), { recursive: true })
  fs.symlinkSync(packed, path.join(folder, 'node_modules/keymgr-sdk'))
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types'])
    fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name))
  const readme = fs.readFileSync(path.join(packed, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block = '']) => block)
  expect(blocks.length).toBeGreaterThan(6)
  file('readme.ts', blocks.join('\n'))
  file('package.json', '{"type":"module"}')
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

test('the examples of the README do what it promises', async () => {
  const { identity, id } = await all().client({ groups: ['Key Users'] })
  const { baseUrl, tlsBaseUrl, caCertificate = '' } = all().service.deployment
  file('client.pem', identity.cert)
  file('client.key', identity.key)
  file('ca.pem', caCertificate)
  const env = {
    KEYMGR_URL: `${baseUrl}/api`,
    KEYMGR_PASSWORD: ADMIN_PASSWORD,
    KEYMGR_TLS_URL: `${String(tlsBaseUrl)}/api`,
    KEYMGR_CLIENT_ID: id,
  }
  const { stdout, stderr } = await run(process.execPath, ['readme.ts'], { cwd: folder, env })
  expect(stderr).toBe('')
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^[0-9a-f]{64} Active$/)
  expect(lines).toEqual(
    expect.arrayContaining(['machines Active', 'orders Active', '4 of 4', 'completed', '0 new, 0 changed', 'Active']),
  )
  expect(stdout).toMatch(/#\/size /)
  expect(lines.at(-1)).toBe('4')
})

test('its types are those of the package, for a compiler with other settings', { timeout: 180_000 }, async () => {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    module: 'NodeNext',
    types: ['node'],
    skipLibCheck: true,
  }
  file('tsconfig.json', JSON.stringify({ compilerOptions, files: ['readme.ts', 'wrong.ts'] }))
  file(
    'wrong.ts',
    `import { createKeymgr } from 'keymgr-sdk'
const keymgr = createKeymgr({ baseUrl: '/api' })
// @ts-expect-error an unknown path
await keymgr.get('/v1/vault/keys3')
// @ts-expect-error an unknown query parameter
await keymgr.get('/v1/vault/keys2', { query: { limt: 3 } })
// @ts-expect-error a body of another type
await keymgr.post('/v1/vault/keys2', { body: { name: 7 } })
// @ts-expect-error a path without its id
await keymgr.get('/v1/vault/keys2/{id}')
`,
  )
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', 'tsconfig.json'], { cwd: folder })
  expect(stdout).toBe('')
})

test('the package needs Node only for certificates', () => {
  const bundle = (name: string) => fs.readFileSync(path.join(folder, 'sdk', `${name}.mjs`), 'utf8')
  expect(bundle('index')).not.toMatch(/^import |from ['"]node:/m)
  expect(bundle('node')).toMatch(/from "node:https"/)
})
