import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { ListKeysCommand } from '@aws-sdk/client-kms'
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import { startCloudA, type CloudASimulator } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { signedByCertificate } from '../../../../../shared/clouds/cloud-a/adapter/certificate-signature.ts'
import { ACCOUNTS, kmsOf, outcome, stsOf } from '../clients.ts'

const clock = createClock()
let simulator: CloudASimulator

beforeAll(async () => {
  simulator = await startCloudA({ clock })
})
afterAll(() => simulator.stop())
afterEach(() => clock.set(new Date()))

const DAY_MS = 86_400_000
const identity = () => simulator.anywhereIdentityOf(ACCOUNTS.first)
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

interface Wanted {
  body?: object
  holder?: { certificate: string; private_key: string }
  region?: string
  at?: Date
  /** Changes the request after it was signed. */
  alter?: (request: { headers: Record<string, string>; body: string }) => void
}

/** Members of an answer with credentials that the tests read. */
interface Granted {
  readonly credentialSet: readonly [
    {
      readonly roleArn: string
      readonly assumedRoleUser: { readonly arn: string }
      readonly credentials: Record<'accessKeyId' | 'secretAccessKey' | 'sessionToken' | 'expiration', string>
    },
  ]
}

async function session({ body, holder = identity(), region = 'eu-central-1', at = clock.now(), alter }: Wanted = {}) {
  const { anywhere_role_arn: roleArn, profile_arn: profileArn, trust_anchor_arn: trustAnchorArn } = identity()
  const request = {
    headers: {} as Record<string, string>,
    body: JSON.stringify({ roleArn, profileArn, trustAnchorArn, ...body }),
  }
  const { host } = new URL(simulator.endpoint)
  request.headers = signedByCertificate({ host, path: '/sessions', region, at, body: request.body }, holder)
  alter?.(request)
  const answer = await fetch(`${simulator.endpoint}/sessions`, { method: 'POST', ...request })
  const type = answer.headers.get('x-amzn-errortype') ?? ''
  return { status: answer.status, type, body: (await answer.json()) as Granted }
}

test('a certificate yields credentials of a role, which are valid until they expire', async () => {
  const { status, body } = await session({ body: { durationSeconds: 900 } })
  expect(status).toBe(201)
  const [{ credentials: given, assumedRoleUser }] = body.credentialSet
  const { expiration, ...credentials } = given
  const at = Date.parse(expiration)
  expect(Math.abs(at - clock.now().getTime() - 900_000)).toBeLessThan(5_000)
  const who = { credentials, region: 'us-east-1' }
  const { Account, Arn } = await stsOf(simulator, who).send(new GetCallerIdentityCommand({}))
  expect([Account, Arn]).toEqual([ACCOUNTS.first, assumedRoleUser.arn])
  expect(Arn).toMatch(/^arn:aws:sts::111122223333:assumed-role\/keymgr-operator\/[0-9a-f]{32}$/)
  expect(await outcome(kmsOf(simulator, who).send(new ListKeysCommand({})))).toBe('done')
  clock.advance(901_000)
  expect(await outcome(kmsOf(simulator, who).send(new ListKeysCommand({})))).toBe('ExpiredTokenException')
})

test.each([
  ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['P-384', () => generateKeyPairSync('ec', { namedCurve: 'P-384' })],
] as const)('a certificate of a key of %s is taken', async (_kind, make) => {
  const { publicKey, privateKey } = make()
  const holder = { certificate: simulator.certify(ACCOUNTS.first, publicKey), private_key: pemOf(privateKey) }
  expect((await session({ holder })).status).toBe(201)
})

test('each edition has an identity of its own, in a region of it', async () => {
  for (const [account, region] of [
    [ACCOUNTS.gov, 'us-gov-west-1'],
    [ACCOUNTS.cn, 'cn-north-1'],
  ] as const) {
    const holder = simulator.anywhereIdentityOf(account)
    const { anywhere_role_arn: roleArn, profile_arn: profileArn, trust_anchor_arn: trustAnchorArn } = holder
    const { status, body } = await session({ body: { roleArn, profileArn, trustAnchorArn }, holder, region })
    expect([status, body.credentialSet[0].roleArn]).toEqual([201, roleArn])
  }
  expect(() => simulator.anywhereIdentityOf(ACCOUNTS.second)).toThrow('gives no role')
})

const DENIED = [403, 'AccessDeniedException:']
const UNSIGNED = [403, 'InvalidSignatureException:']
const NOT_THERE = [404, 'ResourceNotFoundException:']

test.each<[string, () => Wanted, (number | string)[]]>([
  ['a body that was not signed', () => ({ alter: (request) => (request.body += ' ') }), UNSIGNED],
  ['another certificate than the one that signed', () => ({ alter: anotherCertificate }), UNSIGNED],
  ['another serial number', () => ({ alter: anotherSerial }), UNSIGNED],
  ["a key that is not the certificate's", () => ({ holder: { ...identity(), private_key: otherKey() } }), UNSIGNED],
  ['a time long ago', () => ({ at: new Date(Date.now() - DAY_MS) }), [400, 'InvalidSignatureException:']],
  ['no signature', () => ({ alter: unsigned }), [400, 'MissingAuthenticationTokenException:']],
  ['a role that is not for certificates', () => ({ body: { roleArn: role('orders-service') } }), DENIED],
  ['a role that is not there', () => ({ body: { roleArn: role('nobody') } }), DENIED],
  ['another profile', () => ({ body: { profileArn: `${identity().profile_arn}0` } }), NOT_THERE],
  ['another anchor', () => ({ body: { trustAnchorArn: `${identity().trust_anchor_arn}0` } }), NOT_THERE],
  ['another region than that of the anchor', () => ({ region: 'eu-west-1' }), NOT_THERE],
  ['no anchor', () => ({ body: { trustAnchorArn: undefined } }), [400, 'ValidationException:']],
  ['14 minutes', () => ({ body: { durationSeconds: 840 } }), [400, 'ValidationException:']],
  ['a certificate of another account', () => ({ holder: simulator.anywhereIdentityOf(ACCOUNTS.gov) }), DENIED],
  ['a certificate that has expired', () => ({ holder: valid(-2 * DAY_MS, -DAY_MS) }), DENIED],
  ['a certificate that is not valid yet', () => ({ holder: valid(DAY_MS, 2 * DAY_MS) }), DENIED],
  ['the certificate of an authority', () => ({ holder: certified({ purpose: 'authority' }) }), DENIED],
])('%s gets no credentials', async (_what, wanted, expected) => {
  const { status, type } = await session(wanted())
  expect([status, type]).toEqual(expected)
})

const role = (name: string): string => `arn:aws:iam::${ACCOUNTS.first}:role/${name}`
const otherKey = (): string => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)

function certified(content: Parameters<CloudASimulator['certify']>[2]) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { certificate: simulator.certify(ACCOUNTS.first, publicKey, content), private_key: pemOf(privateKey) }
}
const valid = (fromMs: number, toMs: number) =>
  certified({ from: new Date(Date.now() + fromMs), to: new Date(Date.now() + toMs) })

function anotherCertificate({ headers }: { headers: Record<string, string> }): void {
  const { certificate } = certified({})
  headers['x-amz-x509'] = certificate.replace(/-----[^-]+-----|\s/g, '')
}
function anotherSerial({ headers }: { headers: Record<string, string> }): void {
  headers.authorization = String(headers.authorization).replace(/Credential=\d+/, 'Credential=1')
}
function unsigned({ headers }: { headers: Record<string, string> }): void {
  delete headers.authorization
}

test('a chain needs the certificate of its intermediate authority', async () => {
  const between = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { certify } = await import('../../../../../infra/simulators/toolkit/x509.ts')
  const middle = simulator.certify(ACCOUNTS.first, between.publicKey, { commonName: 'between', purpose: 'authority' })
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = { commonName: 'between', key: between.privateKey }
  const dates = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2046-01-01T00:00:00Z') }
  const leaf = certify({ commonName: 'leaf', purpose: 'client', issuer, ...dates }, publicKey)
  const private_key = pemOf(privateKey)
  expect((await session({ holder: { certificate: leaf + middle, private_key } })).status).toBe(201)
  expect((await session({ holder: { certificate: leaf, private_key } })).type).toBe('AccessDeniedException:')
})

test('the identity is the same after a restart', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cloud-a-anywhere-'))
  try {
    const file = path.join(folder, 'cloud-a.jsonl')
    const during = async () => {
      const one = await startCloudA({ clock, file })
      const found = one.anywhereIdentityOf(ACCOUNTS.first)
      await one.stop()
      return found
    }
    const first = await during()
    expect(await during()).toEqual(first)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
})
