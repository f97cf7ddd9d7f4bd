import { expect, test } from 'vitest'
import { isRecognized } from '../../../../shared/identity/clients/is-recognized.ts'

const NOW = new Date('2026-06-02T00:00:00Z')
const ID = '01890000-0000-7000-8000-000000000001'
const OTHER = '01890000-0000-7000-8000-000000000002'
const AUTHORITY = '01890000-0000-7000-8000-00000000000a'

const registered = {
  id: ID,
  ca_id: AUTHORITY,
  sha256_fingerprint: 'registered',
  not_before: '2026-06-01T00:00:00Z',
}
const certificate = {
  authorityId: AUTHORITY,
  subject: '',
  uids: [ID],
  serialNumber: '01',
  sha256Fingerprint: 'another',
  notBefore: '2026-06-01T00:00:00Z',
}
const byName = { ...registered, authentication_mode: 'dn' } as const
const byFingerprint = { ...registered, authentication_mode: 'fingerprint' } as const

test.each<[string, object, boolean]>([
  ['of its authority, with its id as the one UID', {}, true],
  ['that begins later', { notBefore: '2026-06-01T00:00:01Z' }, true],
  ['that begins before the registered one', { notBefore: '2026-05-31T23:59:59Z' }, false],
  ['that is the registered one', { sha256Fingerprint: 'registered', notBefore: '2026-05-01T00:00:00Z' }, true],
  ['of another authority', { authorityId: OTHER }, false],
  ['with the id of another client', { uids: [OTHER] }, false],
  ['with the id of another client besides', { uids: [ID, OTHER] }, false],
  ['with its id twice', { uids: [ID, ID] }, false],
  ['without an id', { uids: [] }, false],
])('a client known by its name and a certificate %s', (_what, fields, wanted) => {
  expect(isRecognized(byName, { ...certificate, ...fields }, NOW)).toBe(wanted)
})

test('a client with a fingerprint is recognized only by it', () => {
  const own = { ...certificate, sha256Fingerprint: 'registered', uids: [] }
  expect(isRecognized(byFingerprint, own, NOW)).toBe(true)
  expect(isRecognized(byFingerprint, { ...own, authorityId: OTHER }, NOW)).toBe(true)
  expect(isRecognized(byFingerprint, certificate, NOW)).toBe(false)
})

test.each([byName, byFingerprint])(
  'the certificate before a renewal is recognized until its time: $authentication_mode',
  (client) => {
    const former = { sha256_fingerprint: 'former', serial_number: '02', until: NOW.toISOString() }
    const before = { ...certificate, sha256Fingerprint: 'former', notBefore: '2026-05-01T00:00:00Z' }
    const at = (ms: number) => isRecognized({ ...client, former }, before, new Date(NOW.getTime() + ms))
    expect([at(-1), at(0)]).toEqual([true, false])
    expect(isRecognized(client, before, NOW)).toBe(false)
  },
)
