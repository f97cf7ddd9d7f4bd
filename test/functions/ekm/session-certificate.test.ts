import { X509Certificate } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { issueCertificate } from '../../../infra/simulators/toolkit/x509.ts'
import { AttestedClient } from '../../support/attested-client.ts'
import { ENDPOINTS, useEkm } from './ekm.ts'

const ekm = useEkm()
const at = ({ id }: any): string => `${ENDPOINTS}/${id as string}/session-certificate`
const HOST = 'certified.example.test'

let endpoint: any
beforeAll(async () => {
  endpoint = await ekm().create({ endpoint_type: 'ekm-ude', keyURIHostname: HOST })
})

/** A certificate of an authority, as an operator gets it. */
function certified(host: string, from = -1, to = 1) {
  const day = (days: number): Date => new Date(ekm().now.getTime() + days * 86_400_000)
  return issueCertificate({
    commonName: host,
    purpose: 'server',
    names: { dns: [host], ip: [] },
    from: day(from),
    to: day(to),
  })
}

test('the first endpoint with sessions at a host creates its certificate, which later ones share in any spelling', async () => {
  const shown = await ekm().vault.admin.ok('GET', at(endpoint))
  expect(Object.keys(shown).sort()).toEqual(['certificate', 'host', 'notAfter', 'sha256Fingerprint'])
  const certificate = new X509Certificate(shown.certificate as string)
  expect(certificate.checkHost(HOST)).toBe(HOST)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' })
  const other = await ekm().create({ endpoint_type: 'ekm-ude', keyURIHostname: 'Certified.Example.test' })
  expect(await ekm().vault.admin.ok('GET', at(other))).toEqual(shown)
})

test('an endpoint that moves to another host gets the certificate of that host; one without sessions has none', async () => {
  const moving = await ekm().create({ endpoint_type: 'ekm-ude', keyURIHostname: HOST })
  await ekm().vault.admin.ok('PATCH', `${ENDPOINTS}/${moving.id as string}`, { keyURIHostname: 'moved.example.test' })
  expect(await ekm().vault.admin.ok('GET', at(moving))).toMatchObject({ host: 'moved.example.test' })
  expect((await ekm().vault.admin.call('GET', at(await ekm().create()))).status).toBe(409)
})

test('sessions begin only at a host with an enabled endpoint that accepts them', async () => {
  const [host, next] = ['open.example.test', 'next.example.test']
  const make = async (more: object = {}) => ekm().create({ endpoint_type: 'ekm-ude', keyURIHostname: host, ...more })
  const begin = async (at: string): Promise<number> => {
    const stet = new AttestedClient(ekm(), at, '', { aud: `https://${at}` })
    return (await stet.begin()).status
  }
  const closed = async (at: string) => {
    ekm().vault.advance(60_001)
    expect(await begin(at)).toBe(404)
  }
  await ekm().create({ keyURIHostname: host })
  expect(await begin(host), 'no endpoint there takes sessions').toBe(404)
  const [one, other] = [await make(), await make({ keyURIHostname: 'Open.Example.test' })]
  expect(await begin(host)).toBe(200)
  await ekm().act(one.id as string, 'disable')
  ekm().vault.advance(60_001)
  expect(await begin(host), 'the other one is enabled').toBe(200)
  await ekm().vault.admin.ok('PATCH', `${ENDPOINTS}/${other.id as string}`, { enabled: false })
  await closed(host)
  await ekm().act(one.id as string, 'enable')
  expect(await begin(host)).toBe(200)
  await ekm().vault.admin.ok('PATCH', `${ENDPOINTS}/${one.id as string}`, { keyURIHostname: next })
  await closed(host)
  expect(await begin(next)).toBe(200)
  await ekm().vault.admin.ok('DELETE', `${ENDPOINTS}/${one.id as string}`)
  await closed(next)
})

test('only the root domain replaces a certificate, and sessions use it within a minute', async () => {
  const { root } = ekm().vault.service
  const token = await root.logIn()
  const replace = (id: string, body: object) =>
    root.call('PUT', `${ENDPOINTS}/${id}/session-certificate`, { token, body })
  const { cert, key } = certified(HOST)
  const body = { certificate: cert, private_key: key }
  expect((await ekm().vault.admin.call('PUT', at(endpoint), body)).status).toBe(403)
  const name = `root-${Date.now()}`
  const made = await root.call('POST', ENDPOINTS, {
    token,
    body: { name, keyURIHostname: HOST, endpoint_type: 'ekm-ude', policy: { basic: { clients: ['a@b.test'] } } },
  })
  const id = made.body.id as string
  const another = certified(HOST)
  const elsewhere = certified('elsewhere.example.test')
  const ended = certified(HOST, -3, -2)
  for (const [what, refused, pointer] of [
    ['another key', { certificate: cert, private_key: another.key }, '#/certificate'],
    ['another host', { certificate: elsewhere.cert, private_key: elsewhere.key }, '#/certificate'],
    ['an ended one', { certificate: ended.cert, private_key: ended.key }, '#/certificate'],
    ['no certificate', { certificate: 'none', private_key: key }, '#/certificate'],
    ['no key', { certificate: cert, private_key: 'none' }, '#/private_key'],
  ] as const) {
    const answered = await replace(id, refused)
    expect(answered.status, what).toBe(422)
    expect(answered.body.errors[0].pointer, what).toBe(pointer)
  }
  const replaced = await replace(id, body)
  expect(replaced.status, JSON.stringify(replaced.body)).toBe(200)
  expect(JSON.stringify(replaced.body)).not.toContain('PRIVATE KEY')
  ekm().vault.advance(60_001)
  expect((await ekm().vault.admin.ok('GET', at(endpoint))).certificate).toBe(cert)
  const stet = new AttestedClient(ekm(), HOST, cert, { aud: `https://${HOST}` })
  expect((await stet.begin()).status).toBe(200)
  expect((await stet.handshake()).status).toBe(200)
  expect(stet.tls.socket.authorized).toBe(true)
})
