import { CreateKeyCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { beforeAll, expect, test } from 'vitest'
import { cloudA } from '../../../../shared/clouds/cloud-a/adapter/verbs.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { useCloudA } from './simulated.ts'

const own = useCloudA()
const DAY_MS = 24 * 3_600_000
const logGroup = (): string => `trail-${own.place().account}`
const query = (more: object = {}) => ({
  logGroup: logGroup(),
  from: new Date(own.clock.now().getTime() - DAY_MS),
  to: new Date(own.clock.now().getTime() + DAY_MS),
  limit: 1_000,
  cursor: undefined,
  ...more,
})
let ref = ''

beforeAll(async () => {
  const { KeyMetadata } = await own.kms().send(new CreateKeyCommand({}))
  ref = KeyMetadata?.KeyId ?? ''
  await own.kms().send(new EncryptCommand({ KeyId: ref, Plaintext: Buffer.from('x') }))
  await cloudA.read(own.place(), ref)
  await cloudA.identity(own.place())
  await cloudA.refs(own.place(), undefined)
})

test('an entry contains the use of a key, its caller, and whether that was this service', async () => {
  const { entries, next } = await cloudA.activity(own.place(), query())
  expect(next).toBeUndefined()
  const user = own.accountOf(own.place().account).userArn
  const told = entries.map(({ ref: of, activity, user: by, isOurs }) => [of, activity, by, isOurs])
  expect(told.slice(0, 3)).toEqual([
    [ref, 'CreateKey', user, false],
    [ref, 'Encrypt', user, false],
    [ref, 'DescribeKey', user, true],
  ])
  expect(told.every(([of]) => of === ref)).toBe(true) // calls without a key are left out
  expect(entries[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
})

test('a refused call has its error', async () => {
  const KeyId = '11111111-1111-4111-8111-111111111111'
  await own
    .kms()
    .send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') }))
    .catch(() => undefined)
  const { entries } = await cloudA.activity(own.place(), query())
  expect(entries.at(-1)).toMatchObject({ ref: KeyId, activity: 'Encrypt', error: 'NotFoundException' })
})

test('pages follow each other, and the end of the time is not part of it', async () => {
  const region = 'eu-west-3'
  const from = new Date('2026-01-01T00:00:00Z')
  const describe = (n: number) => ({
    at: new Date(from.getTime() + n * 1_000),
    operation: 'Sign',
    keyId: ref,
    user: 'eve',
  })
  own.cloud.seedTrail({ account: own.place().account, region, count: 10, describe })
  const place = own.place({ region })
  const span = { from, to: new Date(from.getTime() + 9_000), limit: 4 }
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await cloudA.activity(place, query({ ...span, cursor }))
    found.push(...page.entries.map(({ at }) => at))
    cursor = page.next
  } while (cursor !== undefined)
  expect(found.map((at) => (Date.parse(at) - from.getTime()) / 1_000)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
})

test.each([
  ['a group that is not there', { logGroup: 'nowhere' }, 'CLOUD_NOT_FOUND'],
  ['a cursor that is not known', { cursor: 'bm90aGluZw' }, 'CLOUD_INVALID'],
] as const)('%s is refused by kind', async (_what, more, reason) => {
  expect((await refusalOf(cloudA.activity(own.place(), query(more)))).reason).toBe(reason)
})

test('each region has a separate log', async () => {
  const { entries } = await cloudA.activity(own.place({ region: 'eu-north-1' }), query())
  expect(entries).toEqual([])
})
