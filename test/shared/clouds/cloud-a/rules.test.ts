import { expect, test } from 'vitest'
import { defaultPolicy, denyEncryption, policyFromLists } from '../../../../shared/clouds/cloud-a/adapter/policy.ts'
import { assertMaterialFits, expiryOf, specNamed, usageFor } from '../../../../shared/clouds/cloud-a/adapter/specs.ts'
import { cloudA } from '../../../../shared/clouds/cloud-a/adapter/verbs.ts'
import { paramOf, publicPem } from '../../../../shared/clouds/cloud-a/adapter/wire.ts'
import { Refusal } from '../../../../shared/base/errors.ts'
import { CLOUD_A_SPECS } from '../../../../shared/clouds/cloud-a/keys/model.ts'
import { DAY_MS, later } from '../../../../shared/base/time.ts'
import { Book } from '../memory-journal.ts'
import { useCloudA } from './simulated.ts'

const { place } = useCloudA()
const ACCOUNT = '111122223333'
const ROOT = `arn:aws:iam::${ACCOUNT}:root`

/** The refusal of a body that breaks a rule. */
function broken(work: () => unknown): Refusal {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'RULE_BROKEN') return error
    throw error
  }
  throw new Error('No rule was broken.')
}

test('the default policy permits everything to the account', () => {
  expect(defaultPolicy('cloud-a-gov', ACCOUNT)).toEqual({
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'Enable IAM User Permissions',
        Effect: 'Allow',
        Principal: { AWS: [`arn:aws-us-gov:iam::${ACCOUNT}:root`] },
        Action: 'kms:*',
        Resource: '*',
      },
    ],
  })
})

test('lists become a valid policy that names administrators, users and other accounts', async () => {
  const policy = policyFromLists('cloud-a', ACCOUNT, {
    key_admins: ['alice'],
    key_admins_roles: ['keymgr-operator'],
    key_users: ['arn:aws:iam::444455556666:user/bob'],
    key_users_roles: ['orders-service'],
    external_accounts: ['777788889999', 'arn:aws:iam::444455556666:root'],
  })
  const users = [
    'arn:aws:iam::444455556666:user/bob',
    `arn:aws:iam::${ACCOUNT}:role/orders-service`,
    'arn:aws:iam::777788889999:root',
    'arn:aws:iam::444455556666:root',
  ]
  expect(policy).toMatchObject({
    Statement: [
      { Principal: { AWS: [ROOT] }, Action: 'kms:*' },
      {
        Sid: 'Allow access for Key Administrators',
        Principal: { AWS: [`arn:aws:iam::${ACCOUNT}:user/alice`, `arn:aws:iam::${ACCOUNT}:role/keymgr-operator`] },
      },
      { Sid: 'Allow use of the key', Principal: { AWS: users } },
      {
        Sid: 'Allow attachment of persistent resources',
        Principal: { AWS: users },
        Condition: { Bool: { 'kms:GrantIsForAWSResource': 'true' } },
      },
    ],
  })
  const spec = { spec: 'SYMMETRIC_DEFAULT', usage: 'ENCRYPT_DECRYPT', tags: [], policy: JSON.stringify(policy) }
  expect((await cloudA.create(place(), spec, new Book().open())).param.Policy).toEqual(policy)
})

test('empty lists are the default policy', () => {
  expect(policyFromLists('cloud-a', ACCOUNT, { key_users: [] })).toEqual(defaultPolicy('cloud-a', ACCOUNT))
})

test.each([
  ['key_admins', ['alice', 'arn:aws:iam::444455556666:role/x'], 1, 'must be names or ARNs of users'],
  ['key_users_roles', ['arn:aws-cn:iam::444455556666:role/x'], 0, 'must be names or ARNs of roles'],
  ['key_users', ['*'], 0, 'must be names or ARNs of users'],
  ['external_accounts', ['12345'], 0, 'must be ids of 12 digits, or root ARNs, of accounts'],
  ['external_accounts', ['arn:aws:iam::444455556666:user/x'], 0, 'must be ids of 12 digits, or root ARNs, of accounts'],
])('%s %j is refused', (list, given, index, detail) => {
  const { errors } = broken(() => policyFromLists('cloud-a', ACCOUNT, { [list]: given }))
  expect(errors).toEqual([{ pointer: `#/${list}/${index}`, detail }])
})

const DENIAL = {
  Sid: 'keymgrDenyEncryption',
  Effect: 'Deny',
  Principal: { AWS: '*' },
  Action: ['kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncryptTo'],
  Resource: '*',
}
const OWN_DENIAL = { ...DENIAL, Condition: { StringEquals: { 'kms:CallerAccount': ACCOUNT } } }

test('one statement denies encryption, beside the existing ones', () => {
  const before = defaultPolicy('cloud-a', ACCOUNT)
  const statements = before.Statement as object[]
  expect(denyEncryption(before, { account: ACCOUNT })).toEqual({ ...before, Statement: [...statements, OWN_DENIAL] })
  expect(denyEncryption(before, 'everybody')).toEqual({ ...before, Statement: [...statements, DENIAL] })
  const single = { ...before, Statement: statements[0] }
  expect(denyEncryption(single, 'everybody')).toEqual({ ...before, Statement: [...statements, DENIAL] })
})

test('a denial is not repeated, and one for everyone covers one for an account', () => {
  const before = defaultPolicy('cloud-a', ACCOUNT)
  const own = denyEncryption(before, { account: ACCOUNT })
  const all = denyEncryption(own, 'everybody')
  expect(all).toEqual(denyEncryption(before, 'everybody'))
  expect(denyEncryption(own, { account: ACCOUNT })).toBe(own)
  expect(denyEncryption(all, 'everybody')).toBe(all)
  expect(denyEncryption(all, { account: ACCOUNT })).toBe(all)
  const printed = { ...own, Statement: (own.Statement as object[]).map(reversed) }
  expect(denyEncryption(printed, { account: ACCOUNT })).toBe(printed)
})

/** The same object with its members in another order, as the cloud may return it. */
const reversed = (statement: object) => Object.fromEntries(Object.entries(statement).reverse())

test.each(CLOUD_A_SPECS)('%s accepts only the local keys that it names', (name) => {
  const { fits, symmetric } = specNamed(name)
  const objectType = symmetric ? 'Symmetric Key' : 'Private Key'
  const shape = { objectType, ...fits('cloud-a') } as const
  expect(() => assertMaterialFits(name, shape, 'cloud-a')).not.toThrow()
  const wrong = [
    { ...shape, objectType: 'Public Key' as const },
    { ...shape, algorithm: shape.algorithm === 'aes' ? ('rsa' as const) : ('aes' as const) },
    shape.curve === undefined ? { ...shape, sizeBits: shape.sizeBits + 8 } : { ...shape, curve: 'brainpoolP256r1' },
  ]
  for (const other of wrong) {
    const { message, errors } = broken(() => assertMaterialFits(name, other, 'cloud-a'))
    expect(message).toContain(`${name} takes a local key of algorithm ${shape.algorithm}`)
    expect(errors).toEqual([
      { pointer: '#/cloud_a_param/CustomerMasterKeySpec', detail: expect.stringContaining(shape.algorithm) },
    ])
  }
})

test.each([
  ['SYMMETRIC_DEFAULT', 'ENCRYPT_DECRYPT'],
  ['HMAC_224', 'GENERATE_VERIFY_MAC'],
  ['ECC_SECG_P256K1', 'SIGN_VERIFY'],
])('%s is implied with %s', (spec, usage) => {
  expect(usageFor(spec)).toBe(usage)
})

test('RSA keys need a usage, and others have only one', () => {
  expect(usageFor('RSA_2048', 'ENCRYPT_DECRYPT')).toBe('ENCRYPT_DECRYPT')
  expect(broken(() => usageFor('RSA_2048')).message).toBe(
    'KeyUsage of RSA_2048 must be ENCRYPT_DECRYPT or SIGN_VERIFY.',
  )
  expect(broken(() => usageFor('ECC_NIST_P256', 'ENCRYPT_DECRYPT')).message).toBe(
    'KeyUsage of ECC_NIST_P256 must be SIGN_VERIFY.',
  )
  expect(broken(() => usageFor('SM2')).message).toMatch(/^CustomerMasterKeySpec must be one of SYMMETRIC_DEFAULT, /)
})

test('material must end within a year', () => {
  const now = new Date('2026-05-04T03:02:01.000Z')
  const year = later(now, 365 * DAY_MS)
  expect(expiryOf(year.toISOString(), now)).toEqual(year)
  for (const at of [now, later(now, -1), later(year, 1)]) broken(() => expiryOf(at.toISOString(), now))
  expect(broken(() => expiryOf('soon', now)).message).toMatch(/^ValidTo must be in the future/)
})

test('a key is described equally in any order of its parts', () => {
  const CreationDate = new Date('2026-05-04T03:02:01.500Z')
  const replicas = [
    { Arn: 'arn:b', Region: 'eu-west-2' },
    { Arn: 'arn:a', Region: 'eu-west-1' },
  ]
  const described = (order: <T>(list: T[]) => T[]) =>
    JSON.stringify(
      paramOf({
        metadata: {
          MultiRegionConfiguration: { ReplicaKeys: order(replicas), MultiRegionKeyType: 'PRIMARY' },
          SigningAlgorithms: order(['RSASSA_PSS_SHA_256', 'RSASSA_PKCS1_V1_5_SHA_256']),
          CreationDate,
          KeyState: 'Enabled',
          Enabled: true,
          KeySpec: 'RSA_2048',
          Arn: 'arn:key',
          AWSAccountId: ACCOUNT,
          KeyId: 'key',
        },
        aliases: order(['b', 'a']),
        tags: order([
          { TagKey: 'b', TagValue: '1' },
          { TagKey: 'a', TagValue: '2' },
        ]),
      }),
    )
  expect(described((list) => list.toReversed())).toBe(described((list) => list))
  expect(JSON.parse(described((list) => list))).toEqual({
    AccountId: ACCOUNT,
    Arn: 'arn:key',
    KeyID: 'key',
    CustomerMasterKeySpec: 'RSA_2048',
    KeyState: 'Enabled',
    Enabled: true,
    CreationDate: '2026-05-04T03:02:01.500Z',
    SigningAlgorithms: ['RSASSA_PKCS1_V1_5_SHA_256', 'RSASSA_PSS_SHA_256'],
    MultiRegionConfiguration: { MultiRegionKeyType: 'PRIMARY', ReplicaKeys: replicas.toReversed() },
    Alias: ['a', 'b'],
    Tags: [
      { TagKey: 'a', TagValue: '2' },
      { TagKey: 'b', TagValue: '1' },
    ],
  })
})

test('a public key of any length is PEM in lines of 64', () => {
  expect(publicPem(new Uint8Array(49)).split('\n')).toEqual([
    '-----BEGIN PUBLIC KEY-----',
    'A'.repeat(64),
    'AA==',
    '-----END PUBLIC KEY-----',
    '',
  ])
})
