import { expect, test } from 'vitest'
import { secondsRead, timeRead } from '../../../shared/cloud/adapter/dates.ts'
import { ItemPage, listedRead } from '../../../shared/clouds/cloud-b/adapter/wire.ts'
import { Key, KeyPage, keyRead, listedRead as keyListed } from '../../../shared/clouds/cloud-c/adapter/wire.ts'
import { paramOf } from '../../../shared/clouds/cloud-a/adapter/wire.ts'
import { Refusal } from '../../../shared/base/errors.ts'

test.each([
  ['2030-01-01T00:00:00.123456789Z', '2030-01-01T00:00:00.123Z'],
  ['2030-01-01T02:00:00+02:00', '2030-01-01T00:00:00.000Z'],
  ['10000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
  ['+275760-09-13T00:00:00.001Z', '9999-12-31T23:59:59.999Z'],
  ['292277026596-12-04T15:30:08Z', '9999-12-31T23:59:59.999Z'],
  ['-000001-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['never', undefined],
])('the time %s is read as %s', (given, read) => {
  expect(timeRead(given)).toBe(read)
})

test.each([
  [1e300, 253_402_300_799],
  [Infinity, 253_402_300_799],
  [253_402_303_861, 253_402_300_799],
  [-5, 0],
  [1.5, 1],
  [NaN, undefined],
  ['1', undefined],
])('the seconds %s are read as %s', (given, read) => {
  expect(secondsRead(given)).toBe(read)
})

const ABSURD = [null, -1, 1e300, 253_402_303_861, '', 'x', [], {}, true, [[]], '+999999-01-01T00:00:00Z']

/** Copies of the value in which one part at a time is replaced by each absurd value. */
function* absurdly(value: unknown): Generator {
  if (typeof value !== 'object' || value === null || value instanceof Date) return
  for (const [name, inner] of Object.entries(value)) {
    const put = (one: unknown): unknown =>
      Array.isArray(value) ? value.map((each, at) => (String(at) === name ? one : each)) : { ...value, [name]: one }
    for (const absurd of ABSURD) yield put(absurd)
    for (const deeper of absurdly(inner)) yield put(deeper)
  }
}

/** @throws the error of `work`, unless it is a refusal */
function ends(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    expect(error.reason).toBe('CLOUD_UNREADABLE')
  }
}

const URL_OF = 'https://shop.vault.azure.net/keys/one/0123456789abcdef0123456789abcdef'
const ITEM = {
  kid: URL_OF,
  attributes: { enabled: true, nbf: 1, exp: 2, created: 3, updated: 4, recoveryLevel: 'x', recoverableDays: 90 },
  tags: { a: 'b' },
  managed: true,
  deletedDate: 5,
  scheduledPurgeDate: 6,
}

test('an absurd value in any field of an item in a vault keeps no other item from being read', () => {
  for (const item of absurdly(ITEM)) {
    const { value } = ItemPage.parse({ value: [item, { ...ITEM, kid: `${URL_OF.slice(0, -1)}0` }] })
    const read = (value ?? []).map((one) => listedRead(one))
    expect(read.at(-1)?.ref, JSON.stringify(item)).toBe('one/0123456789abcdef0123456789abcde0')
  }
})

const KEY = {
  name: 'projects/p/locations/l/keyRings/r/cryptoKeys/k',
  purpose: 'ENCRYPT_DECRYPT',
  createTime: '2026-01-01T00:00:00Z',
  nextRotationTime: '2026-01-01T00:00:00Z',
  rotationPeriod: '7776000s',
  versionTemplate: { protectionLevel: 'SOFTWARE', algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION' },
  labels: { a: 'b' },
  importOnly: false,
  destroyScheduledDuration: '86400s',
  primary: {
    name: 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1',
    state: 'ENABLED',
    algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION',
    protectionLevel: 'SOFTWARE',
    createTime: '2026-01-01T00:00:00Z',
    generateTime: '2026-01-01T00:00:00Z',
    importTime: '2026-01-01T00:00:00Z',
    destroyTime: '2026-01-01T00:00:00Z',
    destroyEventTime: '2026-01-01T00:00:00Z',
    reimportEligible: false,
  },
}

test('an absurd value in any field of a key of a key ring keeps no other key from being read', () => {
  for (const key of absurdly(KEY)) {
    const { cryptoKeys } = KeyPage.parse({ cryptoKeys: [key, KEY] })
    const last = cryptoKeys.at(-1)
    expect(last && keyListed(last).ref).toBe('k')
    for (const one of cryptoKeys) ends(() => keyListed(one))
  }
  expect(keyRead(Key.parse(KEY)).param.create_time).toBe('2026-01-01T00:00:00.000Z')
})

const METADATA = {
  ...{ KeyId: 'k', Arn: 'arn:aws:kms:us-east-1:1:key/k', AWSAccountId: '1', KeySpec: 'SYMMETRIC_DEFAULT' },
  ...{ KeyUsage: 'ENCRYPT_DECRYPT', KeyState: 'Enabled', Enabled: true, KeyManager: 'CUSTOMER', Origin: 'AWS_KMS' },
  ...{ CreationDate: new Date(0), DeletionDate: new Date(0), ValidTo: new Date(0), Description: '' },
  ...{ EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'], MultiRegion: false, ExpirationModel: 'KEY_MATERIAL_EXPIRES' },
}

test.each([
  ['no date at all', new Date(NaN)],
  ['a date after the year 9999', new Date(8.64e15)],
  ['a date before the year 0', new Date(-8.64e15)],
])('%s of a key of a region causes no fault', (_what, at) => {
  for (const field of ['CreationDate', 'DeletionDate', 'ValidTo'])
    ends(() => paramOf({ metadata: { ...METADATA, [field]: at } as never, aliases: [] })) // as the SDK reads it
  ends(() => paramOf({ metadata: METADATA as never, aliases: [], policy: 'no JSON' }))
})
