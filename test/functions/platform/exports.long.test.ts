import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildClient } from '../../../infra/build-clients.ts'
import { createClock } from '../../../infra/local/clock.ts'
import { auditRecords } from '../../../shared/http/audit/store.ts'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { childAdmin } from '../../support/callers.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { useService } from '../../support/service.ts'
import { EXPORTS, INSTANCES, Platform } from './platform.ts'

const clock = createClock()
/** A pause of a flow advances the clock. */
const passing = (seconds: number): number => {
  clock.advance(seconds * 1_000)
  return 1
}
const service = useService({ clock, flowPauseMs: passing })
const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-export-'))
const program = path.join(folder, 'keymgr-verify.mjs')
afterAll(() => fs.rmSync(folder, { recursive: true }))

const MINUTE = 60_000
const HOUR = 60 * MINUTE
let platform: Platform
let root = ''
let childId = ''
const keys: string[] = []
let window = { from: '', to: '' }

const now = (): string => clock.now().toISOString()
/** A platform token of a domain. Its administrator logs in again, because the clock has moved. */
const tokenOf = async (of: 'root' | 'child'): Promise<string> => {
  root = await service().logIn()
  const admin = of === 'root' ? root : await service().logIn('admin-of-child', 'Pass-word-14x', { domain: 'child' })
  return platform.token(await platform.credential(admin, `${of} ${clock.now().getTime()}`))
}

/** Moves records to the log, and signs its head. */
async function logged(): Promise<void> {
  await service().deployment.fire('drain-outbox')
  await service().deployment.fire('sign-heads')
}

beforeAll(async () => {
  await buildClient('verifier', folder)
  pointProcessAt(service().deployment.environmentOf('triggers'))
  platform = new Platform(service())
  root = await service().logIn()
  const made = await childAdmin(service())
  childId = made.childId
  clock.advance(MINUTE)
  root = await service().logIn()
  const from = now()
  for (let n = 0; n < 25; n++) {
    clock.advance(1_000)
    const { body } = await service().call('POST', '/v1/vault/keys2', { token: root, body: { name: `key ${n}` } })
    keys.push(body.uri as string)
  }
  window = { from, to: now() }
  clock.advance(1_000)
  root = await service().logIn()
  await logged()
})

/** An export after its end. */
async function over(token: string, body: object): Promise<any> {
  const { status, body: made } = await platform.call('POST', EXPORTS, token, body)
  expect(status, JSON.stringify(made)).toBe(201)
  await logged()
  await service().deployment.flows.idle()
  const state = await platform.call('GET', `${EXPORTS}/${made.jobId as string}`, token)
  expect(state.status, JSON.stringify(state.body)).toBe(200)
  return state.body
}

/** Downloads an archive to a file, as a program that follows redirects does. */
async function fetched(url: string): Promise<string> {
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  const file = path.join(folder, 'export.zip')
  fs.writeFileSync(file, Buffer.from(await answer.arrayBuffer()))
  return file
}

const listIn = (file: string): any[] =>
  JSON.parse(execFileSync('unzip', ['-p', file, 'audit-logs.json']).toString()) as unknown[]

const verified = (file: string, ...options: string[]) => {
  const { status, stdout } = spawnSync(process.execPath, [program, file, '--json', ...options], { encoding: 'utf8' })
  return { status, verdict: JSON.parse(stdout) }
}

describe('an export', () => {
  test('is a ZIP file with the records of its time in one list, and proofs of them', async () => {
    const token = await tokenOf('root')
    const begun = clock.now().getTime()
    const { status, records, url, expiresAt } = await over(token, window)
    expect({ status, records }).toEqual({ status: 'completed', records: 25 })
    const completed = Date.parse(expiresAt as string) - 24 * HOUR
    expect(completed).toBeGreaterThan(begun - 1_000) // the expiry in the address is a whole second
    expect(completed).toBeLessThanOrEqual(clock.now().getTime())
    const file = await fetched(url as string)
    expect(execFileSync('unzip', ['-t', file]).toString()).toContain('No errors')
    expect(execFileSync('sh', ['-c', `unzip -p '${file}' audit-logs.json | jq length`]).toString()).toBe('25\n')
    expect(listIn(file).map(({ meta }) => meta.resource_uri as string)).toEqual(keys)
    expect(listIn(file)[0]).toMatchObject({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/) as string,
      ...{ tenantID: ROOT_DOMAIN_ID, source: 'dsp', action: 'Create Key', status: 'success' },
    })
    const { status: ended, verdict } = verified(file)
    expect(verdict, JSON.stringify(verdict)).toMatchObject({ intact: true, findings: [], doubts: [] })
    expect(ended).toBe(0)
  })

  test('is held against heads that were published', async () => {
    const { url } = await over(await tokenOf('root'), window)
    const { body } = await service().call('GET', '/v1/audit/heads', { token: root })
    const heads = path.join(folder, 'heads.txt')
    fs.writeFileSync(heads, body.resources.map(({ jws }: any) => jws as string).join('\n'))
    const file = await fetched(url as string)
    expect(verified(file, '--heads', heads)).toMatchObject({ status: 0, verdict: { doubts: [] } })
  })

  test('reports a row of the table that was changed later', async () => {
    const { body } = await service().call('GET', '/v1/audit/records?message=Create%20Key&limit=1', { token: root })
    const stored = await auditRecords.get(ROOT_DOMAIN_ID, body.resources[0].id as string)
    if (stored === undefined) throw new Error('The record is there')
    const changes = new Changes()
    changes.update(auditRecords, ROOT_DOMAIN_ID, stored, { ...stored.item, username: 'mallory' })
    await changes.commit(clock.now())
    const { url } = await over(await tokenOf('root'), window)
    const { status, verdict } = verified(await fetched(url as string))
    expect(status).toBe(1)
    expect(verdict.findings).toMatchObject([{ kind: 'altered', line: 26, id: stored.item.id }])
    expect(verdict.findings[0].since).toMatch(/^20/)
    expect(verdict.doubts).toEqual([])
  })

  test('of a period without records has an empty list, and is intact', async () => {
    const token = await tokenOf('root')
    const { records, url } = await over(token, { from: '2020-01-01T00:00:00Z', to: '2020-12-31T23:59:59+01:00' })
    expect(records).toBe(0)
    const file = await fetched(url as string)
    expect(listIn(file)).toEqual([])
    expect(verified(file).status).toBe(0)
  })

  test('of years, up to a future time, contains every record so far', async () => {
    const { records, url } = await over(await tokenOf('root'), {
      from: '1999-01-01T00:00:00Z',
      to: '2999-01-01T00:00:00Z',
    })
    const file = await fetched(url as string)
    expect(listIn(file)).toHaveLength(records as number)
    expect(records).toBeGreaterThan(30)
    expect(listIn(file).at(-1)).toMatchObject({ action: 'Create Audit Log Export' })
    expect(verified(file).verdict.findings).toHaveLength(1) // the changed row
  })

  test('answers 202 while it is under way', async () => {
    const token = await tokenOf('root')
    const { body } = await platform.call('POST', EXPORTS, token, { from: window.from, to: now() })
    const state = await platform.call('GET', `${EXPORTS}/${body.jobId as string}`, token)
    expect(state.body).toEqual({ jobId: body.jobId, status: 'in_progress', records: 0 })
    expect(state.status).toBe(202)
    await service().deployment.flows.idle()
  })
})

describe('tenants', () => {
  test('a credential of a domain exports only that domain', async () => {
    const token = await tokenOf('child')
    const { url } = await over(token, { from: '2020-01-01T00:00:00Z', to: now(), source: 'dsp' })
    const list = listIn(await fetched(url as string))
    expect(new Set(list.map(({ tenantID }) => tenantID as string))).toEqual(new Set([childId]))
  })

  test('a credential of the root exports a child that it names', async () => {
    const token = await tokenOf('root')
    const { body } = await platform.call('GET', INSTANCES, token)
    const { id: resourceId } = body.resources.find(({ tenantID }: any) => tenantID === childId)
    const { url } = await over(token, { from: '2020-01-01T00:00:00Z', to: now(), resourceId })
    const file = await fetched(url as string)
    expect(new Set(listIn(file).map(({ resourceid }) => resourceid as string))).toEqual(new Set([resourceId]))
    expect(verified(file).status).toBe(0)
  })

  test('a child sees neither the root nor its export', async () => {
    const [ofRoot, ofChild] = [await tokenOf('root'), await tokenOf('child')]
    const { body } = await platform.call('GET', INSTANCES, ofRoot)
    const { id: resourceId } = body.resources.find(({ tenantID }: any) => tenantID === ROOT_DOMAIN_ID)
    expect(await platform.call('POST', EXPORTS, ofChild, { ...window, resourceId })).toMatchObject({
      status: 404,
      body: { errors: [{ pointer: '#/resourceId' }] },
    })
    const { jobId } = await over(ofRoot, window)
    expect((await platform.call('GET', `${EXPORTS}/${jobId as string}`, ofChild)).status).toBe(404)
  })
})

describe('an address', () => {
  test('is valid for 24 hours, and then refused', async () => {
    const { url, expiresAt } = await over(await tokenOf('root'), window)
    const left = Date.parse(expiresAt as string) - clock.now().getTime()
    clock.advance(left - 2_000)
    expect((await fetch(url as string, { redirect: 'manual' })).status).toBe(302)
    clock.advance(2_000)
    expect((await fetch(url as string, { redirect: 'manual' })).status).toBe(403)
  })

  test('is refused when any of it is altered', async () => {
    const token = await tokenOf('root')
    const [one, other] = [await over(token, window), await over(token, window)]
    const altered = (change: (url: URL) => unknown): string => {
      const url = new URL(one.url as string)
      change(url)
      return url.href
    }
    const query = (name: string, value: string) => altered(({ searchParams }) => searchParams.set(name, value))
    const expires = Number(new URL(one.url as string).searchParams.get('expires'))
    for (const [url, status] of [
      [query('expires', String(expires + 1)), 403],
      [query('expires', '99999999999999'), 403],
      [query('expires', 'never'), 403],
      [query('tenant', childId), 403],
      [query('signature', 'AAAA'), 403],
      [query('signature', new URL(other.url as string).searchParams.get('signature') ?? ''), 403],
      [altered((it) => (it.pathname = it.pathname.replace(one.jobId as string, other.jobId as string))), 403],
      [altered(({ searchParams }) => searchParams.delete('signature')), 400],
      [query('more', 'x'), 400],
    ] as const)
      expect((await fetch(url, { redirect: 'manual' })).status, url).toBe(status)
  })

  test('expires with its archive after a week', async () => {
    const token = await tokenOf('root')
    const { jobId } = await over(token, window)
    clock.advance(8 * 24 * HOUR)
    await service().deployment.fire('sweep-due')
    expect((await platform.call('GET', `${EXPORTS}/${jobId as string}`, await tokenOf('root'))).status).toBe(404)
  })
})

test.each<[string, () => object, number, string]>([
  ['a time to come', () => ({ from: '2999-01-01T00:00:00Z', to: '2999-01-02T00:00:00Z' }), 422, '#/from'],
  ['an end before its beginning', () => ({ from: window.to, to: window.from }), 422, '#/to'],
  ['no beginning', () => ({ to: window.to }), 422, '#/from'],
  ['no end', () => ({ from: window.from }), 422, '#/to'],
  ['a time that is none', () => ({ ...window, from: 'yesterday' }), 422, '#/from'],
  ['a time that is a number', () => ({ ...window, from: 1 }), 400, '#/from'],
  ['another source', () => ({ ...window, source: 'hsm' }), 422, '#/source'],
  [
    'an unknown instance',
    () => ({ ...window, resourceId: '01890000-0000-7000-8000-00000000ffff' }),
    404,
    '#/resourceId',
  ],
  ['an instance that is no id', () => ({ ...window, resourceId: 'root' }), 422, '#/resourceId'],
  ['an unknown field', () => ({ ...window, limit: 1 }), 400, '#/limit'],
])('an export with %s is refused', async (_what, body, status, pointer) => {
  const answer = await platform.call('POST', EXPORTS, await tokenOf('root'), body())
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  expect(answer.body.errors.map((error: any) => error.pointer as string)).toContain(pointer)
})
