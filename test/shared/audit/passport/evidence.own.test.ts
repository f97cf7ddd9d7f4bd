import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { verifyPassport, type KeySet } from '../../../../clients/verify/passport.ts'
import { batchOf } from '../../../../shared/audit/log/batch-of.ts'
import { lastBatch, putBatch } from '../../../../shared/audit/log/batches.ts'
import { putHead } from '../../../../shared/audit/log/heads.ts'
import { auditLogs, newLog } from '../../../../shared/audit/log/store.ts'
import { rootAt } from '../../../../shared/audit/log/tree.ts'
import { evidenceFor, type Evidence } from '../../../../shared/audit/passport/evidence.ts'
import { uuid } from '../../../../shared/base/ids.ts'
import type { StoredAuditRecord } from '../../../../shared/http/audit/store.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { recordAt, writeRecords } from '../../../support/audit-log.ts'
import { useTable } from '../../../support/store.ts'

useTable()

const NOW = new Date('2026-02-03T00:00:00.000Z')
const ISSUER = 'https://keymgr.example'
const { privateKey, publicKey } = await generateKeyPair('ES256')
const keys: KeySet = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] as KeySet['keys'] }
const sign = (typ: string, claims: object): Promise<string> =>
  new SignJWT({ iss: ISSUER, ...claims }).setProtectedHeader({ alg: 'ES256', typ, kid: 'k' }).sign(privateKey)

/** A log of 23 records; a signed head covers 20 of them. */
async function logged(): Promise<{ domain: string; records: StoredAuditRecord[] }> {
  const domain = uuid(NOW)
  const records = Array.from({ length: 23 }, (_, n) => recordAt(domain, new Date(NOW.getTime() + n)))
  await writeRecords(records, NOW, 0)
  for (const [from, to] of [
    [0, 9],
    [9, 23],
  ] as const)
    expect(await putBatch(domain, batchOf(records.slice(from, to), await lastBatch(domain), NOW))).toBe(true)
  const root = (await rootAt(domain, 20)).toString('hex')
  const jws = await sign('audit-tree-head+jwt', { domain, size: 20, root })
  const changes = new Changes()
  changes.create(auditLogs, domain, { ...newLog(NOW), size: 23, heads: 1, headed: 20 })
  expect(await putHead(domain, 0, { size: 20, root, at: NOW.toISOString(), jws })).toBe(true)
  await changes.commit(NOW)
  return { domain, records: records.map((record, position) => ({ ...record, position })) }
}

const passport = (domain: string, evidence: Evidence): Promise<string> =>
  sign('keymgr-passport+jwt', { domain, key: {}, evidence })

test('a verifier without network proves the records that a signed head covers', async () => {
  const { domain, records } = await logged()
  const evidence = await evidenceFor(domain, records)
  const check = verifyPassport(JSON.stringify({ passport: await passport(domain, evidence) }), keys)
  expect(check.faults).toEqual([])
  expect(check.proven).toEqual(records.slice(0, 20).map(({ id }) => id))
  expect(check.pending).toEqual(records.slice(20).map(({ id }) => id))
})

test('altered records, foreign proofs and foreign heads are found', async () => {
  const { domain, records } = await logged()
  const altered = await evidenceFor(domain, [{ ...records[3], username: 'eve' } as StoredAuditRecord])
  expect(verifyPassport(await passport(domain, altered), keys).faults.join()).toContain('was altered')
  const evidence = await evidenceFor(domain, records.slice(0, 2))
  const [one, two] = evidence.records
  const swapped = { ...evidence, records: [{ ...one, position: 1 }, two] } as Evidence
  expect(verifyPassport(await passport(domain, swapped), keys).faults.join()).toContain('is not in the tree')
  const { head: _, ...headless } = evidence
  expect(verifyPassport(await passport(domain, headless), keys).isGenuine).toBe(false)
  expect(verifyPassport(await passport(uuid(NOW), evidence), keys).faults.join()).toContain('another domain')
})

test('a record that waits for its place has no proof, nor has a domain without a log', async () => {
  const domain = uuid(NOW)
  const evidence = await evidenceFor(domain, [recordAt(domain, NOW)])
  expect(evidence.head).toBeUndefined()
  expect(evidence.records[0]).not.toHaveProperty('position')
  const check = verifyPassport(await passport(domain, evidence), keys)
  expect(check).toMatchObject({ isGenuine: true, pending: [evidence.records[0]?.id] })
})

test.each([
  ['nothing', () => ''],
  ['something else', () => '{"passport": 1}'],
  [
    'an altered statement',
    async () => (await passport('d', { records: [] })).replace(/\.[^.]+\./, `.${btoa('{"a":1}')}.`),
  ],
  ['a token of another type', () => sign('JWT', { domain: 'd' })],
  ['no signature', () => `${btoa('{"alg":"none","typ":"keymgr-passport+jwt"}')}.e30.`],
])('%s is no genuine passport', async (_what, make) => {
  expect(verifyPassport(await make(), keys)).toMatchObject({ isGenuine: false, claims: undefined })
})

test('a passport signed by a key that is not among the given ones is refused', async () => {
  expect(verifyPassport(await passport('d', { records: [] }), { keys: [] }).faults.join()).toContain('names the key k')
})
