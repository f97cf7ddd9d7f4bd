import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FUNCTIONS } from '../../../infra/functions.ts'
import { startDeployment } from '../../../infra/local/deployment.ts'
import { invokeOnce, presentEvent } from '../../../infra/local/invoke-once.ts'
import { BUNDLES } from '../../support/build.ts'
import { ADMIN_PASSWORD, useService } from '../../support/service.ts'
import { temporaryFolder } from './deployment-support.ts'

const EVENTS = path.join(import.meta.dirname, '../../events')
const SAMPLES = fs.readdirSync(EVENTS)
const folder = temporaryFolder()
afterAll(() => fs.rmSync(folder, { recursive: true }))
const service = useService()
const invoke = (args: readonly string[], env = {}) => invokeOnce(args, env, { bundles: BUNDLES })
const sample = (name: string) => path.join(EVENTS, name)

/**
 * Samples for data planes name a resource that does not exist, the sample of the front an address; the platform
 * requires a different token.
 */
const REFUSED: Readonly<Record<string, number>> = {
  'xks.health.json': 404,
  'ekm-data.wrap.json': 401,
  'kacls.status.json': 404,
  'dke-data.public-key.json': 404,
  'datacust-data.get-metadata.json': 401,
  'crm-keys.fetch.json': 401,
  'external-vaults.vault-metadata.json': 401,
  'platform.list-instances.json': 401,
  'front.unknown-path.json': 404,
}

test('every function has a sample of its events', () => {
  expect(new Set(SAMPLES.map((name) => name.split('.')[0]))).toEqual(new Set(FUNCTIONS.map(({ name }) => name)))
})

test.each(SAMPLES)('%s is answered by the function that it is named after', async (name) => {
  const event = JSON.parse(fs.readFileSync(sample(name), 'utf8')) as Record<string, unknown>
  const { deployment } = service()
  const [functionName = ''] = name.split('.')
  const present = presentEvent(event, deployment.clock.now(), await service().logIn())
  const answer = (await deployment.invoke(functionName, present)) as { statusCode?: number; body?: string }
  if (functionName === 'triggers') expect(answer).toEqual(expect.any(Object))
  else if (REFUSED[name] !== undefined) expect(answer.statusCode, answer.body).toBe(REFUSED[name])
  else expect([200, 201], answer.body).toContain(answer.statusCode)
})

test('one call on a deployment of its own prints the answer and ends with 0', async () => {
  const { code, out, err } = await invoke([
    'vault',
    sample('vault.create-key.json'),
    '--in-memory',
    '--as-administrator',
  ])
  expect(err).toBe('')
  expect(code).toBe(0)
  const { statusCode, body } = JSON.parse(out) as { statusCode: number; body: string }
  expect(statusCode).toBe(201)
  expect(Math.abs(Date.parse(JSON.parse(body).createdAt as string) - new Date().getTime())).toBeLessThan(60_000)
})

test('calls on one data directory see the changes of earlier ones', async () => {
  const [onDirectory, env] = [['--data-dir', path.join(folder, 'data')], { KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD }]
  await invoke(['vault', sample('vault.create-key.json'), '--as-administrator', ...onDirectory], env)
  const { out } = await invoke(['vault', sample('vault.list-keys.json'), '--as-administrator', ...onDirectory], env)
  expect(JSON.parse((JSON.parse(out) as { body: string }).body)).toMatchObject({ total: 1 })
  const wrong = { KEYMGR_ADMIN_PASSWORD: 'Another-Horse-8' }
  const refused = await invoke(['vault', sample('vault.list-keys.json'), '--as-administrator', ...onDirectory], wrong)
  expect(refused).toEqual({ code: 2, out: '', err: 'admin cannot log in with KEYMGR_ADMIN_PASSWORD.\n' })
})

test('a copy of a data directory is a backup: a service continues from it, independently of the original', async () => {
  const [original, copy] = [path.join(folder, 'original'), path.join(folder, 'copy')]
  const env = { KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD }
  const on = (directory: string, event: string) =>
    invoke(['vault', sample(event), '--as-administrator', '--data-dir', directory], env)
  const totalOn = async (directory: string): Promise<unknown> => {
    const { out } = await on(directory, 'vault.list-keys.json')
    return (JSON.parse((JSON.parse(out) as { body: string }).body) as { total: number }).total
  }
  await on(original, 'vault.list-keys.json')
  fs.cpSync(original, copy, { recursive: true })
  await on(original, 'vault.create-key.json')
  expect([await totalOn(original), await totalOn(copy)]).toEqual([1, 0])
  const { out } = await on(copy, 'vault.create-key.json') // encrypted with the domain key of the copy
  expect((JSON.parse(out) as { statusCode: number }).statusCode).toBe(201)
})

test('a data directory on which a service runs is refused with a sentence', async () => {
  const dataDir = path.join(folder, 'in-use')
  const running = await startDeployment({ bundles: BUNDLES, dataDir, adminPassword: ADMIN_PASSWORD })
  try {
    const { code, out, err } = await invoke(['guide', sample('guide.api-description.json'), '--data-dir', dataDir])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^The data directory is in use by another running instance \(process \d+, lock .*\)\.\n$/)
  } finally {
    await running.stop()
  }
})

test('a function that fails ends with 1, and prints the reason', async () => {
  const file = path.join(folder, 'unknown-trigger.json')
  fs.writeFileSync(file, '{"trigger":"no-such"}')
  const { code, err } = await invoke(['triggers', file, '--in-memory'])
  expect(code).toBe(1)
  expect(err).toContain('There is no trigger named no-such')
})

test.each([
  ['no function', [], 'Name a function and the file of an event; see --help.'],
  ['no file', ['vault'], 'Name a function and the file of an event; see --help.'],
  [
    'a third word',
    ['vault', sample('vault.list-keys.json'), 'more'],
    'Name a function and the file of an event; see --help.',
  ],
  ['an unknown function', ['vaults', sample('vault.list-keys.json')], 'There is no function vaults; see --help.'],
  ['a file that is not there', ['vault', '/nowhere.json'], 'The event /nowhere.json cannot be read (ENOENT).'],
  ['a file that is no JSON', ['vault', import.meta.filename], `The event ${import.meta.filename} is no JSON object.`],
  ['an unknown option', ['vault', 'x.json', '--nonsense'], /--nonsense.*; see --help\.$/],
  [
    'the administrator without a password',
    ['vault', sample('vault.list-keys.json'), '--as-administrator'],
    '--as-administrator needs the password in KEYMGR_ADMIN_PASSWORD, or --in-memory.',
  ],
])('%s is refused with a sentence', async (_what, args, sentence) => {
  const { code, out, err } = await invoke(args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  if (typeof sentence === 'string') expect(err).toBe(`${sentence}\n`)
  else expect(err.trimEnd()).toMatch(sentence)
})

test('--help names the functions', async () => {
  const { code, out } = await invoke(['--help'])
  expect(code).toBe(0)
  for (const { name } of FUNCTIONS) expect(out).toContain(name)
})
