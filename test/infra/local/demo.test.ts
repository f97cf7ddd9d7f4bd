import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FILES } from '../../../infra/local/data-directory.ts'
import { parseDemoOptions } from '../../../infra/local/demo/options.ts'
import { startDeployment } from '../../../infra/local/deployment.ts'
import { BUNDLES } from '../../support/build.ts'
import { ADMIN_PASSWORD, Service } from '../../support/service.ts'
import { temporaryFolder } from './deployment-support.ts'

const DEMO = path.join(import.meta.dirname, '../../../infra/local/demo.ts')
const PATIENCE_MS = 120_000
const folder = temporaryFolder()
afterAll(() => fs.rmSync(folder, { recursive: true }))

interface Ended {
  readonly code: unknown
  readonly out: string
  readonly err: string
}

/** `npm run demo -- <args>`, in a folder without anything of a service in it. */
async function demo(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, [DEMO, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (ended.out += String(chunk)))
  child.stderr.on('data', (chunk) => (ended.err += String(chunk)))
  const [code] = (await once(child, 'close')) as [unknown]
  return { code, ...ended }
}

const HOSTED = [
  'Make an external key store, through which the cloud calls keymgr, and connect it',
  'Host a key: its material stays here, the cloud makes a key of its own in front of it',
  'Encrypt through the cloud with the hosted key, rotate it, and read what was written before and after',
  'Block the hosted key: the cloud gets nothing from it any more, until it is unblocked',
]
const STEPS = [
  'Log in',
  'Add a connection to the cloud, and test it',
  'Read the account behind it, and its regions',
  'Add the account with one region as a KMS entry',
  'Look up users of the account, for policies',
  'Create a local key',
  'Upload it to the cloud, with an alias and a tag',
  'Create two native keys, whose material the cloud makes',
  "Encrypt with the uploaded key, as an application does: with the cloud's own SDK, by the alias",
  'Rotate the uploaded key: its alias moves on, and it stops encrypting',
  'The alias encrypts with the new key now; the old key only decrypts',
  "Somebody works at the cloud behind keymgr's back: deletes one key and makes another",
  'Refresh: a synchronization job reads all keys of the entry',
  'Find keys by tag, alias, origin and state',
  'Disable the native key, and enable it again',
  'Make a policy template, and put it on the new key',
  'Put it on all native keys in one bulk job',
  'Schedule the deletion of the native key, and cancel it',
  ...HOSTED,
  'Read the audit records of it all',
  'Clean up: everything the demo made goes, at the cloud after the seven days it takes',
]
const stepsOf = (out: string): string[] => [...out.matchAll(/^\d+\. (.+)$/gm)].map(([, title = '']) => title)

function expectNothingSecret(out: string): void {
  expect(out).toContain('"password":"(hidden)"')
  expect(out).toContain('"secret_access_key":"(hidden)"')
  expect(out).not.toContain('simulated-cloud-a-secret')
  expect(out).not.toMatch(/eyJ[\w-]{10}/) // how every token begins
}

test(
  'on a service of its own it shows every step in order, and what is deleted at the cloud is gone here',
  async () => {
    const { code, out, err } = await demo()
    expect({ code, err }, out).toEqual({ code: 0, err: '' })
    expect(stepsOf(out)).toEqual(STEPS)
    expect(out).toContain('refused  error=AccessDeniedException\n')
    expect(out).toContain('done  plaintext=written before the rotation\n')
    expect(out).toContain('200  gone=true\n')
    expect(out).toContain('refused  error=KMSInvalidStateException\n')
    expect(out).toContain('done  plaintext=written with the first version\n')
    expectNothingSecret(out)
    expect(fs.readdirSync(folder)).toEqual([])
  },
  PATIENCE_MS,
)

test(
  'on a service that runs it leaves nothing behind, however often it is shown, also when it ends early',
  async () => {
    const dataDir = temporaryFolder()
    const deployment = await startDeployment({
      bundles: BUNDLES,
      dataDir,
      adminPassword: ADMIN_PASSWORD,
      environment: { KEYMGR_CALLS_PER_SECOND: '100000' },
    })
    try {
      const args = ['--url', `${deployment.baseUrl}/api/`, '--data-dir', dataDir]
      const show = () => demo(args, { KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD })
      for (const { code, out, err } of await Promise.all([show(), show()])) {
        expect({ code, err }, out).toEqual({ code: 0, err: '' })
        expect(stepsOf(out)).toEqual(STEPS.filter((step) => !HOSTED.includes(step)))
        expectNothingSecret(out)
        expect(out).not.toContain(ADMIN_PASSWORD)
        expect(out).toContain('200  KeyState=PendingDeletion\n') // nobody waits a week for it to be gone
      }
      const remove = deployment.cloudA.inject({ fault: 'access-denied', operation: 'CreateAlias' })
      const early = await show()
      remove()
      expect(early.code).toBe(1)
      expect(early.err).toMatch(/^POST \/v1\/keymgr\/cloud-a\/upload-key answered 502: .*AccessDenied.* \(code 16\)\n$/)
      expect(stepsOf(early.out)).toEqual(STEPS.slice(0, 7))
      const service = new Service(deployment)
      const token = await service.logIn()
      for (const list of ['/v1/connectionmgmt/connections', '/v1/keymgr/cloud-a/kms', '/v1/vault/keys2']) {
        const { body } = await service.call('GET', list, { token })
        expect(body, list).toMatchObject({ total: 0 })
      }
      const [account] = deployment.cloudA.accounts
      const left = deployment.cloudA.keysIn(account?.id ?? '', 'eu-west-1')
      expect(left).toHaveLength(5 + 5 + 1) // the upload that was refused had made its key
      expect(new Set(left.map(({ state }) => state))).toEqual(new Set(['PendingDeletion']))
      fs.rmSync(path.join(dataDir, FILES.endpoints))
      const blind = await show()
      expect(blind.code).toBe(1)
      expect(blind.err).toBe(
        `There is no ${path.join(dataDir, FILES.endpoints)} to tell where the simulated cloud is; ` +
          'name its folder with --data-dir.\n',
      )
      const stranger = await demo(args, { KEYMGR_ADMIN_PASSWORD: 'Another-Horse-7' })
      expect(stranger.code).toBe(1)
      expect(stranger.err).toMatch(/^POST \/v1\/auth\/tokens answered 401: .+ \(code 3\)\n$/)
    } finally {
      await deployment.stop()
    }
  },
  PATIENCE_MS,
)

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test('where nobody answers it says so in one sentence, with exit code 1', async () => {
  const url = `http://127.0.0.1:${await freePort()}/api`
  const refused = await demo(['--url', url], { KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD })
  expect(refused.code).toBe(1)
  expect(refused.err).toBe(`There is no answer from ${url} (ECONNREFUSED).\n`)
  expect(stepsOf(refused.out)).toEqual(['Log in'])
})

test('a command line that cannot be meant ends with exit code 2, help with 0', async () => {
  const wrong = await demo(['--url', 'http://127.0.0.1:9/api'])
  expect(wrong).toEqual({
    code: 2,
    out: '',
    err: "--url needs the administrator's password in KEYMGR_ADMIN_PASSWORD.\n",
  })
  const help = await demo(['--help'])
  expect(help).toMatchObject({ code: 0, err: '' })
  expect(help.out).toMatch(/^Usage: npm run demo -- \[options\]\n/)
})

test('options are read as they are meant', () => {
  const env = { KEYMGR_ADMIN_PASSWORD: 'p' }
  expect(parseDemoOptions([], env)).toEqual({ of: 'own' })
  const running = { of: 'running', baseUrl: 'https://keys.example/api', password: 'p' }
  const url = ['--url', 'https://keys.example/api//']
  expect(parseDemoOptions(url, env)).toEqual({ ...running, dataDir: '.keymgr' })
  const elsewhere = { ...env, KEYMGR_DATA_DIR: 'there' }
  expect(parseDemoOptions(url, elsewhere)).toEqual({ ...running, dataDir: 'there' })
  expect(parseDemoOptions([...url, '--data-dir', 'here'], elsewhere)).toEqual({ ...running, dataDir: 'here' })
})

test.each([
  ['an address of another kind', ['--url', 'ftp://keys.example'], '--url must be an address that begins with'],
  ['no address at all', ['--url', 'keys'], '--url must be an address that begins with'],
  ['a data directory of no service', ['--data-dir', 'here'], '--data-dir goes with --url.'],
  ['an unknown option', ['--fast'], "Unknown option '--fast'; see --help."],
])('%s is refused', (_what, args, sentence) => {
  expect(() => parseDemoOptions(args, { KEYMGR_ADMIN_PASSWORD: 'p' })).toThrow(sentence)
})
