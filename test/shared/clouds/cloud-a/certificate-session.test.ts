import { afterEach, expect, test, vi } from 'vitest'
import { HOUR_MS } from '../../../../shared/base/time.ts'
import type { CloudAConnection, RoleAnywhere } from '../../../../shared/clouds/cloud-a/adapter/types.ts'
import { addressOf } from '../../../../shared/clouds/cloud-a/adapter/endpoints.ts'
import { cloudA } from '../../../../shared/clouds/cloud-a/adapter/verbs.ts'
import { textMarker } from '../../../support/markers.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { useCloudA } from './simulated.ts'

const own = useCloudA()
const budget = () => AbortSignal.timeout(20_000)
const asked = () => own.cloud.counts().CreateSession ?? 0

afterEach(() => own.cloud.reset())

/** A connection with a certificate and a key that no other test uses, so that it shares no cache entry. */
const byCertificate = (key: string, more: Partial<RoleAnywhere & CloudAConnection> = {}): CloudAConnection => {
  const identity = own.cloud.anywhereIdentityOf('111122223333')
  const { assume_role_arn, ...fields } = more
  return { key, cloud_name: 'cloud-a', role_anywhere: { ...identity, ...fields }, assume_role_arn }
}

test('a connection with a certificate uses the role given for it', async () => {
  const { arn } = await cloudA.identity({ connection: byCertificate('plain'), budget: budget() })
  expect(arn).toMatch(/^arn:aws:sts::111122223333:assumed-role\/keymgr-operator\/[0-9a-f]+$/)
  expect(own.cloud.calls().find(({ operation }) => operation === 'CreateSession')).toMatchObject({
    region: 'eu-central-1',
    input: { durationSeconds: 3_600 },
  })
})

test('another role is assumed after it', async () => {
  const assume_role_arn = 'arn:aws:iam::444455556666:role/keymgr-visitor'
  const { arn } = await cloudA.identity({ connection: byCertificate('on top', { assume_role_arn }), budget: budget() })
  expect(arn).toBe('arn:aws:sts::444455556666:assumed-role/keymgr-visitor/keymgr')
})

test('concurrent callers request credentials once, for every region, and again after a change of the connection', async () => {
  const connection = byCertificate('kept')
  const places = ['eu-west-1', 'eu-west-2', 'us-east-1'].map((region) => own.place({ connection, region }))
  await Promise.all([...places, ...places].map((place) => cloudA.refs(place, undefined)))
  await cloudA.regions({ connection, budget: budget() })
  expect(asked()).toBe(1)
  await cloudA.test({ ...connection, key: 'kept, changed' }, budget())
  expect(asked()).toBe(2)
})

test('credentials that the cloud considers expired are requested again, with those of the following role', async () => {
  const assume_role_arn = 'arn:aws:iam::444455556666:role/keymgr-visitor'
  for (const [connection, sessions] of [
    [byCertificate('runs out'), 2],
    [byCertificate('both run out', { assume_role_arn }), 4],
  ] as const) {
    const place = own.place({ connection })
    await cloudA.refs(place, undefined)
    own.clock.advance(2 * HOUR_MS)
    expect(await cloudA.refs(place, undefined)).toMatchObject({ refs: [] })
    expect(asked()).toBe(sessions)
  }
  expect(own.cloud.counts().AssumeRole).toBe(2)
})

test.each([
  ['a profile there is not', (profile: string) => ({ profile_arn: `${profile}0` }), 'ResourceNotFoundException'],
  [
    'a role that is not for it',
    () => ({ anywhere_role_arn: 'arn:aws:iam::111122223333:role/orders-service' }),
    'AccessDen',
  ],
])('%s counts as a refusal of the credentials', async (what, change, code) => {
  const { profile_arn, private_key } = own.cloud.anywhereIdentityOf('111122223333')
  const connection = byCertificate(what, change(profile_arn))
  const secret = textMarker('the private key', private_key.split('\n')[1] ?? '')
  for (const work of [
    cloudA.identity({ connection, budget: budget() }),
    cloudA.refs(own.place({ connection }), undefined),
    cloudA.read(own.place({ connection }), 'a-key'), // not the refusal of a missing or forbidden key
  ]) {
    const { reason, message } = await refusalOf(work, [secret])
    expect([reason, message]).toEqual(['CLOUD_DENIED', expect.stringMatching(new RegExp(`^Cloud-a refused: ${code}`))])
  }
})

test('a certificate that has expired is refused with its reason', async () => {
  own.clock.set(new Date('2050-06-01T00:00:00Z'))
  try {
    const { reason, message } = await refusalOf(cloudA.test(byCertificate('expired'), budget()))
    expect([reason, message]).toEqual(['CLOUD_DENIED', expect.stringMatching(/AccessDenied.*expired/)])
  } finally {
    own.clock.set(new Date())
  }
})

test('a throttled, failing or unreachable cloud does not count as a refusal of the credentials', async () => {
  own.cloud.inject({ operation: 'CreateSession', fault: 'throttle', times: 2 })
  await cloudA.test(byCertificate('throttled'), budget())
  expect(asked()).toBe(3)
  own.cloud.inject({ operation: 'CreateSession', fault: 'server-error' })
  expect((await refusalOf(cloudA.test(byCertificate('out of order'), budget()))).reason).toBe('CLOUD_UNAVAILABLE')
  vi.stubEnv('CLOUD_A_ROLESANYWHERE_ENDPOINT', 'http://127.0.0.1:9')
  try {
    const { reason, message } = await refusalOf(cloudA.test(byCertificate('not there'), budget()))
    expect([reason, message]).toEqual(['CLOUD_UNAVAILABLE', 'Cloud-a cannot be reached: ECONNREFUSED.'])
  } finally {
    vi.stubEnv('CLOUD_A_ROLESANYWHERE_ENDPOINT', undefined)
  }
})

test("its address depends on the anchor's region and edition, and AWS_ENDPOINT_URL does not affect it", async () => {
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:9')
  await cloudA.test(byCertificate('not captured'), budget())
  vi.stubEnv('AWS_ENDPOINT_URL', undefined)
  vi.stubEnv('CLOUD_A_ENDPOINT', '')
  try {
    expect(addressOf('rolesanywhere', 'cloud-a', 'eu-west-1').endpoint).toBe(
      'https://rolesanywhere.eu-west-1.amazonaws.com',
    )
    expect(addressOf('rolesanywhere', 'cloud-a-cn', 'cn-north-1').endpoint).toBe(
      'https://rolesanywhere.cn-north-1.amazonaws.com.cn',
    )
  } finally {
    vi.stubEnv('CLOUD_A_ENDPOINT', own.cloud.endpoint)
  }
})
