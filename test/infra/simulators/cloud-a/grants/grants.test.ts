import {
  CreateGrantCommand,
  CreateKeyCommand,
  DecryptCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EncryptCommand,
  GenerateMacCommand,
  GetPublicKeyCommand,
  ListGrantsCommand,
  ListRetirableGrantsCommand,
  PutKeyPolicyCommand,
  ReEncryptCommand,
  RetireGrantCommand,
  RevokeGrantCommand,
} from '@aws-sdk/client-kms'
import type { CreateGrantCommandInput, CreateKeyCommandInput, GrantOperation, KMSClient } from '@aws-sdk/client-kms'
import { AssumeRoleCommand } from '@aws-sdk/client-sts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import { startCloudA, type CloudASimulator } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, kmsOf, outcome, stsOf } from '../clients.ts'

const OPERATOR = `arn:aws:iam::${ACCOUNTS.first}:role/keymgr-operator`
const SESSION = `arn:aws:sts::${ACCOUNTS.first}:assumed-role/keymgr-operator/tests`
const ADMIN = `arn:aws:iam::${ACCOUNTS.first}:user/keymgr-admin`
const STRANGER = `arn:aws:iam::${ACCOUNTS.second}:user/keymgr-admin`
const Plaintext = Buffer.from('sixteen tons')
const context = { tenant: 'a', purpose: 'test' }

let simulator: CloudASimulator
/** The key's administrator, a role's session in the same account, and a user of another account. */
let admin: KMSClient
let operator: KMSClient
let stranger: KMSClient

beforeAll(async () => {
  simulator = await startCloudA({ clock: createClock() })
  admin = kmsOf(simulator)
  stranger = kmsOf(simulator, { account: ACCOUNTS.second })
  const asked = new AssumeRoleCommand({ RoleArn: OPERATOR, RoleSessionName: 'tests' })
  const {
    AccessKeyId = '',
    SecretAccessKey = '',
    SessionToken,
  } = (await stsOf(simulator).send(asked)).Credentials ?? {}
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken ?? '' }
  operator = kmsOf(simulator, { credentials })
})
afterEach(() => simulator.setDelays({ hidden: 0 }))
afterAll(() => simulator.stop())

/** Creates a key whose policy allows only its administrator; returns its ARN. */
async function createKey(input: CreateKeyCommandInput = {}): Promise<string> {
  const Statement = [{ Effect: 'Allow', Principal: { AWS: ADMIN }, Action: 'kms:*', Resource: '*' }]
  const made = await admin.send(new CreateKeyCommand({ Policy: JSON.stringify({ Statement }), ...input }))
  return made.KeyMetadata?.Arn ?? ''
}

const grant = (KeyId: string, Operations: GrantOperation[], more: Partial<CreateGrantCommandInput> = {}) =>
  admin.send(new CreateGrantCommand({ KeyId, GranteePrincipal: OPERATOR, Operations, ...more }))
const encrypt = (client: KMSClient, KeyId: string, more: { EncryptionContext?: Record<string, string> } = {}) =>
  client.send(new EncryptCommand({ KeyId, Plaintext, ...more }))
const listed = async (KeyId: string) => (await admin.send(new ListGrantsCommand({ KeyId }))).Grants ?? []

test.each<[string, string, () => KMSClient]>([
  ['a role', OPERATOR, () => operator],
  ['a session of a role', SESSION, () => operator],
  ['a user of another account', STRANGER, () => stranger],
  ['all of another account', `arn:aws:iam::${ACCOUNTS.second}:root`, () => stranger],
])('a grant permits %s only its operations on the key', async (_what, GranteePrincipal, client) => {
  const KeyId = await createKey()
  expect(await outcome(encrypt(client(), KeyId))).toBe('AccessDeniedException')
  const { GrantId } = await grant(KeyId, ['Encrypt', 'Decrypt'], { GranteePrincipal })
  const { CiphertextBlob } = await encrypt(client(), KeyId)
  const opened = await client().send(new DecryptCommand({ KeyId, CiphertextBlob }))
  expect(Buffer.from(opened.Plaintext ?? [])).toEqual(Plaintext)
  expect(await outcome(client().send(new DescribeKeyCommand({ KeyId })))).toBe('AccessDeniedException')
  await admin.send(new RevokeGrantCommand({ KeyId, GrantId }))
  expect(await outcome(encrypt(client(), KeyId))).toBe('AccessDeniedException')
})

test('a denial of the policy overrides grants', async () => {
  const KeyId = await createKey()
  await grant(KeyId, ['Encrypt'])
  const allow = { Effect: 'Allow', Principal: { AWS: ADMIN }, Action: 'kms:*', Resource: '*' }
  const deny = { Effect: 'Deny', Principal: { AWS: OPERATOR }, Action: 'kms:Encrypt', Resource: '*' }
  await admin.send(new PutKeyPolicyCommand({ KeyId, Policy: JSON.stringify({ Statement: [allow, deny] }) }))
  expect(await outcome(encrypt(operator, KeyId))).toBe('AccessDeniedException')
})

test('both sides of a re-encryption need a permission', async () => {
  const [from, into] = [await createKey(), await createKey()]
  const { CiphertextBlob } = await encrypt(admin, from)
  const move = () => outcome(operator.send(new ReEncryptCommand({ CiphertextBlob, DestinationKeyId: into })))
  await grant(from, ['ReEncryptFrom'])
  expect(await move()).toBe('AccessDeniedException')
  await grant(into, ['ReEncryptTo'])
  expect(await move()).toBe('done')
})

test.each<[string, CreateGrantCommandInput['Constraints'], Record<string, string> | undefined, string]>([
  ['the same context', { EncryptionContextEquals: context }, context, 'done'],
  ['names in another case', { EncryptionContextEquals: { Tenant: 'a', PURPOSE: 'test' } }, context, 'done'],
  [
    'values in another case',
    { EncryptionContextEquals: { tenant: 'A', purpose: 'test' } },
    context,
    'AccessDeniedException',
  ],
  ['a larger context', { EncryptionContextEquals: { tenant: 'a' } }, context, 'AccessDeniedException'],
  ['a context with the part', { EncryptionContextSubset: { tenant: 'a' } }, context, 'done'],
  ['a context without the part', { EncryptionContextSubset: { tenant: 'b' } }, context, 'AccessDeniedException'],
  ['no context', { EncryptionContextSubset: { tenant: 'a' } }, undefined, 'AccessDeniedException'],
])('the constraint of a grant is checked: %s', async (_what, Constraints, EncryptionContext, expected) => {
  const KeyId = await createKey()
  await grant(KeyId, ['Encrypt', 'DescribeKey'], { Constraints })
  expect(await outcome(encrypt(operator, KeyId, EncryptionContext && { EncryptionContext }))).toBe(expected)
  expect(await outcome(operator.send(new DescribeKeyCommand({ KeyId })))).toBe('done')
})

test('an asymmetric and a MAC key are granted with the operations they have', async () => {
  const curve = await createKey({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' })
  const mac = await createKey({ KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' })
  await grant(curve, ['Sign', 'GetPublicKey'])
  await grant(mac, ['GenerateMac'])
  expect(await outcome(operator.send(new GetPublicKeyCommand({ KeyId: curve })))).toBe('done')
  const command = new GenerateMacCommand({ KeyId: mac, Message: Plaintext, MacAlgorithm: 'HMAC_SHA_256' })
  expect(await outcome(operator.send(command))).toBe('done')
  const Constraints = { EncryptionContextSubset: context }
  expect(await outcome(grant(curve, ['Encrypt']))).toBe('ValidationException')
  expect(await outcome(grant(mac, ['Sign']))).toBe('ValidationException')
  expect(await outcome(grant(mac, ['GenerateMac'], { Constraints }))).toBe('ValidationException')
})

test.each<[string, Partial<CreateGrantCommandInput>, string]>([
  ['for a user that is not there', { GranteePrincipal: ADMIN.replace('admin', 'nobody') }, 'InvalidArnException'],
  ['for no ARN', { GranteePrincipal: 'alice' }, 'InvalidArnException'],
  ['retired by no ARN', { RetiringPrincipal: 'alice' }, 'InvalidArnException'],
  ['for a service', { GranteeServicePrincipal: 's3.amazonaws.com' }, 'UnsupportedOperationException'],
  ['on an operation that is not granted', { Operations: ['ListKeys' as GrantOperation] }, 'ValidationException'],
  ['on a foreign operation', { Operations: ['Encapsulate'] }, 'ValidationException'],
  ['on nothing', { Operations: [] }, 'ValidationException'],
  ['with a name of spaces', { Name: 'a b' }, 'ValidationException'],
  ['with nine pairs', { Constraints: { EncryptionContextEquals: pairs(9) } }, 'ValidationException'],
  ['with long pairs', { Constraints: { EncryptionContextSubset: { a: 'x'.repeat(384) } } }, 'ValidationException'],
  ['with a token of nobody', { GrantTokens: ['AQpAM2RhZTk1MGMy'] }, 'InvalidGrantTokenException'],
  ['tried only', { DryRun: true }, 'DryRunOperationException'],
])('a grant %s is refused', async (_what, more, expected) => {
  const KeyId = await createKey()
  expect(await outcome(grant(KeyId, ['Encrypt'], more))).toBe(expected)
  expect(await listed(KeyId)).toEqual([])
})

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`name${n}`, '']))
}

test('a disabled key gets no grants, and keeps those it has', async () => {
  const KeyId = await createKey()
  const { GrantId } = await grant(KeyId, ['Encrypt'])
  await admin.send(new DisableKeyCommand({ KeyId }))
  expect(await outcome(grant(KeyId, ['Decrypt']))).toBe('DisabledException')
  expect(await listed(KeyId)).toHaveLength(1)
  expect(await outcome(admin.send(new RevokeGrantCommand({ KeyId, GrantId })))).toBe('done')
})

test('a repeated request with a name returns its grant; without, it creates another', async () => {
  const KeyId = await createKey()
  const more = { Name: 'once', Constraints: { EncryptionContextSubset: context } }
  const first = await grant(KeyId, ['Encrypt', 'Decrypt'], more)
  const again = await grant(KeyId, ['Decrypt', 'Encrypt'], more)
  expect(again.GrantId).toBe(first.GrantId)
  expect(again.GrantToken).not.toBe(first.GrantToken)
  expect((await grant(KeyId, ['Decrypt'], more)).GrantId).not.toBe(first.GrantId)
  await grant(KeyId, ['Encrypt'])
  await grant(KeyId, ['Encrypt'])
  expect(await listed(KeyId)).toHaveLength(4)
})

test('a list contains all fields of grants except their tokens, in pages and by filter', async () => {
  const KeyId = await createKey()
  const Constraints = { EncryptionContextEquals: context }
  const { GrantId } = await grant(KeyId, ['Encrypt'], { Name: 'named', RetiringPrincipal: ADMIN, Constraints })
  await grant(KeyId, ['DescribeKey'], { GranteePrincipal: STRANGER })
  const [found, ...none] = (await admin.send(new ListGrantsCommand({ KeyId, GrantId }))).Grants ?? []
  expect(none).toEqual([])
  expect(found).toEqual({
    ...{ KeyId, GrantId, Name: 'named', Constraints, Operations: ['Encrypt'], CreationDate: expect.any(Date) },
    ...{ GranteePrincipal: OPERATOR, RetiringPrincipal: ADMIN },
    IssuingAccount: `arn:aws:iam::${ACCOUNTS.first}:root`,
  })
  const byGrantee = await admin.send(new ListGrantsCommand({ KeyId, GranteePrincipal: STRANGER }))
  expect(byGrantee.Grants).toMatchObject([{ Operations: ['DescribeKey'] }])
  const page = await admin.send(new ListGrantsCommand({ KeyId, Limit: 1 }))
  const rest = await admin.send(new ListGrantsCommand({ KeyId, Limit: 1, Marker: page.NextMarker }))
  expect([page.Truncated, rest.Truncated, rest.Grants?.[0]?.GrantId === page.Grants?.[0]?.GrantId]).toEqual([
    true,
    false,
    false,
  ])
  expect(await outcome(operator.send(new ListGrantsCommand({ KeyId })))).toBe('AccessDeniedException')
  expect(await outcome(admin.send(new ListGrantsCommand({ KeyId, Limit: 101 })))).toBe('ValidationException')
})

test('a new grant takes effect late; its token makes it effective at once', async () => {
  const KeyId = await createKey()
  simulator.setDelays({ hidden: 2 })
  const { GrantToken = '' } = await grant(KeyId, ['Encrypt', 'DescribeKey'])
  expect(await outcome(encrypt(operator, KeyId))).toBe('AccessDeniedException')
  const withToken = new EncryptCommand({ KeyId, Plaintext, GrantTokens: [GrantToken] })
  expect(await outcome(operator.send(withToken))).toBe('done')
  expect(await outcome(encrypt(operator, KeyId))).toBe('AccessDeniedException')
  expect(await outcome(encrypt(operator, KeyId))).toBe('done')
  const forged = new DescribeKeyCommand({ KeyId, GrantTokens: [`${GrantToken.slice(0, -4)}AAAA`] })
  expect(await outcome(operator.send(forged))).toBe('InvalidGrantTokenException')
})

test.each<[string, Partial<CreateGrantCommandInput>, string]>([
  ['as wide', {}, 'done'],
  ['with a stricter constraint', { Constraints: { EncryptionContextEquals: context } }, 'done'],
  ['with more operations', { Operations: ['Encrypt', 'Decrypt'] }, 'AccessDeniedException'],
  ['without the constraint', { Constraints: undefined }, 'AccessDeniedException'],
  ['with another constraint', { Constraints: { EncryptionContextSubset: { tenant: 'b' } } }, 'AccessDeniedException'],
])('a grantee hands on a grant %s', async (_what, more, expected) => {
  const KeyId = await createKey()
  const Constraints = { EncryptionContextSubset: { tenant: 'a' } }
  await grant(KeyId, ['CreateGrant', 'Encrypt'], { Constraints })
  const child = { KeyId, GranteePrincipal: STRANGER, Operations: ['Encrypt' as const], Constraints, ...more }
  expect(await outcome(operator.send(new CreateGrantCommand(child)))).toBe(expected)
  const use = outcome(encrypt(stranger, KeyId, { EncryptionContext: context }))
  expect(await use).toBe(expected)
})

test('the retiring principal finds its grants in every account and retires them by token or id', async () => {
  const KeyId = await createKey()
  const byToken = await grant(KeyId, ['Encrypt'], { RetiringPrincipal: STRANGER })
  const byId = await grant(KeyId, ['Encrypt'], { RetiringPrincipal: STRANGER })
  const other = await grant(KeyId, ['Encrypt'], { RetiringPrincipal: ADMIN })
  const retirable = async () => {
    const found = await stranger.send(new ListRetirableGrantsCommand({ RetiringPrincipal: STRANGER }))
    return found.Grants?.map(({ GrantId }) => GrantId)
  }
  expect(await retirable()).toEqual([byToken.GrantId, byId.GrantId].sort())
  await stranger.send(new RetireGrantCommand({ GrantToken: byToken.GrantToken }))
  await stranger.send(new RetireGrantCommand({ KeyId, GrantId: byId.GrantId }))
  expect(await retirable()).toEqual([])
  const foreign = new ListRetirableGrantsCommand({ RetiringPrincipal: ADMIN })
  expect(await outcome(stranger.send(foreign))).toBe('AccessDeniedException')
  const unrelated = new RetireGrantCommand({ GrantToken: other.GrantToken })
  expect(await outcome(stranger.send(unrelated))).toBe('AccessDeniedException')
})

test('a grantee retires its own grant if the grant permits it', async () => {
  const KeyId = await createKey()
  const GranteePrincipal = STRANGER
  const may = await grant(KeyId, ['RetireGrant'], { GranteePrincipal })
  const mayNot = await grant(KeyId, ['Encrypt'], { GranteePrincipal })
  const retire = (GrantToken: string | undefined) => outcome(stranger.send(new RetireGrantCommand({ GrantToken })))
  expect(await retire(mayNot.GrantToken)).toBe('AccessDeniedException')
  expect(await retire(may.GrantToken)).toBe('done')
  expect(await retire(may.GrantToken)).toBe('NotFoundException')
  expect(await listed(KeyId)).toMatchObject([{ GrantId: mayNot.GrantId }])
})

test.each<[string, object, string]>([
  ['an id of another form', { GrantId: 'abc' }, 'InvalidGrantIdException'],
  ['an id that is not there', { GrantId: '0'.repeat(64) }, 'NotFoundException'],
])('%s is neither revoked nor retired', async (_what, named, expected) => {
  const KeyId = await createKey()
  const input = { KeyId, GrantId: '', ...named }
  expect(await outcome(admin.send(new RevokeGrantCommand(input)))).toBe(expected)
  expect(await outcome(admin.send(new RetireGrantCommand(input)))).toBe(expected)
  const both = new RetireGrantCommand({ ...input, GrantToken: 'x' })
  expect(await outcome(admin.send(both))).toBe('ValidationException')
})
