import * as fs from 'node:fs'
import * as path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { verifyProof } from '../../clients/verify/proof.ts'
import { cloudIssuer } from '../support/cloud-issuer.ts'
import { mint } from '../support/issuer.ts'
import { raw } from '../support/raw.ts'
import { Service } from '../support/service.ts'
import { startTestDeployment } from '../support/test-deployment.ts'
import { CarriedClient } from '../support/tls-client.ts'
import { createClock } from '../../infra/local/clock.ts'
import { temporaryFolder } from '../infra/local/deployment-support.ts'
import { KEPT, KEPT_HOST, resourcesOf, unpack, type Expected, type KeptRecord } from './kept.ts'

/** Data of earlier versions, each of which the present version must read. */
const ARCHIVES = fs.readdirSync(KEPT).filter((name) => name.endsWith('.tar.gz'))

const MINUTE_MS = 60_000
/** Fields that every log-in changes. */
const CHANGED_BY_LOG_INS = ['logins_count', 'last_login']
/** Lists that are answered from a cloud, whose simulator starts empty. */
const LISTS_OF_CLOUDS = ['/v1/keymgr/datacust/applications']

const idOf = ({ id, user_id, name }: KeptRecord): unknown => id ?? user_id ?? name

/** Starts the present version on a copy of the data, at the time of the data. */
async function upgraded(
  archive: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ service: Service; expected: Expected; token: string }> {
  const dataDir = temporaryFolder()
  const expected = unpack(path.join(KEPT, archive), dataDir)
  const clock = createClock()
  clock.set(new Date(expected.at))
  const service = new Service(await startTestDeployment({ inMemory: false, dataDir, clock, environment }))
  return { service, expected, token: await service.logIn() }
}

/** The status of an attested session's first call at the kept host, once instances know the present endpoints. */
async function beginSession({ deployment }: Service): Promise<number> {
  const { issuer, key } = await cloudIssuer()
  deployment.clock.advance(MINUTE_MS + 1)
  const iat = Math.floor(deployment.clock.now().getTime() / 1_000)
  const email = 'kept@example.test'
  const claims = { iss: issuer.name, aud: `https://${KEPT_HOST}`, iat, exp: iat + 3_600, email, email_verified: true }
  const client = new CarriedClient({ servername: KEPT_HOST })
  const tlsRecords = (await client.hello()).toString('base64')
  client.close()
  const { status } = await raw(deployment.baseUrl, {
    method: 'POST',
    target: '/api/v1/keymgr/ekm/session/beginsession',
    headers: { host: KEPT_HOST, 'content-type': 'application/json', authorization: `Bearer ${mint(key, claims)}` },
    body: JSON.stringify({ tlsRecords }),
  })
  return status
}

/** Records that are missing in the present answers, or have other values: `<list> <id>`. */
async function changedIn(service: Service, token: string, { lists }: Expected): Promise<string[]> {
  const changed: string[] = []
  for (const [list, kept] of Object.entries(lists)) {
    if (LISTS_OF_CLOUDS.includes(list)) continue
    const resources = (await resourcesOf(`${service.deployment.baseUrl}/api`, token, list)) ?? []
    const present = new Map(resources.map((one) => [idOf(one), one]))
    for (const record of kept.filter((one) => idOf(one) !== undefined)) {
      const found = present.get(idOf(record))
      const differs = Object.keys(record).filter(
        (field) => !CHANGED_BY_LOG_INS.includes(field) && !isDeepStrictEqual(record[field], found?.[field]),
      )
      if (differs.length > 0) changed.push(`${list} ${String(idOf(record))}: ${differs.join(', ')}`)
    }
  }
  return changed
}

test('data of an earlier version is kept', () => {
  expect(ARCHIVES.length).toBeGreaterThan(0)
})

test.each(ARCHIVES)('%s: every record is shown as in its version', async (archive) => {
  const { service, expected, token } = await upgraded(archive)
  try {
    expect(Object.values(expected.lists).filter((kept) => kept.length > 0).length).toBeGreaterThan(30)
    expect(await changedIn(service, token, expected)).toEqual([])
  } finally {
    await service.deployment.stop()
  }
})

test.each(ARCHIVES)('%s: keys and secrets open, rotate and are deleted; its users log in', async (archive) => {
  const { service, expected, token } = await upgraded(archive)
  const ok = async (method: string, to: string, body?: object): Promise<any> => {
    const answered = await service.call(method, to, { token, body })
    expect([200, 201, 204], `${method} ${to} ${JSON.stringify(answered.body)}`).toContain(answered.status)
    return answered.body
  }
  try {
    await service.logIn(expected.username, expected.userPassword)
    for (const [name, material] of Object.entries(expected.materials)) {
      const key = `/v1/vault/keys2/${name}`
      const { version } = await ok('GET', key)
      expect((await ok('POST', `${key}/export`, {})).material, name).toEqual(material)
      expect(await ok('POST', `${key}/versions`), name).toMatchObject({ version: Number(version) + 1 })
      await ok('DELETE', key)
      expect((await service.call('GET', key, { token })).status, name).toBe(404)
    }
    for (const [name, material] of Object.entries(expected.secrets)) {
      const secret = `/v1/vault/secrets/${name}`
      expect((await ok('POST', `${secret}/export`, {})).material, name).toEqual(material)
      await ok('DELETE', secret)
    }
  } finally {
    await service.deployment.stop()
  }
})

test.each(ARCHIVES)('%s: its endpoints accept attested sessions while they are enabled', async (archive) => {
  const { service, token } = await upgraded(archive, (await cloudIssuer()).environment)
  const ok = async (method: string, to: string, body?: object): Promise<any> => {
    const answered = await service.call(method, `/v1/keymgr/ekm/endpoints${to}`, { token, body })
    expect([200, 201], JSON.stringify(answered.body)).toContain(answered.status)
    return answered.body
  }
  try {
    expect(await beginSession(service)).toBe(200)
    const { total, resources } = await ok('GET', '?endpoint_type=ekm-ude')
    expect(total).toBe(1)
    const kept = `/${resources[0].id as string}`
    const later = await ok('POST', '', {
      name: 'later',
      keyURIHostname: KEPT_HOST,
      endpoint_type: 'ekm-ude',
      policy: resources[0].policy,
    })
    await ok('PATCH', `/${later.id as string}`, { enabled: false })
    expect(await beginSession(service), 'the kept one is enabled').toBe(200)
    await service.deployment.fire('sweep-due')
    await ok('PATCH', kept, { enabled: false })
    expect(await beginSession(service)).toBe(404)
    await ok('PATCH', kept, { enabled: true })
    expect(await beginSession(service)).toBe(200)
  } finally {
    await service.deployment.stop()
  }
})

test.each(ARCHIVES)('%s: its audit records are proven by heads signed before and after', async (archive) => {
  const { service, expected, token } = await upgraded(archive)
  const get = async (to: string) => (await service.call('GET', `/v1/audit${to}`, { token })).body
  try {
    const oldest = await get('/records?sort=createdAt&limit=1')
    expect(expected.lists['/v1/audit/records']?.map(idOf)).toContain(oldest.resources[0].id)
    const { size } = (await get('/heads?limit=1')).resources[0]
    service.deployment.clock.advance(MINUTE_MS)
    await service.call('POST', '/v1/vault/keys2', { token, body: {} })
    await service.deployment.fire('drain-outbox')
    await service.deployment.fire('sign-heads')
    expect((await get('/heads?limit=1')).resources[0].size).toBeGreaterThan(size)
    const jwks = await get('/heads/jwks.json')
    for (const query of ['', `&size=${String(size)}`]) {
      const proof = await get(`/proofs/inclusion?record=${String(oldest.resources[0].id)}${query}`)
      expect(verifyProof(JSON.stringify(proof), jwks), query).toMatchObject({ isProven: true, faults: [] })
    }
  } finally {
    await service.deployment.stop()
  }
})
