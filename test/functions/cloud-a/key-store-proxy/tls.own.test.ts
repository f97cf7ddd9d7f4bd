import * as https from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { beforeAll, expect, test } from 'vitest'
import { authority, type Certified } from '../../../support/certificates.ts'
import { addressOf, METADATA, REGION, useXks, type TestStore } from './proxy.ts'

const trusted = authority('the root of the cloud')
const another = authority('the root of the cloud') // of the same name, with another key
const xks = useXks({ tlsPort: 'any', environment: { KEYMGR_XKS_TRUST_ANCHORS: trusted.cert } })
const CLIENT = `cks.kms.${REGION}.amazonaws.com`
const DAY_MS = 86_400_000
const day = (offset: number): Date => new Date(Date.now() + offset * DAY_MS)

let open: TestStore
let closed: TestStore
beforeAll(async () => {
  open = await xks().store()
  closed = await xks().store({ local: { mtls_enabled: true } })
})

const baseUrl = (): URL => new URL(xks().vault.service.deployment.tlsBaseUrl ?? '')

/** A health call over TLS; returns the status, and the name of the error. */
function health(store: TestStore, client?: Certified, secret = store.credential.secret): Promise<[number, unknown]> {
  const path = addressOf(store, 'health')
  const body = JSON.stringify({ requestMetadata: METADATA })
  const { accessKeyId } = store.credential
  const signed = xks().signedHeaders({ path, body, accessKeyId, secret, region: REGION })
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        hostname: baseUrl().hostname,
        port: baseUrl().port,
        method: 'POST',
        path,
        agent: false,
        ca: xks().vault.service.deployment.caCertificate,
        servername: 'localhost',
        headers: { ...signed, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        ...client,
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve([response.statusCode ?? 0, JSON.parse(text).errorName]))
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

const GOOD = [200, undefined]
const REFUSED = [401, 'AuthenticationFailedException']

test('without mtls_enabled no certificate is needed, and a presented one is ignored', async () => {
  expect(await health(open)).toEqual(GOOD)
  expect(await health(open, another.issue('anybody'))).toEqual(GOOD)
})

test('with mtls_enabled the certificate of the region’s key service is accepted, together with the signature', async () => {
  const client = trusted.issue(CLIENT)
  expect(await health(closed, client)).toEqual(GOOD)
  expect(await health(closed, client, 'x'.repeat(44))).toEqual(REFUSED)
})

test.each<[string, () => Certified | undefined]>([
  ['no certificate', () => undefined],
  ['another name', () => trusted.issue('cks.kms.example.test')],
  ['the name of another region', () => trusted.issue('cks.kms.us-east-1.amazonaws.com')],
  ['a longer name', () => trusted.issue(`${CLIENT}.example.test`)],
  ['another authority of the same name', () => another.issue(CLIENT)],
  ['a certificate that has expired', () => trusted.issue(CLIENT, { from: day(-30), until: day(-1) })],
  ['a certificate of tomorrow', () => trusted.issue(CLIENT, { from: day(1), until: day(30) })],
])('with mtls_enabled %s is refused', async (_what, client) => {
  expect(await health(closed, client())).toEqual(REFUSED)
})

test('over plain HTTP, without a certificate, a store with mtls_enabled refuses the call', async () => {
  const { status, body } = await xks().call(closed, 'health')
  expect([status, body.errorName]).toEqual(REFUSED)
})

/** The TLS version that is negotiated with a client of these versions. */
const negotiated = (options: { minVersion: any; maxVersion: any; ciphers?: string }): Promise<[string, string]> =>
  new Promise((resolve, reject) => {
    const { hostname: host, port } = baseUrl()
    const ca = xks().vault.service.deployment.caCertificate
    const socket: TLSSocket = connect({ host, port: Number(port), ca, servername: 'localhost', ...options }, () => {
      const version = socket.getProtocol() ?? ''
      const { standardName } = socket.getCipher()
      socket.destroy()
      resolve([version, standardName])
    })
    socket.on('error', reject)
  })

test.each([
  ['TLSv1.2', 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLSv1.3', 'TLS_AES_256_GCM_SHA384', 'TLS_AES_256_GCM_SHA384'],
  ['TLSv1.3', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_CHACHA20_POLY1305_SHA256'],
] as const)('with %s, %s can be agreed upon', async (version, suite, ciphers) => {
  expect(await negotiated({ minVersion: version, maxVersion: version, ciphers })).toEqual([version, suite])
})

test.each(['TLSv1', 'TLSv1.1'] as const)('%s is refused', async (version) => {
  const old = negotiated({ minVersion: version, maxVersion: version, ciphers: 'ALL@SECLEVEL=0' })
  await expect(old).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
})
