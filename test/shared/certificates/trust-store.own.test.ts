import { generateKeyPairSync, type KeyPairKeyObjectResult as Pair } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClock } from '../../../infra/local/clock.ts'
import { startObjects, type Objects } from '../../../infra/local/stand-ins/objects.ts'
import { serveHttp, type Served } from '../../../infra/simulators/toolkit/loopback.ts'
import { externalCaResource } from '../../../shared/certificates/external/external.ts'
import { certificatesPurge } from '../../../shared/certificates/purge.ts'
import { keepTrustStore } from '../../../shared/certificates/trust-store/keep.ts'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import type { Context } from '../../../shared/http/context.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { objectText, putObject } from '../../../shared/store/objects.ts'
import { authority } from '../../support/certificates.ts'
import { localCas } from '../../../shared/certificates/authorities/store.ts'
import { localCaResource } from '../../../shared/certificates/authorities/authorities.ts'
import { factsOf } from '../../../shared/certificates/facts.ts'
import { trustedAuthorities } from '../../../shared/certificates/trust-store/store.ts'
import { issueCertificate, newSerial } from '../../../shared/crypto/x509/certificate.ts'
import { commonFields, uuid } from '../../../shared/base/ids.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { useTable } from '../../support/store.ts'
import { callerFrom, contextOf, request } from '../identity/users/requests.ts'

useTable()

const DOMAIN_NAME = 'clients.example.com'
const DAY_MS = 86_400_000
const clock = createClock()
const sweep = () => ({ now: clock.now(), hasTime: () => true })
const [roots, shop] = [authority('Roots of a cloud'), authority('Shop')]
let objects: Objects
let gateway: Served
/** The last trust store that the gateway received, and the number of updates. */
let named = { truststoreUri: 's3://texts/roots.pem', updates: 0 }

/** The two calls of the gateway's control plane, over its wire protocol (REST with JSON). */
const startGateway = (): Promise<Served> =>
  serveHttp(({ method, url, body }) => {
    if (url !== `/v2/domainnames/${DOMAIN_NAME}`) return Promise.resolve({ status: 404, body: '{}' })
    if (method === 'PATCH') {
      const asked = JSON.parse(body.toString()) as { mutualTlsAuthentication: { truststoreUri: string } }
      named = { truststoreUri: asked.mutualTlsAuthentication.truststoreUri, updates: named.updates + 1 }
    }
    const { truststoreUri } = named
    const answer = { domainName: DOMAIN_NAME, mutualTlsAuthentication: { truststoreUri } }
    const headers = { 'content-type': 'application/json' }
    return Promise.resolve({ status: 200, headers, body: JSON.stringify(answer) })
  })

beforeAll(async () => {
  objects = await startObjects({ buckets: ['texts'], now: clock.now })
  gateway = await startGateway()
  pointProcessAt({
    AWS_ENDPOINT_URL_S3: objects.endpoint,
    AWS_ENDPOINT_URL_APIGATEWAYV2: gateway.endpoint,
    KEYMGR_BUCKET: 'texts',
    KEYMGR_MTLS_DOMAIN: DOMAIN_NAME,
    KEYMGR_MTLS_ROOTS: 's3://texts/roots.pem',
  })
  await putObject('roots.pem', 'application/x-pem-file', ReadableStream.from([roots.cert]))
})
afterAll(() => Promise.all([objects.stop(), gateway.stop()]))
beforeEach(() => {
  named = { truststoreUri: 's3://texts/roots.pem', updates: 0 }
})

/** Runs an operation like a request of the root domain's administrator. */
async function committed<T>(verb: (context: Context) => Promise<T>): Promise<T> {
  const changes = new Changes()
  const answer = await verb(contextOf(changes, { now: clock.now() }))
  await changes.commit(clock.now())
  return answer
}

const letIn = (id: string, flags: object) => committed((context) => externalCaResource.update(context, id, flags))
const trusted = async (): Promise<string> => (await keepTrustStore(sweep()), objectText(named.truststoreUri))

test('the front door accepts the certificates of an authority while its flag is set, and those of the roots always', async () => {
  const { item } = await committed((context) => externalCaResource.create(context, { cert: shop.cert }))
  expect(await trusted()).not.toContain(shop.cert.trim())
  await letIn(item.id, { allow_client_authentication: true })
  const both = await trusted()
  for (const { cert } of [roots, shop]) expect(both).toContain(cert.trim())
  expect(named.truststoreUri).toMatch(/^s3:\/\/texts\/trust-store\/[0-9a-f]{64}\.pem$/)

  await letIn(item.id, { allow_client_authentication: false, allow_user_authentication: true })
  expect(await trusted()).toBe(both)
  await letIn(item.id, { allow_user_authentication: false })
  const less = await trusted()
  expect(less).toContain(roots.cert.trim())
  expect(less).not.toContain(shop.cert.trim())

  await letIn(item.id, { allow_client_authentication: true })
  expect(await trusted()).toBe(both)
  await committed((context) => externalCaResource.remove(context, item.id, undefined))
  expect(await trusted()).toBe(less)
})

test('an unchanged list is not written, and a change by others is replaced', async () => {
  await keepTrustStore(sweep())
  const { truststoreUri, updates } = named
  expect(await keepTrustStore(sweep())).toEqual({ changed: false })
  expect(named.updates).toBe(updates)
  named = { truststoreUri: 's3://texts/roots.pem', updates }
  expect(await keepTrustStore(sweep())).toEqual({ changed: true })
  expect(named.truststoreUri).toBe(truststoreUri)
})

test('an authority that is over, or whose domain was deleted, is not trusted', async () => {
  const { item } = await committed((context) => externalCaResource.create(context, { cert: shop.cert }))
  await letIn(item.id, { allow_user_authentication: true })
  const before = await trusted()
  expect(before).toContain(shop.cert.trim())
  clock.advance(60 * DAY_MS)
  expect(await trusted()).not.toContain(shop.cert.trim())
  clock.advance(-60 * DAY_MS)
  expect(await trusted()).toBe(before)
  for (const step of certificatesPurge) while (await step(ROOT_DOMAIN_ID, clock.now()));
  expect(await trusted()).not.toContain(shop.cert.trim())
})

/** Writes the record of a local authority with this certificate. @returns its id */
async function storedCa(domain: string, cert: string): Promise<string> {
  const now = clock.now()
  const id = uuid(now)
  const purpose = { client_authentication: false, user_authentication: false }
  const record = { ...commonFields(domain, id, `keymgr:${id}`, now), name: id, csr: 'none', key_id: 'none', purpose }
  const changes = new Changes()
  changes.create(localCas, domain, { ...record, ...factsOf(cert) })
  await changes.commit(now)
  return id
}

/** A root's certificate, and that of an authority below it. */
async function parentAndChild(cn: string): Promise<{ parent: string; child: string }> {
  const [upper, lower] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' })) as [Pair, Pair]
  const notBefore = new Date(clock.now().getTime() - DAY_MS)
  const notAfter = new Date(clock.now().getTime() + 30 * DAY_MS)
  const order = () => ({ purpose: 'ca' as const, serial: newSerial(), notBefore, notAfter })
  const key = upper.privateKey
  const parent = await issueCertificate({ ...order(), issuer: { key }, subject: { cn }, publicKey: upper.publicKey })
  const below = { issuer: { pem: parent, key }, subject: { cn: `${cn}, below` }, publicKey: lower.publicKey }
  return { parent, child: await issueCertificate({ ...order(), ...below }) }
}

test("the chain of a domain's own authority reaches up to its parent, a local authority of the root domain", async () => {
  const { parent, child } = await parentAndChild('Root of domains')
  const domain = { id: uuid(clock.now()), name: 'branch' }
  await storedCa(ROOT_DOMAIN_ID, parent)
  const id = await storedCa(domain.id, child)
  await request((context) => localCaResource.update(context, id, { allow_user_authentication: true }), {
    caller: callerFrom(domain),
    now: clock.now(),
  })
  expect((await trustedAuthorities.get(ROOT_DOMAIN_ID, id))?.item.chain).toEqual([child, parent])
  const text = await trusted()
  for (const cert of [parent, child]) expect(text).toContain(cert.trim())
})

test('a chain that was stored without that parent is continued', async () => {
  const { parent, child } = await parentAndChild('Root of earlier domains')
  await storedCa(ROOT_DOMAIN_ID, parent)
  const changes = new Changes()
  const { notAfter } = factsOf(child)
  const domain = uuid(clock.now())
  changes.create(trustedAuthorities, ROOT_DOMAIN_ID, { id: uuid(clock.now()), domain, chain: [child], notAfter })
  await changes.commit(clock.now())
  const text = await trusted()
  for (const cert of [parent, child]) expect(text).toContain(cert.trim())
})
